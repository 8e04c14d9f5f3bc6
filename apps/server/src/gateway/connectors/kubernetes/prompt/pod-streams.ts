import { StringDecoder } from 'node:string_decoder'
import { awaitedLater } from '../../../../kernel/background.ts'
import type { ContainerPlace } from '../../../kinds/terminal/streams.ts'
import { CHANNEL, readEnd } from '../../../protocols/kubernetes/channels.ts'
import { openProgram } from '../container-program.ts'
import { readStream } from '../read-stream.ts'
import { CommandError, type Flag } from './command-line.ts'
import type { CommandRun } from './command-run.ts'

/** A line that never ends is cut in pieces of so many characters. */
const LINE_MAX = 64 * 1024

/** Text as it comes, in whole lines. */
class Lines {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  add(bytes: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > LINE_MAX) {
      lines.push(this.#rest)
      this.#rest = ''
    }
    return lines.map(shown)
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end()
    return rest ? [shown(rest)] : []
  }
}

const shown = (line: string) => line.replace(/\r$/, '').replaceAll('\t', '    ')

/** Shows what a container has written, and goes on with `--follow`. */
export async function followLog(
  { namespace, pod, container }: Pick<ContainerPlace, 'namespace' | 'pod' | 'container'>,
  flags: ReadonlyMap<Flag, string>,
  { cluster, signal, show }: CommandRun,
): Promise<void> {
  const query = new URLSearchParams({
    ...(container ? { container } : {}),
    ...(flags.has('follow') ? { follow: 'true' } : {}),
    ...(flags.has('previous') ? { previous: 'true' } : {}),
    ...(flags.has('timestamps') ? { timestamps: 'true' } : {}),
  })
  const tail = flags.get('tail')
  if (tail !== undefined && !/^-?\d{1,9}$/.test(tail)) throw new CommandError('--tail needs a number')
  if (tail !== undefined && !tail.startsWith('-')) query.set('tailLines', tail)
  if (flags.has('since')) query.set('sinceSeconds', String(secondsOf(flags.get('since') as string)))
  const response = await readStream(cluster, `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`, { signal })
  const lines = new Lines()
  for await (const piece of response as AsyncIterable<Buffer>) await show(lines.add(piece))
  await show(lines.end())
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** `90s`, `5m`, `2h`, as Go writes durations. */
function secondsOf(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smh])$/.exec(text) ?? []
  const seconds = Number(amount) * (UNITS[unit] ?? Number.NaN)
  if (Number.isInteger(seconds) && seconds > 0) return seconds
  throw new CommandError('--since needs a time such as 90s, 5m or 2h')
}

/** Runs a program without input in a container, and shows what it writes. Throws CommandError where it fails. */
export async function runProgram(
  place: Pick<ContainerPlace, 'namespace' | 'pod' | 'container' | 'argv'>,
  { cluster, signal, show }: CommandRun,
): Promise<void> {
  const socket = await openProgram(cluster, { ...place, hasInput: false, hasTerminal: false }, signal)
  const outputs: Readonly<Record<number, Lines>> = { [CHANNEL.stdout]: new Lines(), [CHANNEL.stderr]: new Lines() }
  let failure: string | undefined = 'the connection to the container was closed'
  let showing: Promise<void> = Promise.resolve()
  const onAbort = () => socket.terminate()
  signal.addEventListener('abort', onAbort)
  try {
    await new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const bytes = data as Buffer
        const content = bytes.subarray(1)
        if (bytes[0] === CHANNEL.status) {
          const { exitCode = 0, message } = readEnd(content.toString())
          failure = exitCode ? (message ?? `command terminated with exit code ${exitCode}`) : undefined
          return
        }
        const lines = outputs[bytes[0] ?? 0]?.add(content)
        if (!lines?.length) return
        // Nothing more is read until it has been taken.
        socket.pause()
        showing = awaitedLater(showing.then(() => show(lines)))
        showing.then(
          () => socket.resume(),
          () => socket.terminate(),
        )
      })
      socket.once('close', () => resolve())
      socket.resume()
    })
    await showing
    for (const output of Object.values(outputs)) await show(output.end())
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.terminate()
  }
  signal.throwIfAborted()
  if (failure !== undefined) throw new CommandError(failure)
}
