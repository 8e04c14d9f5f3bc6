import type WebSocket from 'ws'
import type { ContainerPlace, TargetStream, TerminalSize } from '../../kinds/terminal/streams.ts'
import { CHANNEL, frame, readEnd } from '../../protocols/kubernetes/channels.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { Cluster } from './cluster.ts'
import { openProgram, streamOf } from './container-program.ts'

/** In the order in which they are tried (docs/rules/gateway.md#kubernetes). */
const SHELLS = ['bash', 'sh', 'powershell', 'cmd']
/** A shell that has said nothing for so long is there, and has no prompt. */
const SILENT_MS = 3_000
/** Messages of runtimes in the terminal instead of a refusal. */
const NOT_THERE = /executable file not found|no such file or directory|OCI runtime exec failed|exec failed:/i
/** As shells and runtimes answer what can't be run. */
const NOT_STARTED = [126, 127, 128]
const EARLY_MAX = 64 * 1024

/**
 * The first shell that a container has. Throws SessionRefusal when it has none, and what opening a
 * program throws. Closes the cluster with the stream.
 */
export async function openShell(
  cluster: Cluster,
  place: ContainerPlace,
  size: TerminalSize | undefined,
  signal: AbortSignal,
): Promise<TargetStream> {
  for (const shell of SHELLS) {
    const program = { ...place, argv: [shell], hasInput: true, hasTerminal: size !== undefined }
    const socket = await openProgram(cluster, program, signal)
    if (size) socket.send(frame(CHANNEL.resize, JSON.stringify({ Width: size.cols, Height: size.rows })))
    const early = await firstWords(socket, signal)
    if (early) return streamOf(socket, () => cluster.close(), early)
    socket.terminate()
  }
  throw new SessionRefusal('There is no shell in this container')
}

/**
 * First output of a shell, to which is added what comes until its stream starts; undefined when it
 * could not be started. Throws the signal's reason.
 */
function firstWords(socket: WebSocket, signal: AbortSignal): Promise<Buffer[] | undefined> {
  return new Promise((resolve, reject) => {
    const early: Buffer[] = []
    let length = 0
    const settle = (then: () => void) => {
      clearTimeout(timer)
      socket.off('message', hear).off('close', gone)
      // Several messages may have come together.
      socket.on('message', (data) => early.push(data as Buffer))
      signal.removeEventListener('abort', aborted)
      socket.pause()
      then()
    }
    const answer = () => settle(() => resolve(early))
    const isRefusal = () => NOT_THERE.test(Buffer.concat(early).toString())
    const hear = (data: WebSocket.RawData) => {
      const bytes = data as Buffer
      early.push(bytes)
      length += bytes.length
      if (bytes[0] === CHANNEL.status) {
        const { exitCode = 0, message } = readEnd(bytes.subarray(1).toString())
        const isMissing = NOT_STARTED.includes(exitCode) && (message !== undefined || isRefusal())
        settle(() => resolve(isMissing ? undefined : early))
      } else if (length > EARLY_MAX || (bytes.length > 1 && !isRefusal())) answer()
    }
    const gone = () => settle(() => resolve(isRefusal() ? undefined : early))
    const aborted = () => settle(() => reject(signal.reason))
    const timer = setTimeout(answer, SILENT_MS)
    signal.addEventListener('abort', aborted, { once: true })
    socket.on('message', hear).once('close', gone)
    socket.resume()
  })
}
