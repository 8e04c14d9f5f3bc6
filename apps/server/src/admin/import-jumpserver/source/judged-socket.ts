import { connect, Socket } from 'node:net'
import { judgedPlace } from '../../../kernel/outbound/judged-lookup.ts'

/**
 * A connection to a place that an administrator has named: it leads to no address that is closed to all
 * calls, such as that of a cloud's metadata, whatever the name resolves to.
 */
export function judgedSocket(host: string, port: number): Socket {
  const socket = connect(judgedPlace({ host, port }))
  // Nagle's waiting would cost a round trip for each batch of rows.
  return socket.setNoDelay(true)
}

/** The same for drivers that connect by themselves; files of sockets are of this machine. */
export class JudgedSocket extends Socket {
  override connect(...place: unknown[]): this {
    const [port, host] = place
    if (typeof port !== 'number' || typeof host !== 'string') return super.connect(...(place as [string]))
    try {
      return super.connect(judgedPlace({ host, port }))
    } catch (error) {
      // The driver sees it as it sees every connection that fails.
      return this.destroy(error as Error)
    }
  }
}
