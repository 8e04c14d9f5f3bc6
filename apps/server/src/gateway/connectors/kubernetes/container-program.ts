import type { IncomingMessage } from 'node:http'
import WebSocket from 'ws'
import { inBackground } from '../../../kernel/background.ts'
import type { ContainerPlace, TargetStream } from '../../kinds/terminal/streams.ts'
import { CHANNEL, ENDS_INPUT, frame, readEnd, SUBPROTOCOLS } from '../../protocols/kubernetes/channels.ts'
import { messageOf } from '../../protocols/kubernetes/status.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { type Cluster, clusterRefusal } from './cluster.ts'

/** Limit of one frame, in bytes; servers send pieces of some 32 kB. */
const MAX_FRAME = 4 * 1024 * 1024
/** Load balancers cut what is silent. */
const PING_MS = 30_000
const CLOSE_MS = 2_000
const READ_MAX = 4096

export interface ProgramOf extends ContainerPlace {
  argv: readonly string[]
  hasTerminal: boolean
}

/**
 * Starts a program in a container, or attaches to the one that runs there. Throws SessionRefusal
 * with the cluster's words, what its connection throws, and the signal's reason.
 */
export function openProgram(cluster: Cluster, program: ProgramOf, signal: AbortSignal): Promise<WebSocket> {
  const { agent, host, basePath, credentials } = cluster
  const options = { agent, headers: { ...credentials, host }, perMessageDeflate: false, maxPayload: MAX_FRAME }
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    // The agent's connections are encrypted.
    const socket = new WebSocket(`ws://${host}${basePath}${pathOf(program)}`, [...SUBPROTOCOLS], options)
    const onAbort = () => {
      socket.terminate()
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const settled = () => signal.removeEventListener('abort', onAbort)
    socket.once('unexpected-response', (_request, response) => {
      inBackground(wordsOf(response).then((words) => reject(clusterRefusal(response.statusCode ?? 0, words)), reject))
      settled()
    })
    // Stays attached: a late error must not end the process.
    socket.on('error', (error) => {
      settled()
      reject(error)
    })
    socket.once('open', () => {
      settled()
      socket.pause()
      resolve(socket)
    })
  })
}

function pathOf({ namespace, pod, container, isAttach, hasInput = true, argv, hasTerminal }: ProgramOf): string {
  const query = new URLSearchParams({
    ...(container ? { container } : {}),
    stdin: String(hasInput),
    stdout: 'true',
    stderr: String(!hasTerminal),
    tty: String(hasTerminal),
  })
  if (!isAttach) for (const word of argv) query.append('command', word)
  const names = [namespace, pod].map(encodeURIComponent)
  return `/api/v1/namespaces/${names[0]}/pods/${names[1]}/${isAttach ? 'attach' : 'exec'}?${query}`
}

async function wordsOf(response: IncomingMessage): Promise<string | undefined> {
  let text = ''
  response.on('data', (piece: Buffer) => {
    if (text.length < READ_MAX) text += piece.toString()
  })
  await new Promise((resolve) => response.once('close', resolve))
  return messageOf(text)
}

/** A program in a container as a session takes it. `early`: what it said before. */
export function streamOf(socket: WebSocket, close: () => void, early: readonly Buffer[] = []): TargetStream {
  let end: StreamEnd = { isLost: true }
  const alive = setInterval(() => socket.ping(), PING_MS)
  const send = (channel: number, bytes: Buffer | string) => {
    if (socket.readyState === socket.OPEN) socket.send(frame(channel, bytes))
  }
  socket.once('close', () => {
    clearInterval(alive)
    close()
  })
  return {
    start(onOutput, onEnd) {
      const hear = (bytes: Buffer) => {
        const content = bytes.subarray(1)
        if (bytes[0] === CHANNEL.status) end = readEnd(content.toString())
        else if (content.length && bytes[0] === CHANNEL.stdout) onOutput(content, 'stdout')
        else if (content.length && bytes[0] === CHANNEL.stderr) onOutput(content, 'stderr')
      }
      socket.removeAllListeners('message')
      for (const bytes of early) hear(bytes)
      socket.on('message', (data) => hear(data as Buffer))
      if (socket.readyState === socket.CLOSED) onEnd(end)
      else socket.once('close', () => onEnd(end))
      socket.resume()
    },
    write: (bytes) => send(CHANNEL.stdin, bytes),
    pending: () => socket.bufferedAmount,
    // It goes out in its turn, after all before it.
    onceTaken(then) {
      if (socket.readyState === socket.OPEN) socket.ping(undefined, undefined, () => then())
      else then()
    },
    endInput() {
      if (socket.protocol === ENDS_INPUT) send(CHANNEL.close, Buffer.of(CHANNEL.stdin))
    },
    // It has no signals.
    signal: () => {},
    resize: ({ cols, rows }) => send(CHANNEL.resize, JSON.stringify({ Width: cols, Height: rows })),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close() {
      socket.close()
      setTimeout(() => socket.terminate(), CLOSE_MS).unref()
    },
  }
}
