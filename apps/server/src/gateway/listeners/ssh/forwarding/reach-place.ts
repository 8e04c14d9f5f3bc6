import type ssh2 from 'ssh2'
import type { Place } from '../../../../domains/perms/forwarding/index.ts'
import { inSmallWindow } from '../../../../kernel/ssh/ssh2/forwarded-windows.ts'

/** A machine answers within this time whether it can connect. */
const CONNECT_TIMEOUT_MS = 20_000

/**
 * Asks a machine to connect to a place. Throws the machine's words when it cannot, and the signal's
 * reason.
 */
export function reachPlace(client: ssh2.Client, place: Place, signal: AbortSignal): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const settle = (then: () => void) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      then()
    }
    const onAbort = () => settle(() => reject(signal.reason))
    const timer = setTimeout(
      () => settle(() => reject(new Error('The machine did not answer in time'))),
      CONNECT_TIMEOUT_MS,
    )
    const opened = inSmallWindow<ssh2.ClientCallback>((error, channel) => {
      if (isOver) {
        channel?.on('error', () => {}).resume()
        channel?.destroy()
      } else settle(() => (error ? reject(error) : resolve(channel)))
    })
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    try {
      if (place.kind === 'socket') client.openssh_forwardOutStreamLocal(place.path, opened)
      else client.forwardOut('127.0.0.1', 0, place.host, place.port, opened)
    } catch (error) {
      // The connection to the machine is gone.
      settle(() => reject(error))
    }
  })
}
