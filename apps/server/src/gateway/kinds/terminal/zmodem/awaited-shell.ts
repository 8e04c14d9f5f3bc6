import { TypeAhead } from '../type-ahead.ts'

/** A shell that says nothing for so long is not waited for: what runs may have no prompt. */
const PATIENCE_MS = 2000
const NOTHING = Buffer.alloc(0)

/**
 * The shell after a transfer: programs that move files throw away what waits in the terminal as they
 * leave, so what is typed is kept until something has been said behind them.
 */
export class AwaitedShell {
  readonly #typed: (bytes: Buffer) => void
  #kept: TypeAhead | undefined
  #timer: NodeJS.Timeout | undefined

  /** `typed` takes what was kept. */
  constructor(typed: (bytes: Buffer) => void) {
    this.#typed = typed
  }

  get isAwaited(): boolean {
    return this.#kept !== undefined
  }

  /** `typed` already, for the shell. */
  begin(typed: Buffer): void {
    this.stop()
    this.#kept = new TypeAhead()
    this.#kept.add(typed)
    this.#timer = setTimeout(() => this.isBack(), PATIENCE_MS).unref()
  }

  /** Answers what goes to the shell now. */
  take(bytes: Buffer): Buffer {
    if (!this.#kept) return bytes
    return this.#kept.add(bytes) ? NOTHING : Buffer.concat([this.stop(), bytes])
  }

  isBack(): void {
    const typed = this.stop()
    if (typed.length) this.#typed(typed)
  }

  /** Waits no longer; answers what was typed meanwhile. */
  stop(): Buffer {
    clearTimeout(this.#timer)
    const typed = this.#kept?.take()
    this.#kept = undefined
    return typed ?? NOTHING
  }
}
