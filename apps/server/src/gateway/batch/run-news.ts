import { type OutputPiece, publishRunNews } from '../../domains/ops/command-executions/index.ts'
import { awaitedLater } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Interval of messages to watchers, in milliseconds. */
const REPORT_MS = 200

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
  readonly #unsent = new Map<string, Partial<Record<Stream, string>>>()
  #changed = false
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> = Promise.resolve()

  constructor(kernel: Kernel, execution: string) {
    this.#kernel = kernel
    this.#execution = execution
  }

  /** A machine wrote something. */
  wrote(asset: string, stream: Stream, text: string): void {
    const unsent = this.#unsent.get(asset) ?? {}
    this.#unsent.set(asset, { ...unsent, [stream]: (unsent[stream] ?? '') + text })
    this.#reportSoon()
  }

  /** The machine's state so far has been stored. */
  stored(): void {
    this.#changed = true
    this.#reportSoon()
  }

  /** A machine's outcome has been stored, and with it all that it wrote. */
  over(asset: string): void {
    this.#unsent.delete(asset)
    this.stored()
  }

  /** Settles once all is reported; nothing may happen afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#reporting
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#reporting = awaitedLater(this.#reporting.then(() => this.#report()))
    }, REPORT_MS)
  }

  /** Never rejected: nobody's command fails because it could not be looked at. */
  async #report(): Promise<void> {
    const pieces = [...this.#unsent].flatMap(([asset, texts]) =>
      Object.entries(texts).map(([stream, data]) => ({ asset, stream: stream as Stream, data })),
    )
    const changed = this.#changed
    this.#unsent.clear()
    this.#changed = false
    await publishRunNews(this.#kernel, this.#execution, { pieces, changed }).catch((error) =>
      this.#kernel.app.log.warn({ err: error, execution: this.#execution }, 'news of a batch command'),
    )
  }
}
