import type { WebSocket } from '@fastify/websocket'
import { UNREAD_COUNT, type UnreadCount } from '@sallyport/contract/socket/news.ts'
import { callerOf } from '../../kernel/access/call.ts'
import { signedInSockets } from '../../kernel/access/signed-in-sockets.ts'
import { inBackground } from '../../kernel/background.ts'
import { RECONNECTED } from '../../kernel/events/events.ts'
import { onMessage } from '../../kernel/http/on-message.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { UNREAD_CHANGED, unreadOf } from './site-message.resource.ts'

/** A browser with this much unsent has stopped reading. One message has about 40 bytes. */
const MAX_BACKLOG_BYTES = 64 * 1024

/** Sockets that one person may have open; further ones are refused. */
const SOCKETS_A_PERSON = 20

interface Listener {
  user: string
  socket: WebSocket
}

/**
 * `/ws/notifications/site-msg/`: `{type: "unread_count", unread_count: n}` at once and whenever it
 * changes, for browsers that are signed in (docs/rules/notifications.md#unread_counter). Closed
 * with 1008 once the session behind it ends.
 */
export function registerUnreadSocket(kernel: Kernel): void {
  const listeners = new Set<Listener>()
  const takeIn = signedInSockets(kernel, SOCKETS_A_PERSON)
  const tell = (users: readonly string[] | undefined) => {
    for (const { user } of listeners) if (!users || users.includes(user)) waiting.add(user)
    inBackground(work())
  }

  // Events may come faster than counts are read: those that come meanwhile make one more query,
  // never a queue of them.
  const waiting = new Set<string>()
  let isWorking = false
  const work = async () => {
    if (isWorking) return
    isWorking = true
    try {
      while (waiting.size) {
        const users = [...waiting]
        waiting.clear()
        const counts = await unreadOf(kernel, users)
        for (const listener of listeners)
          if (users.includes(listener.user)) say(listener, counts.get(listener.user) ?? 0)
      }
    } catch (error) {
      kernel.app.log.warn({ err: error }, 'unread messages could not be counted')
    } finally {
      isWorking = false
    }
  }

  kernel.app.route({
    method: 'GET',
    url: UNREAD_COUNT.path,
    config: { access: ['authenticated'], summary: 'Number of unread site messages (WebSocket)', answers: 'socket' },
    handler: async (_request, reply) => reply.status(426).send({ detail: 'Upgrade required', code: 'bad_request' }),
    wsHandler: (socket, request) => {
      if (!takeIn(socket, request)) return
      const user = callerOf(request.call).id
      const listener: Listener = { user, socket }
      listeners.add(listener)
      socket.on('close', () => listeners.delete(listener))
      onMessage(socket, UNREAD_COUNT.fromClient, request.log, () => {})
      tell([user])
    },
  })

  const unsubscribe = [
    kernel.events.subscribe(UNREAD_CHANGED, ({ users }) =>
      tell(Array.isArray(users) ? (users as string[]) : undefined),
    ),
    kernel.events.subscribe(RECONNECTED, () => tell(undefined)),
  ]
  kernel.app.addHook('onClose', async () => {
    for (const stop of unsubscribe) stop()
  })
}

/**
 * The same number is sent again: a page that marked messages elsewhere may have guessed another.
 */
function say(listener: Listener, unread_count: number): void {
  const { socket } = listener
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MAX_BACKLOG_BYTES) socket.terminate()
  else socket.send(JSON.stringify({ type: 'unread_count', unread_count } satisfies UnreadCount))
}
