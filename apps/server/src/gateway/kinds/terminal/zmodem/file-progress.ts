import { FRAME, type FrameHeader, readFileFacts } from '@sallyport/contract/zmodem/wire.ts'

/** A file that somebody tried to transfer. */
export interface MovedFile {
  name: string
  /** Bytes that have passed. */
  size: number
  isWhole: boolean
}

export interface ProgressEvents {
  /** A file was transferred, or given up. */
  moved(file: MovedFile): void
  /** Both sides have ended the session (ZFIN). */
  ended(): void
  /** A side sent what is not its to send. */
  violated(): void
}

const SENDERS_ONLY: ReadonlySet<number> = new Set([FRAME.ZFILE, FRAME.ZDATA, FRAME.ZEOF, FRAME.ZSINIT, FRAME.ZCOMMAND])
const MAX_NAME = 255

/** Follows a transfer by the packets of both sides: which files, and how each ended. */
export class FileProgress {
  readonly #events: ProgressEvents
  #file: (MovedFile & { atEnd: boolean; isData: boolean }) | undefined
  #isFileNext = false
  #senderDone = false

  constructor(events: ProgressEvents) {
    this.#events = events
  }

  fromSender({ kind, position }: FrameHeader): void {
    this.#isFileNext = kind === FRAME.ZFILE
    if (kind === FRAME.ZCOMMAND) this.#events.violated()
    else if (kind === FRAME.ZFIN) this.#senderDone = true
    else if (kind === FRAME.ZDATA && this.#file) this.#file.isData = true
    else if (kind === FRAME.ZEOF && this.#file) Object.assign(this.#file, { atEnd: true, size: position })
  }

  /** A subpacket of the sender. */
  data(bytes: Uint8Array): void {
    if (this.#isFileNext) {
      // A sender that is asked twice about the same file names it twice.
      if (this.#file?.isData) this.#over(false)
      const name = printable(readFileFacts(bytes).name)
      this.#file = { name, size: 0, isWhole: false, atEnd: false, isData: false }
      this.#isFileNext = false
    } else if (this.#file) this.#file.size += bytes.length
  }

  fromReceiver({ kind, position }: FrameHeader): void {
    const file = this.#file
    if (SENDERS_ONLY.has(kind)) this.#events.violated()
    else if (kind === FRAME.ZFIN && this.#senderDone) this.#events.ended()
    else if (kind === FRAME.ZRPOS && file) Object.assign(file, { atEnd: false, size: position })
    else if (kind === FRAME.ZRINIT && file?.atEnd) this.#over(true)
    else if (kind === FRAME.ZSKIP && file) this.#over(false)
  }

  /** Nothing more will come: the file under way is incomplete. */
  broken(): void {
    if (this.#file) this.#over(false)
  }

  #over(isWhole: boolean): void {
    const { name, size } = this.#file as MovedFile
    this.#file = undefined
    this.#events.moved({ name, size, isWhole })
  }
}

/** The name as it can be shown on a terminal and stored. */
function printable(name: string): string {
  return name.toWellFormed().replace(/\p{C}/gu, '?').slice(0, MAX_NAME)
}
