import type { WebSocket } from '@fastify/websocket'
import { TASK_LOG, type TaskLogNews } from '@sallyport/contract/socket/news.ts'
import type { Call } from '../../kernel/access/call.ts'
import { signedInSockets } from '../../kernel/access/signed-in-sockets.ts'
import { onMessage } from '../../kernel/http/on-message.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { pause } from '../../kernel/pause.ts'
import { getReadableTask, isFinished, parseMark, readLog } from './task-log.ts'

/**
 * Characters in one message, and how often the log is read (docs/rules/ops.md#log_websocket).
 */
const CHUNK_CHARACTERS = 4096
const POLL_MS = 200
const WAIT_MS = 500
/** Sockets that one person may have open. */
const SOCKETS_A_PERSON = 20

/**
 * `/ws/ops/tasks/log/`: the client names a task and gets its output as it is written, then may name
 * another. Closed when the sign-in ends, or the right to read the task.
 */
export function registerLogSocket(kernel: Kernel): void {
  const takeIn = signedInSockets(kernel, SOCKETS_A_PERSON)
  kernel.app.route({
    method: 'GET',
    url: TASK_LOG.path,
    config: { access: ['authenticated'], summary: 'Live output of background tasks (WebSocket)', answers: 'socket' },
    handler: async (_request, reply) => reply.status(426).send({ detail: 'Upgrade required', code: 'bad_request' }),
    wsHandler: (socket, request) => {
      if (!takeIn(socket, request)) return
      let reading: AbortController | undefined
      socket.on('close', () => reading?.abort())
      onMessage(socket, TASK_LOG.fromClient, request.log, ({ task }) => {
        reading?.abort()
        reading = new AbortController()
        void stream(kernel, socket, request.call, task, reading.signal).catch((error) =>
          kernel.app.log.error({ err: error, task }, 'log stream'),
        )
      })
    },
  })
}

async function stream(kernel: Kernel, socket: WebSocket, call: Call, id: string, signal: AbortSignal): Promise<void> {
  const send = (message: string) => socket.send(JSON.stringify({ message, task: id } satisfies TaskLogNews))
  let position = parseMark(undefined)
  let begun = false
  while (!signal.aborted) {
    // Asked again each time: the caller may have lost a role since the socket was opened.
    const now = await kernel.callerNow(call)
    const task = now && (await getReadableTask(kernel, now, id).catch(() => undefined))
    if (!task) return send(`${translate(call.language, 'Not found.')}\r\n`)
    if (task.state === 'PENDING') {
      send('.')
      await pause(WAIT_MS, signal)
      continue
    }
    if (!begun) send('\r\n')
    begun = true
    const page = await readLog(kernel, id, position, CHUNK_CHARACTERS)
    position = page.position
    if (page.data && !signal.aborted) send(page.data)
    if (page.drained && isFinished(task)) return
    // A slow reader must not fill our memory.
    if (page.drained || socket.bufferedAmount > 1_000_000) await pause(POLL_MS, signal)
  }
}
