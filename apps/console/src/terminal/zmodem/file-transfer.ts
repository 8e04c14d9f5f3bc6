/**
 * A transfer that a machine has begun (`sz` or `rz`), as the page shows it and the person steers
 * it.
 */
import { ABORT_SEQUENCE, type FileFacts } from '@sallyport/contract/zmodem/wire.ts'
import { Receiver, type Sink } from './receive.ts'
import { Sender } from './send.ts'

/**
 * Nobody answers: the machine is not kept waiting for ever, which would keep the session alive too.
 */
const MAX_QUESTION_MS = 10 * 60_000

export type TransferView =
  /** The machine wants to send this. */
  | { step: 'offered'; file: FileFacts }
  /** The machine waits for files. */
  | { step: 'choosing' }
  /** `size` is undefined where the machine does not say. */
  | { step: 'moving'; direction: 'download' | 'upload'; name: string; size: number | undefined; done: number }

export interface TransferEvents {
  send: (bytes: Uint8Array) => void
  /** The visible state; undefined: it is over. */
  onView: (view: TransferView | undefined) => void
  /** The machine already had a file, and did not take it. */
  onNotTaken: (name: string) => void
  /** Words of the program, for the terminal. */
  onWords: (bytes: Uint8Array) => void
}

export interface FileTransfer {
  /** Packets of the machine. Settles when the page has dealt with them. */
  push: (bytes: Uint8Array) => Promise<void> | void
  /** The gateway says that it is over. */
  ended: () => void
  /** The line is gone, and with it the transfer. */
  lost: () => void
  /** Takes the offered file, and with `all` those that follow. `open` makes the place for one. */
  accept: (open: (file: FileFacts) => Promise<Sink>, all?: boolean) => Promise<void>
  skip: () => void
  choose: (files: readonly File[]) => void
  cancel: () => void
}

/** Follows a transfer from its first packet, which says who sends. */
export function followTransfer(events: TransferEvents): FileTransfer {
  return new FollowedTransfer(events)
}

class FollowedTransfer implements FileTransfer {
  readonly #events: TransferEvents
  #receiver: Receiver | undefined
  #sender: Sender | undefined
  #isOver = false
  /** The file that the person is asked about. */
  #question: { file: FileFacts; answer: (sink: Sink | undefined) => void } | undefined
  /** Set once the person takes all files. */
  #openAll: ((file: FileFacts) => Promise<Sink>) | undefined
  #view: TransferView | undefined
  readonly #unanswered: ReturnType<typeof setTimeout>

  constructor(events: TransferEvents) {
    this.#events = events
    this.#unanswered = setTimeout(() => this.cancel(), MAX_QUESTION_MS)
  }

  push(bytes: Uint8Array): Promise<void> | void {
    if (this.#isOver) return
    if (!this.#receiver && !this.#sender) this.#begin(bytes)
    this.#sender?.push(bytes)
    return this.#receiver?.push(bytes)
  }

  ended(): void {
    // The machine or the gateway has ended it: what is still on its way is not for a shell, and the
    // gateway waits for these words.
    if (!this.#isOver) this.cancel()
  }

  lost(): void {
    this.#receiver?.drop()
    this.#sender?.drop()
    this.#finish()
  }

  async accept(open: (file: FileFacts) => Promise<Sink>, all = false): Promise<void> {
    const asked = this.#question
    if (!asked) return
    const sink = await open(asked.file)
    if (this.#question !== asked) return sink.abort()
    if (all) this.#openAll = open
    asked.answer(sink)
  }

  skip(): void {
    this.#question?.answer(undefined)
  }

  choose(files: readonly File[]): void {
    if (files.length) this.#sender?.start(files)
  }

  cancel(): void {
    this.#receiver?.cancel()
    this.#sender?.cancel()
    if (!this.#receiver && !this.#sender && !this.#isOver) this.#events.send(ABORT_SEQUENCE)
    this.#finish()
  }

  #begin(first: Uint8Array): void {
    const common = {
      send: this.#events.send,
      progress: (done: number) => this.#progress(done),
      stray: this.#events.onWords,
      over: () => this.#finish(),
    }
    // The gateway hands on the first header whole: ZRINIT asks for files, ZRQINIT offers some.
    if (!new TextDecoder('latin1').decode(first).includes('B01')) {
      this.#receiver = new Receiver({ ...common, offered: (file) => this.#offered(file) })
      return
    }
    this.#sender = new Sender({
      ...common,
      began: (file) => this.#moving('upload', file),
      done: (file, taken) => {
        if (!taken) this.#events.onNotTaken(file.name)
      },
    })
    this.#show({ step: 'choosing' })
  }

  async #offered(file: FileFacts): Promise<Sink | undefined> {
    if (this.#openAll) {
      this.#moving('download', file)
      return this.#openAll(file)
    }
    this.#show({ step: 'offered', file })
    const { promise, resolve } = Promise.withResolvers<Sink | undefined>()
    this.#question = { file, answer: resolve }
    const sink = await promise
    this.#question = undefined
    if (sink) this.#moving('download', file)
    return sink
  }

  #moving(direction: 'download' | 'upload', { name, size }: { name: string; size: number | undefined }): void {
    clearTimeout(this.#unanswered)
    this.#show({ step: 'moving', direction, name, size, done: 0 })
  }

  #progress(done: number): void {
    if (this.#view?.step === 'moving') this.#show({ ...this.#view, done })
  }

  #show(next: TransferView | undefined): void {
    this.#view = next
    this.#events.onView(next)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#unanswered)
    this.#question?.answer(undefined)
    this.#show(undefined)
  }
}
