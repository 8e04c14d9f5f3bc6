import type { Socket } from 'node:net'
import { readProxyHeader } from './proxy-header.ts'

/** A trusted proxy that says nothing for so long sends no header. */
const SILENT_MS = 300

/** First bytes of a client before it is answered; none when it waits for the server to begin. */
function firstBytes(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const take = (bytes?: Buffer) => {
      clearTimeout(timer)
      socket.off('data', take).off('close', take).pause()
      resolve(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0))
    }
    const timer = setTimeout(take, SILENT_MS)
    socket.on('data', take).on('close', take)
  })
}

/**
 * Takes a trusted proxy's header off the front, however it was cut. Answers the client's address
 * where there is one; what the client said after it is there to be read.
 */
export async function forwardedAddress(socket: Socket): Promise<string | undefined> {
  let bytes = await firstBytes(socket)
  for (;;) {
    const header = bytes.length ? readProxyHeader(bytes) : { state: 'none' as const }
    if (header.state !== 'incomplete') {
      const rest = header.state === 'read' ? bytes.subarray(header.length) : bytes
      if (rest.length) socket.unshift(rest)
      return header.state === 'read' ? header.address : undefined
    }
    const more = await firstBytes(socket)
    if (!more.length) {
      if (bytes.length) socket.unshift(bytes)
      return undefined
    }
    bytes = Buffer.concat([bytes, more])
  }
}

/** An IPv4 address that came over an IPv6 socket, as people write it. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')
}
