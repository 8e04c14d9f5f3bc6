import type { Kinds, Protocol, Schemas, SchemasOf } from '@sallyport/contract/socket/message.ts'
import { ApiError, api } from '../../lib/api.ts'
import { openSessionLine, type SessionLine, type SessionLineEvents } from '../screen/session-line.ts'
import type { LineProtocol, SocketTarget } from '../screen/socket.ts'
import { windowName } from '../tabs/kept-tabs.ts'

/** Messages to a page on a line of a protocol. */
export type LineEvents<P extends Protocol> = SessionLineEvents<SchemasOf<P['fromGateway']>>
/** The line of a page that speaks a protocol. */
export type LineOf<P extends Protocol> = SessionLine<P['fromClient']>

/**
 * After signing out it tries no more until the person is back; a server that can't be
 * reached is tried again.
 */
async function stillSignedIn(): Promise<void> {
  await api.get('/koko/sessions/', { quiet: true }).catch((error: unknown) => {
    if (error instanceof ApiError && [0, 401, 502, 503].includes(error.status)) throw error
  })
}

/**
 * Its tab was closed while there was no line; without an answer the server waits in vain for a
 * while.
 */
function abandon(sessionId: string): void {
  api.delete(`/koko/sessions/${sessionId}/`, { quiet: true }).catch(() => {})
}

/**
 * Opens a session of one's own, or goes on with `resume`. Its line is tried again at what the browser
 * notices before the line does: the network is back, the laptop woke up.
 */
export function openOwnLine<S extends Schemas, C extends Kinds>(
  protocol: LineProtocol<S, C>,
  { target, resume }: { target: SocketTarget; resume?: string | undefined },
  events: SessionLineEvents<NoInfer<S>>,
): { line: SessionLine<C>; end: () => void } {
  const line = openSessionLine(
    target,
    protocol,
    { client: windowName(), resume, beforeRetry: stillSignedIn, abandon },
    events,
  )
  const retry = () => document.visibilityState === 'visible' && line.retry()
  addEventListener('online', retry)
  document.addEventListener('visibilitychange', retry)
  const end = () => {
    removeEventListener('online', retry)
    document.removeEventListener('visibilitychange', retry)
    line.end()
  }
  return { line, end }
}
