import { PacketParser } from '@sallyport/contract/zmodem/parser.ts'
import { TypeAhead } from '../type-ahead.ts'
import { FileProgress, type MovedFile } from './file-progress.ts'
import type { Direction } from './start-detector.ts'
import { lastWords, type TrailingBytes } from './trailing-bytes.ts'

/** Damaged packets that one transfer may have. */
const MAX_DAMAGE = 50
/** `rz` and return, by which `sz` starts a receiver that is not running. */
const GREETING: ReadonlySet<number> = new Set([0x72, 0x7a, 0x0d])

/** How a transfer ended, by its packets. */
export type Ending = 'ended' | 'cancelled' | 'violated' | 'typed'

export interface TransferEvents {
  /** A file is through, or was given up. */
  moved(file: MovedFile): void
  /** No further file comes. */
  over(): void
  /** Output of the machine between packets. */
  words(bytes: Buffer): void
}

/** One transfer, and what its packets tell of it. */
export class RunningTransfer {
  readonly direction: Direction
  readonly machine: PacketParser
  readonly person: PacketParser
  readonly progress: FileProgress
  /** Input for the shell, once the machine has given up. */
  readonly typedAhead = new TypeAhead()
  /** Whether packets came since the last check; text that came since the last packet. */
  isAlive = true
  words = ''
  /** Checks since the machine sent anything. */
  silence = 0
  /** Checks since the machine was asked to stop. */
  draining?: number
  /** Both sides are done, except for these bytes of the machine. */
  leaving?: TrailingBytes
  /** The terminal is the person's again, and packets end nothing any more. */
  isFinished = false
  /**
   * The person's program is late: what was typed meanwhile, and whether the program has given up.
   */
  late?: { typed: Buffer[]; isDone: boolean }
  readonly #over: () => void
  #ending: Ending | undefined
  #damage = 0

  constructor(direction: Direction, { moved, over, words }: TransferEvents) {
    this.direction = direction
    this.#over = over
    this.progress = new FileProgress({ moved, ended: () => this.#end('ended'), violated: () => this.#end('violated') })
    this.machine = this.#parser(
      direction === 'download',
      () => this.#end('cancelled'),
      (bytes) => {
        this.words = (this.words + bytes.toString('latin1')).slice(-64)
        words(bytes)
      },
    )
    this.person = this.#parser(
      direction === 'upload',
      () => {
        if (!this.late) return this.#end('cancelled')
        this.late.isDone = true
        this.person.stop()
      },
      (bytes) => {
        if (this.late) this.late.typed.push(bytes)
        // A program sends nothing but packets and a greeting. Anything else was typed by somebody
        // who wants the terminal back.
        else if (!bytes.every((byte) => GREETING.has(byte))) this.#end('typed')
      },
    )
  }

  /**
   * How the latest packets ended the transfer; answered once. It takes effect when the piece that
   * contained them has been passed on.
   */
  takeEnding(): Ending | undefined {
    const ending = this.#ending
    this.#ending = undefined
    return ending
  }

  /** Nothing that comes belongs to it any more. */
  finish(): void {
    this.isFinished = true
    this.#over()
  }

  #parser(isSender: boolean, cancelled: () => void, stray: (bytes: Buffer) => void): PacketParser {
    return new PacketParser({
      header: (header) => {
        this.isAlive = true
        this.words = ''
        if (isSender) this.progress.fromSender(header)
        else this.progress.fromReceiver(header)
      },
      data: (bytes) => {
        this.isAlive = true
        if (isSender) this.progress.data(bytes)
      },
      damaged: () => {
        if (++this.#damage > MAX_DAMAGE) this.#end('violated')
      },
      cancelled,
      stray: (bytes) => stray(Buffer.from(bytes)),
      torn: (bytes) => {
        // `sz` leaves in the middle of a packet: its end may be the shell's prompt.
        const words = this.draining === undefined ? undefined : lastWords(bytes)
        if (words?.length) stray(words)
      },
    })
  }

  #end(how: Ending): void {
    if (this.isFinished) return
    this.#ending ??= how
    this.machine.stop()
    this.person.stop()
  }
}
