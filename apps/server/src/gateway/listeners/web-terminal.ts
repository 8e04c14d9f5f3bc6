import { randomUUID } from 'node:crypto'
import type { WebSocket } from '@fastify/websocket'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { signInOf } from '../../domains/authentication/index.ts'
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
import { type Owner, type Person, SessionRefusal, type TerminalSize } from '../types.ts'

/** What xterm.js is. */
const TERM = 'xterm-256color'
/** The machine is paused while a browser has more than this to take. */
const BACKLOG_BYTES = 1024 * 1024
/** With more input than this waiting for the machine nothing more is read from the browser. */
const MAX_INPUT_BYTES = 512 * 1024
const PING_MS = 60_000
const QUIET_MS = 30_000
/** Silence after which a client is taken for dead (contract/web-terminal.yaml socket_protocol.alive). */
const SILENCE_MS = 5 * 60_000
/** A client that asks for no terminal is dropped. */
const INIT_MS = 60_000

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
    if (socket.readyState !== socket.OPEN) return
    // Closing has a short time limit of its own: it begins when a slow line has taken all that was shown.
    socket.send(JSON.stringify({ id, type: 'CLOSE', data: '' }), () => socket.close())
    const standsStill = setTimeout(() => socket.terminate(), SILENCE_MS)
    socket.once('close', () => clearTimeout(standsStill))
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
  const gone = new AbortController()
  const idle = setTimeout(() => socket.terminate(), INIT_MS)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(alive)
    clearTimeout(idle)
    gone.abort()
    dialogue.close()
  })

  const dialogue = new TerminalDialogue((text) => sendBytes(Buffer.from(text)))
  const decoder = new TextDecoder('utf-8')
  let live: LiveSession | undefined
  let size: TerminalSize | undefined

  const refuse = (text: string) => {
    sendBytes(Buffer.from(`\r\x1b[K\x1b[31m${text}\x1b[0m\r\n`))
    send('TERMINAL_ERROR', text)
    finish()
  }
  const start = async (first: TerminalSize) => {
    const watching = asked.data.type === 'shareroom'
    const watch = watching ? await findWatched(kernel, gateway, call, asked.data.target_id) : undefined
    const signIn = signInOf(request)
    if (gone.signal.aborted || !signIn) return
    const person: Person = { ...callerOf(call), language: call.language, remoteAddress: call.remoteAddress, loginFrom: 'WT' }
    const leave = gateway.guests.enter({
      userId: person.id,
      signIn,
      atWork: !watching,
      allowed: async () => !watch || (await watch.mayStay()),
      dismiss: (text) => (live ? void live.end('signed_out', text) : refuse(say(text))),
    })
    gone.signal.addEventListener('abort', leave)
    if (watch) {
      const stop = watch.session.watch({
        write: sendBytes,
        backlog: () => socket.bufferedAmount,
        resize: ({ cols, rows }) => send('TERMINAL_RESIZE', { Width: cols, Height: rows }),
        close: finish,
      })
      if (!stop) throw new SessionRefusal('This session is over, or has as many watchers as it can')
      gone.signal.addEventListener('abort', stop)
      return
    }
    live = await gateway.open(
      {
        person,
        assetId: asked.data.target_id,
        systemUserId: asked.data.system_user_id ?? '',
        program: { terminal: { type: TERM, size: first } },
        dialogue,
        owner: ownerOn(socket, () => live, finish),
        onCreated: (session) => send('TERMINAL_SESSION', { session }),
      },
      gone.signal,
    )
    // The window may have changed while the machine was being reached.
    if (size) live.resize(size)
  }

  const onInput = (bytes: Buffer) => {
    if (!live) return dialogue.input(decoder.decode(bytes, { stream: true }))
    live.input(bytes)
    if (live.pendingInput < MAX_INPUT_BYTES || socket.isPaused) return
    socket.pause()
    live.onceInputTaken(() => socket.resume())
  }
  const onSize = (data: string | undefined) => {
    const read = sizeSchema.safeParse(readJson(data))
    if (!read.success) return
    size = read.data
    live?.resize(size)
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    lastHeard = Date.now()
    if (isBinary) return onInput(data)
    const message = readMessage(data.toString('utf8'))
    switch (message?.type) {
      case 'PING':
        return send('PONG')
      case 'TERMINAL_INIT': {
        const first = sizeSchema.safeParse(readJson(message.data))
        if (message.id !== id || size || !first.success) return
        clearTimeout(idle)
        size = first.data
        return void start(size).catch((error) => {
          if (!(error instanceof SessionRefusal)) request.log.error({ err: error }, 'session could not be opened')
          refuse(error instanceof SessionRefusal ? say(error.message, { ...error.values }) : say('The connection failed'))
        })
      }
      case 'TERMINAL_DATA':
        return onInput(Buffer.from(message.data ?? ''))
      case 'TERMINAL_RESIZE':
        return size ? onSize(message.data) : undefined
      case 'CLOSE':
        return socket.close()
      default:
    }
  })
  void profileOf(kernel, call)
    .then(({ id: user_id, name, username }) => send('CONNECT', { user: { id: user_id, name, username }, setting: {} }))
    .catch(() => socket.terminate())
}

interface Watch {
  session: LiveSession
  mayStay(): Promise<boolean>
}

/** The session to watch. Throws SessionRefusal. */
async function findWatched(kernel: Kernel, gateway: Gateway, call: FastifyRequest['call'], sessionId: string): Promise<Watch> {
  const [row] = await kernel.db.select().from(terminalSession).where(eq(terminalSession.id, sessionId))
  if (!row || !(await canJoin(kernel.db, call, row))) throw new SessionRefusal('This session cannot be watched: it is over, or you may not')
  const session = gateway.find(sessionId)
  if (!session) throw new SessionRefusal('This session is carried by another server')
  return { session, mayStay: () => canJoin(kernel.db, call, row) }
}

/** The browser as a session's owner: while it is behind the machine waits, without any timer. */
function ownerOn(socket: WebSocket, session: () => LiveSession | undefined, close: () => void): Owner {
  let behind = false
  return {
    close,
    write(bytes) {
      if (socket.readyState !== socket.OPEN) return true
      socket.send(bytes, () => {
        if (!behind || socket.bufferedAmount > BACKLOG_BYTES / 4) return
        behind = false
        session()?.ownerDrained()
      })
      behind ||= socket.bufferedAmount > BACKLOG_BYTES
      return !behind
    },
  }
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
