import { type OutputPiece, tellRunNews } from '../../domains/ops/command-executions/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Interval of messages to watchers, in milliseconds. */
const TELL_MS = 200

type Stream = OutputPiece['stream']

/**
 * Reports the events of a run to watchers, in batches: a thousand machines must not mean a thousand
 * writes a second. The output of a short command is never written twice: its outcome is there
 * first.
 */
export class RunNews {
  readonly #kernel: Kernel
  readonly #execution: string
  /** Output that was not sent yet, by machine. */
  readonly #untold = new Map<string, Partial<Record<Stream, string>>>()
  #changed = false
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> = Promise.resolve()

  constructor(kernel: Kernel, execution: string) {
    this.#kernel = kernel
    this.#execution = execution
  }

  /** A machine wrote something. */
  wrote(asset: string, stream: Stream, text: string): void {
    const untold = this.#untold.get(asset) ?? {}
    this.#untold.set(asset, { ...untold, [stream]: (untold[stream] ?? '') + text })
    this.#tellSoon()
  }

  /** What became of a machine so far has been stored. */
  stored(): void {
    this.#changed = true
    this.#tellSoon()
  }

  /** A machine's outcome has been stored, and with it all that it wrote. */
  over(asset: string): void {
    this.#untold.delete(asset)
    this.stored()
  }

  /** Settles once nothing is being told any more; nothing may happen afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#telling
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#telling = awaitedLater(this.#telling.then(() => this.#tell()))
    }, TELL_MS)
  }

  /** Never rejected: nobody's command fails because it could not be looked at. */
  async #tell(): Promise<void> {
    const pieces = [...this.#untold].flatMap(([asset, texts]) =>
      Object.entries(texts).map(([stream, data]) => ({ asset, stream: stream as Stream, data })),
    )
    const changed = this.#changed
    this.#untold.clear()
    this.#changed = false
    await tellRunNews(this.#kernel, this.#execution, { pieces, changed }).catch((error) =>
      this.#kernel.app.log.warn({ err: error, execution: this.#execution }, 'news of a batch command'),
    )
  }
}
