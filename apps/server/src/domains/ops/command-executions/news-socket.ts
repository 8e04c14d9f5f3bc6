import type { WebSocket } from '@fastify/websocket'
import { COMMAND_NEWS, type CommandNews } from '@sallyport/contract/socket/news.ts'
import { and, eq } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { signedInSockets } from '../../../kernel/access/signed-in-sockets.ts'
import { RECONNECTED } from '../../../kernel/events/events.ts'
import { onMessage } from '../../../kernel/http/on-message.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { pause } from '../../../kernel/pause.ts'
import { opsCommandExecution } from '../tables.ts'
import { outputAfter, RUN_NEWS } from './live-output.ts'

/** Sockets that one person may have open. */
const SOCKETS_A_PERSON = 20
/** With so much unsent nothing more is read for a client, which is looked at again after a while. */
const MAX_BACKLOG_BYTES = 1_000_000
const BACKLOG_MS = 200

/**
 * `/ws/ops/command-executions/`: the client names a batch command of its own as `{execution}`, and
 * gets the output of its machines as they write, from the beginning, and a message when its
 * outcomes should be read again (`CommandNews`). It may name another at any time.
 */
export function registerNewsSocket(kernel: Kernel): void {
  const takeIn = signedInSockets(kernel, SOCKETS_A_PERSON)
  kernel.app.route({
    method: 'GET',
    url: COMMAND_NEWS.path,
    config: { access: ['authenticated'], summary: 'Live output of batch commands (WebSocket)', answers: 'socket' },
    handler: async (_request, reply) => reply.status(426).send({ detail: 'Upgrade required', code: 'bad_request' }),
    wsHandler: (socket, request) => {
      if (!takeIn(socket, request)) return
      let following: AbortController | undefined
      socket.on('close', () => following?.abort())
      onMessage(socket, COMMAND_NEWS.fromClient, request.log, ({ execution }) => {
        following?.abort()
        following = new AbortController()
        void follow(kernel, socket, request.call, execution, following.signal).catch((error) => {
          kernel.app.log.error({ err: error, execution }, 'news of a batch command')
          socket.close(1011)
        })
      })
    },
  })
}

async function follow(
  kernel: Kernel,
  socket: WebSocket,
  call: Call,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  const news = newsOf(kernel, execution, signal)
  const say = (message: Omit<CommandNews, 'execution'>) => {
    if (!signal.aborted) socket.send(JSON.stringify({ ...message, execution } satisfies CommandNews))
  }
  let position = 0
  for await (const changed of news) {
    let isNews = changed
    for (;;) {
      // Asked again each time: the caller may have been signed out since the socket was opened.
      const now = await kernel.callerNow(call)
      const run = now?.user && (await ownRun(kernel, execution, now.user.id))
      if (!run) return say({ output: [], is_changed: false, is_over: true })
      const { output, mark } = await outputAfter(kernel.db, execution, position)
      if (output.length || isNews || run.is_finished)
        say({ output, is_changed: isNews, is_over: run.is_finished && !output.length })
      if (!output.length && run.is_finished) return
      if (!output.length) break
      position = mark
      isNews = false
      while (socket.bufferedAmount > MAX_BACKLOG_BYTES && !signal.aborted) await pause(BACKLOG_MS, signal)
      if (signal.aborted) return
    }
  }
}

async function ownRun({ db }: Kernel, execution: string, user: string): Promise<{ is_finished: boolean } | undefined> {
  const { id, user: owner, is_finished } = opsCommandExecution
  const [run] = await db
    .select({ is_finished })
    .from(opsCommandExecution)
    .where(and(eq(id, execution), eq(owner, user)))
  return run
}

/** Once at the beginning and after each news, or several: whether a machine came further. */
async function* newsOf({ events }: Kernel, execution: string, signal: AbortSignal): AsyncGenerator<boolean> {
  let isWaiting = true
  let changed = true
  let wake = () => {}
  const hear = (isChange: boolean) => {
    isWaiting = true
    changed ||= isChange
    wake()
  }
  const stops = [
    events.subscribe(RUN_NEWS, (news) => (news.execution === execution ? hear(news.changed === true) : undefined)),
    events.subscribe(RECONNECTED, () => hear(true)),
  ]
  const leave = () => wake()
  signal.addEventListener('abort', leave)
  try {
    while (!signal.aborted) {
      if (!isWaiting) await new Promise<void>((resolve) => (wake = resolve))
      if (signal.aborted) return
      const isChange = changed
      isWaiting = changed = false
      yield isChange
    }
  } finally {
    for (const stop of stops) stop()
    signal.removeEventListener('abort', leave)
  }
}
