import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { inBackground } from '../../../kernel/background.ts'
import { readJson } from '../../../kernel/http/read-json.ts'
import type { Gateway } from '../../gateway.ts'
import type { RunningRequest } from '../../kinds/requests/request-session.ts'
import { labelOf, type Owner, type Program } from '../../kinds/terminal/streams.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import { CHANNEL, frame, SUBPROTOCOLS, writeEnd } from '../../protocols/kubernetes/channels.ts'
import { quotedWord } from '../../protocols/kubernetes/quoted-word.ts'
import { BadRequest, type ClusterRequest } from '../../protocols/kubernetes/read-request.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { notice } from '../../session/notice.ts'
import type { ClientSession } from './client-sessions.ts'

/** Limit of one frame of a client, in bytes. */
const MAX_FRAME = 4 * 1024 * 1024
/** When more than this waits for the guard or the container, nothing more is read from the client. */
const MAX_INPUT_BYTES = 512 * 1024
/** With more than this unsent, a client counts as behind. */
const BACKLOG_BYTES = 1024 * 1024
/** Limit of a client's input before it is answered, in bytes. */
const MAX_EARLY = 64 * 1024
const PING_MS = 30_000
const SIDE = 1000

const sockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: MAX_FRAME,
  handleProtocols: (offered) => SUBPROTOCOLS.find((one) => offered.has(one)) ?? false,
})

/** A client that wants to be connected to a program in a container. */
export interface ProgramClient {
  gateway: Gateway
  session: ClientSession
  wanted: ClusterRequest
  running: RunningRequest
  request: IncomingMessage
  socket: Duplex
  head: Buffer
}

/** Throws BadRequest for a client that does not speak as these do. */
export function checkProgramClient({ headers }: IncomingMessage): void {
  const offered = String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((one) => one.trim())
  if (String(headers.upgrade).toLowerCase() !== 'websocket' || !SUBPROTOCOLS.some((one) => offered.includes(one)))
    throw new BadRequest(
      'kubectl 1.31 or newer is needed to run programs in containers (it speaks WebSocket, not SPDY)',
    )
}

/**
 * Runs the program as a terminal session of its own, with its recording, and connects the client to
 * it. Settles when it is over. Throws what opening a session throws; nothing was answered then.
 */
export async function serveProgram(client: ProgramClient): Promise<void> {
  const { gateway, session, wanted, running, request, socket, head } = client
  const { person, target, systemUserId } = session.signIn
  const gone = new AbortController()
  const leave = () => gone.abort()
  const early = [head]
  // Read, so that its end is seen.
  const keep = (bytes: Buffer) => {
    early.push(bytes)
    if (Buffer.concat(early).length > MAX_EARLY) socket.destroy()
  }
  socket.on('data', keep).once('close', leave)
  const program = programOf(wanted)
  const owner = new ProgramOwner()
  const live = await gateway.open(
    {
      kind: 'terminal',
      person,
      target,
      systemUserId,
      program,
      dialogue: SILENT,
      owner,
      detail: program.container ? labelOf(program.container) : '',
      isReviewed: true,
    },
    gone.signal,
  )
  socket.off('data', keep).off('close', leave)
  // Also of a client that breaks off before it speaks WebSocket.
  socket.once('close', () => inBackground(live.end('left')))
  const rested = session.live.worksBeside()
  const onSessionOver = () => inBackground(live.end('terminated', notice('terminated', 'The session was terminated')))
  running.signal.addEventListener('abort', onSessionOver)
  try {
    if (socket.destroyed) inBackground(live.end('left'))
    else sockets.handleUpgrade(request, socket, Buffer.concat(early), (line) => owner.connect(line, live))
    await live.ended
  } finally {
    running.signal.removeEventListener('abort', onSessionOver)
    rested()
  }
}

function programOf({ query, program }: ClusterRequest): Program {
  const argv = query.getAll('command')
  const isOn = (name: string) => /^(?:1|t|true)$/i.test(query.get(name) ?? '')
  const { namespace = '', pod = '', isAttach = false } = program ?? {}
  return {
    ...(isAttach ? {} : { command: Buffer.from(argv.map(quotedWord).join(' ')) }),
    ...(isOn('tty') ? { terminal: { type: 'xterm', size: { cols: 80, rows: 24 } } } : {}),
    container: { namespace, pod, container: query.get('container') ?? '', isAttach, hasInput: isOn('stdin'), argv },
  }
}

/** The client's end, once it is there. */
class ProgramOwner implements Owner {
  #line: WebSocket | undefined
  #live: TerminalSession | undefined
  #early: Buffer[] = []
  #end: StreamEnd | undefined

  connect(line: WebSocket, live: TerminalSession): void {
    this.#line = line
    this.#live = live
    const alive = setInterval(() => line.ping(), PING_MS)
    line.on('error', () => line.terminate())
    line.once('close', () => {
      clearInterval(alive)
      inBackground(live.end('left'))
    })
    line.on('message', (data) => this.#heard(data as Buffer))
    for (const bytes of this.#early.splice(0)) line.send(bytes)
    if (this.#end) this.close(this.#end)
  }

  write(bytes: Buffer, stream: 'stdout' | 'stderr'): boolean {
    const line = this.#line
    const framed = frame(CHANNEL[stream], bytes)
    if (!line) {
      this.#early.push(framed)
      return true
    }
    if (line.readyState !== line.OPEN) return true
    line.send(framed, () => {
      if (line.bufferedAmount <= BACKLOG_BYTES / 4) this.#live?.ownerDrained()
    })
    return line.bufferedAmount < BACKLOG_BYTES
  }

  close(end: StreamEnd): void {
    const line = this.#line
    if (!line) this.#end = end
    else if (line.readyState === line.OPEN) {
      line.send(frame(CHANNEL.status, writeEnd(end)))
      line.close(1000)
    }
  }

  #heard(bytes: Buffer): void {
    const live = this.#live
    const content = bytes.subarray(1)
    if (!live) return
    if (bytes[0] === CHANNEL.stdin && content.length) this.#typed(live, content)
    else if (bytes[0] === CHANNEL.close && content[0] === CHANNEL.stdin) live.endInput()
    else if (bytes[0] === CHANNEL.resize) {
      const size = sizeIn(content.toString())
      if (size) live.resize(size)
    }
  }

  #typed(live: TerminalSession, bytes: Buffer): void {
    live.input(bytes)
    const line = this.#line
    if (!line || live.pendingInput < MAX_INPUT_BYTES || line.isPaused) return
    line.pause()
    live.onceInputTaken(() => line.resume())
  }
}

function sizeIn(text: string): { cols: number; rows: number } | undefined {
  try {
    const { Width: cols, Height: rows } = readJson(text) as { Width?: unknown; Height?: unknown }
    const isSide = (side: unknown): side is number => Number.isInteger(side) && Number(side) > 0 && Number(side) <= SIDE
    return isSide(cols) && isSide(rows) ? { cols, rows } : undefined
  } catch {
    return undefined
  }
}

/** It can't be asked: whether to ask others goes without saying, and it waits for them. */
const SILENT: Dialogue = {
  ask: async () => 'y',
  wait: (_heading, _text, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve('over')
      else signal.addEventListener('abort', () => resolve('over'), { once: true })
    }),
}
