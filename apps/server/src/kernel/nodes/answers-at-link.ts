import { connect } from 'node:tls'
import type { kernelNode } from './tables.ts'

/**
 * Whether the process that a node's row describes is alive: only that process holds the key of the
 * certificate in the row. Works without the database and for nodes that do not know this one, since
 * a TLS handshake is enough.
 */
export function answersAtLink(
  { address, port, certificate }: Pick<typeof kernelNode.$inferSelect, 'address' | 'port' | 'certificate'>,
  milliseconds: number,
): Promise<boolean> {
  if (!address || !port || !certificate) return Promise.resolve(false)
  return new Promise((resolve) => {
    const socket = connect({
      host: address,
      port,
      // The only one trusted: a process with another certificate is not that node.
      ca: [certificate],
      checkServerIdentity: () => undefined,
      minVersion: 'TLSv1.3',
    })
    const answer = (lives: boolean) => {
      clearTimeout(limit)
      socket.destroy()
      resolve(lives)
    }
    const limit = setTimeout(() => answer(false), milliseconds)
    socket.on('error', () => answer(false)).once('secureConnect', () => answer(true))
  })
}
