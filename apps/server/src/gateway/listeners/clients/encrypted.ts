import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { StreamReader } from '../../protocols/read-stream.ts'

/** First byte of a client that speaks TLS at once. */
const TLS_HANDSHAKE = 0x16

/** Whether a client begins with TLS; what it has sent is still to be read. Throws when it leaves. */
export async function beginsWithTls(socket: Socket): Promise<boolean> {
  const reader = new StreamReader(socket)
  const bytes = await reader.next()
  reader.giveBack(bytes)
  return bytes[0] === TLS_HANDSHAKE
}

/** Speaks TLS to a client that is about to begin with it, as one of these protocols where any are named. */
export type Encrypt = (protocols?: readonly string[]) => Promise<Socket>

/** See `Encrypt`. */
export function encrypted(
  socket: Socket,
  secureContext: SecureContext,
  protocols: readonly string[] = [],
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const offered = protocols.length ? { ALPNProtocols: [...protocols] } : {}
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ...offered })
    // Stays attached: a late error must not end the process.
    secure.on('error', reject)
    socket.once('close', () => reject(new Error('the client has left')))
    secure.once('secure', () => resolve(secure))
  })
}
