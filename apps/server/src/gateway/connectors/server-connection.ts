import { X509Certificate } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { checkServerKey, hasServerKey, type ServerKeyScope, throughGatewaysPlain } from '../../domains/assets/index.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/** To reach the server, and again for TLS. */
const TIMEOUT_MS = 15_000

export interface ServerAddress {
  target: ConnectionTarget
  host: string
  port: number
  signal: AbortSignal
}

/** A connection to a server that speaks a protocol of its own. */
export interface ServerConnection {
  stream: Duplex
  isEncrypted: boolean
  close(): void
}

/** What is said before TLS: whether the server is ready for it. */
type AskForTls = (stream: Duplex) => Promise<boolean>

/**
 * Connects to a server, through the gateways of the target's domain where it has some, and encrypts
 * the connection where the server can. The key of its certificate is pinned at the first use; a
 * server that has shown one must show it again. Throws SshError, SessionRefusal, or the signal's
 * reason.
 */
export async function connectToServer(
  kernel: Kernel,
  address: ServerAddress,
  askForTls: AskForTls,
): Promise<ServerConnection> {
  const { target, host, port, signal } = address
  const { gateways } = target
  const plain = await throughGatewaysPlain(kernel, gateways, { host, port }, { timeoutMs: TIMEOUT_MS, signal })
  const scope: ServerKeyScope = { orgId: target.orgId, target: target.target.id, host, port }
  try {
    if (await whileConnected(plain.stream, address, () => askForTls(plain.stream))) {
      const stream = await whileConnected(plain.stream, address, () => encrypted(plain.stream))
      await checkKey(kernel, scope, stream)
      return { stream, isEncrypted: true, close: () => stream.destroy() }
    }
    if (await hasServerKey(kernel, scope))
      throw new SessionRefusal('The server has spoken TLS before and does not any more: nothing was sent to it')
    return { stream: plain.stream, isEncrypted: false, close: plain.close }
  } catch (error) {
    plain.close()
    throw error
  }
}

/** Whom it belongs to is not asked of an authority: its key is compared with the one that is known. */
function encrypted(socket: Duplex): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const stream = connectTls({ socket, rejectUnauthorized: false })
    // Stays attached: a late error must not end the process.
    stream.on('error', reject)
    stream.once('secureConnect', () => resolve(stream))
    // Of a socket that is not of the system's, its end is not seen otherwise.
    socket.once('close', () => stream.destroy())
  })
}

async function checkKey(kernel: Kernel, scope: ServerKeyScope, stream: TLSSocket): Promise<void> {
  const { raw } = stream.getPeerCertificate()
  const publicKey = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' })
  const { isTrusted, fingerprint, trusted } = await checkServerKey(kernel, scope, publicKey)
  if (isTrusted) return
  throw new SessionRefusal(
    'THE KEY OF THIS SERVER HAS CHANGED. Somebody may be in between, or it was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
    { seen: fingerprint, trusted: trusted.join(', ') },
  )
}

/**
 * A step of connecting, bounded in time, that ends with the connection. Throws SshError, or the
 * signal's reason.
 */
export async function whileConnected<T>(
  stream: Duplex,
  { target, signal }: Pick<ServerAddress, 'target' | 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const hop = target.gateways.length ? 1 : 0
  const { promise: over, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  const onClose = () => reject(new SshError('unreachable', hop, 'The connection was closed'))
  signal.addEventListener('abort', onAbort)
  stream.once('close', onClose)
  try {
    const late = () => new SshError('timeout', hop, 'No login in time')
    return await inTime(Promise.race([work(), over]), TIMEOUT_MS, late)
  } finally {
    signal.removeEventListener('abort', onAbort)
    stream.off('close', onClose)
  }
}
