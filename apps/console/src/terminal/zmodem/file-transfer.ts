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
  /** What is to be seen; undefined: it is over. */
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
export function followTransfer({ send, onView, onNotTaken, onWords }: TransferEvents): FileTransfer {
  let receiver: Receiver | undefined
  let sender: Sender | undefined
  let isOver = false
  let question: { file: FileFacts; answer: (sink: Sink | undefined) => void } | undefined
  let openAll: ((file: FileFacts) => Promise<Sink>) | undefined
  let view: TransferView | undefined
  const patience = setTimeout(() => cancel(), MAX_QUESTION_MS)

  function show(next: TransferView | undefined): void {
    view = next
    onView(next)
  }
  function moving(direction: 'download' | 'upload', { name, size }: { name: string; size: number | undefined }): void {
    clearTimeout(patience)
    show({ step: 'moving', direction, name, size, done: 0 })
  }
  function progress(done: number): void {
    if (view?.step === 'moving') show({ ...view, done })
  }
  function over(): void {
    if (isOver) return
    isOver = true
    clearTimeout(patience)
    question?.answer(undefined)
    show(undefined)
  }
  function cancel(): void {
    receiver?.cancel()
    sender?.cancel()
    if (!receiver && !sender && !isOver) send(ABORT_SEQUENCE)
    over()
  }

  async function offered(file: FileFacts): Promise<Sink | undefined> {
    if (openAll) {
      moving('download', file)
      return openAll(file)
    }
    show({ step: 'offered', file })
    const { promise, resolve } = Promise.withResolvers<Sink | undefined>()
    question = { file, answer: resolve }
    const sink = await promise
    question = undefined
    if (sink) moving('download', file)
    return sink
  }

  function begin(first: Uint8Array): void {
    // The gateway hands on the first header whole: ZRINIT asks for files, ZRQINIT offers some.
    if (new TextDecoder('latin1').decode(first).includes('B01')) {
      sender = new Sender({
        send,
        began: (file) => moving('upload', file),
        progress,
        done: (file, taken) => {
          if (!taken) onNotTaken(file.name)
        },
        stray: onWords,
        over,
      })
      show({ step: 'choosing' })
    } else receiver = new Receiver({ send, offered, progress, stray: onWords, over })
  }

  return {
    push(bytes) {
      if (isOver) return
      if (!receiver && !sender) begin(bytes)
      sender?.push(bytes)
      return receiver?.push(bytes)
    },
    ended() {
      // The machine or the gateway has ended it: what is still on its way is not for a shell, and
      // the gateway waits for these words.
      if (!isOver) cancel()
    },
    lost() {
      receiver?.drop()
      sender?.drop()
      over()
    },
    async accept(open, all = false) {
      const asked = question
      if (!asked) return
      const sink = await open(asked.file)
      if (question !== asked) return sink.abort()
      if (all) openAll = open
      asked.answer(sink)
    },
    skip: () => question?.answer(undefined),
    choose(files) {
      if (files.length) sender?.start(files)
    },
    cancel,
  }
}
