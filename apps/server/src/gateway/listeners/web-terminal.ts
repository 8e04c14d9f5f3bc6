import { randomUUID } from 'node:crypto'
import type { WebSocket } from '@fastify/websocket'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { canJoin, terminalSession } from '../../domains/terminal/index.ts'
import { profileOf } from '../../domains/users/index.ts'
import { callerOf } from '../../kernel/access/call.ts'
import { isSameOrigin } from '../../kernel/access/guard.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { TerminalDialogue } from '../dialogue.ts'
import type { Gateway } from '../gateway.ts'
import type { LiveSession } from '../live-session.ts'
import { type Person, SessionRefusal, type TerminalSize } from '../types.ts'

/** The machine is paused while a browser has more than this to take. */
const BACKLOG_BYTES = 1024 * 1024
/** Input that waits for the machine; a client that sends on beyond it is cut off. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024
const PING_MS = 60_000
const QUIET_MS = 30_000
/** Silence after which a client is taken for dead (contract/web-terminal.yaml socket_protocol.alive). */
const SILENCE_MS = 5 * 60_000
const DRAIN_POLL_MS = 20

const query = z.object({ type: z.string().max(32), target_id: z.guid(), system_user_id: z.guid().optional() })
const sizeSchema = z.object({ cols: z.coerce.number().int().min(1).max(1000), rows: z.coerce.number().int().min(1).max(1000) })
const messageSchema = z.object({
  id: z.string().max(64).optional(),
  type: z.string().max(64),
  data: z
    .string()
    .max(1024 * 1024)
    .optional(),
})

/** Websocket {tg}/ws/terminal/ (contract/web-terminal.yaml socket_protocol): an own session, or watching somebody's (`shareroom`). */
export function registerWebTerminal(kernel: Kernel, gateway: Gateway): void {
  kernel.app.route({
    method: 'GET',
    url: '/koko/health/',
    config: { access: ['anonymous'], summary: 'Does the gateway live' },
    handler: async () => ({ status: true }),
  })
  kernel.app.route({
    method: 'GET',
    url: '/koko/ws/terminal/',
    config: { access: ['authenticated'], summary: 'Terminal over a websocket' },
    preHandler: async (request, reply) => {
      // A page of somebody else's must not open terminals with this person's cookie.
      if (!isSameOrigin(request)) return reply.status(403).send()
    },
    handler: (_request, reply) => reply.status(426).send({ detail: 'Upgrade Required', code: 'bad_request' }),
    wsHandler: (socket, request) => serve(kernel, gateway, socket, request),
  })
}

function serve(kernel: Kernel, gateway: Gateway, socket: WebSocket, request: FastifyRequest): void {
  const id = randomUUID()
  const { call } = request
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const send = (type: string, data: unknown = '') => {
    if (socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ id, type, data: typeof data === 'string' ? data : JSON.stringify(data) }))
  }
  const sendBytes = (bytes: Buffer) => {
    if (socket.readyState === socket.OPEN) socket.send(bytes)
  }
  const finish = () => {
    send('CLOSE')
    socket.close()
  }
  const asked = query.safeParse(singleValues(request.query))
  if (!asked.success) {
    send('TERMINAL_ERROR', say('The address of this terminal is incomplete'))
    finish()
    return
  }

  let lastHeard = Date.now()
  const alive = setInterval(() => {
    const quiet = Date.now() - lastHeard
    if (quiet > SILENCE_MS) socket.terminate()
    else if (quiet > QUIET_MS) send('PING')
  }, PING_MS)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => clearInterval(alive))

  const dialogue = new TerminalDialogue((text) => sendBytes(Buffer.from(text)))
  let live: LiveSession | undefined
  let started = false
  let gone = false
  let stopWatching: (() => void) | undefined

  const start = async (size: TerminalSize) => {
    if (asked.data.type === 'shareroom') {
      const watched = await findWatched(kernel, gateway, call, asked.data.target_id)
      if (typeof watched === 'string') throw new SessionRefusal(watched)
      stopWatching = watched.watch({
        write: sendBytes,
        backlog: () => socket.bufferedAmount,
        resize: ({ cols, rows }) => send('TERMINAL_RESIZE', { Width: cols, Height: rows }),
        close: finish,
      })
      return
    }
    const person: Person = { ...callerOf(call), language: call.language, remoteAddress: call.remoteAddress, loginFrom: 'WT' }
    live = await gateway.open({
      person,
      assetId: asked.data.target_id,
      systemUserId: asked.data.system_user_id ?? '',
      size,
      dialogue,
      owner: { write: (bytes) => writeToOwner(socket, bytes, () => live?.ownerDrained()), close: finish },
      onCreated: (session) => send('TERMINAL_SESSION', { session }),
    })
    if (gone) await live.end('left')
  }

  const onInput = (bytes: Buffer) => {
    if (!live) return dialogue.input(bytes.toString('utf8'))
    if (live.pendingInput > MAX_INPUT_BYTES) return socket.terminate()
    live.input(bytes)
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    lastHeard = Date.now()
    if (isBinary) return onInput(Buffer.from(data))
    const message = readMessage(data.toString('utf8'))
    switch (message?.type) {
      case 'PING':
        return send('PONG')
      case 'TERMINAL_INIT': {
        const size = sizeSchema.safeParse(readJson(message.data))
        if (message.id !== id || started || !size.success) return
        started = true
        return void start(size.data).catch((error) => {
          if (!(error instanceof SessionRefusal)) request.log.error({ err: error }, 'session could not be opened')
          const text = error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed')
          sendBytes(Buffer.from(`\r\x1b[K\x1b[31m${text}\x1b[0m\r\n`))
          send('TERMINAL_ERROR', text)
          finish()
        })
      }
      case 'TERMINAL_DATA':
        return onInput(Buffer.from(message.data ?? ''))
      case 'TERMINAL_RESIZE': {
        const size = sizeSchema.safeParse(readJson(message.data))
        if (size.success) live?.resize(size.data)
        return
      }
      case 'CLOSE':
        return socket.close()
      default:
    }
  })
  socket.on('close', () => {
    gone = true
    dialogue.close()
    stopWatching?.()
    void live?.end('left')
  })
  void profileOf(kernel, call)
    .then(({ id: user_id, name, username }) => send('CONNECT', { user: { id: user_id, name, username }, setting: {} }))
    .catch(() => socket.terminate())
}

/** The session to watch, or why not. */
async function findWatched(
  kernel: Kernel,
  gateway: Gateway,
  call: FastifyRequest['call'],
  sessionId: string,
): Promise<LiveSession | string> {
  const [row] = await kernel.db.select().from(terminalSession).where(eq(terminalSession.id, sessionId))
  if (!row || !(await canJoin(kernel.db, call, row))) return 'This session cannot be watched: it is over, or you may not'
  return gateway.find(sessionId) ?? 'This session is carried by another server'
}

/** False when the browser is behind; `drained` is called once it has caught up. */
function writeToOwner(socket: WebSocket, bytes: Buffer, drained: () => void): boolean {
  if (socket.readyState !== socket.OPEN) return true
  socket.send(bytes)
  if (socket.bufferedAmount < BACKLOG_BYTES) return true
  const poll = setInterval(() => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount > BACKLOG_BYTES / 4) return
    clearInterval(poll)
    drained()
  }, DRAIN_POLL_MS)
  return false
}

function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

function readMessage(text: string): z.infer<typeof messageSchema> | undefined {
  const read = messageSchema.safeParse(readJson(text))
  return read.success ? read.data : undefined
}
