import { PacketParser } from '@sallyport/contract/zmodem/parser.ts'
import { TypeAhead } from '../type-ahead.ts'
import { FileProgress, type MovedFile } from './file-progress.ts'
import type { Direction } from './start-detector.ts'
import type { TrailingBytes } from './trailing-bytes.ts'

/** Damaged packets that one transfer may hold. */
const MAX_DAMAGE = 50
/** `rz` and return: with it `sz` starts a receiver that is not there yet. */
const GREETING: ReadonlySet<number> = new Set([0x72, 0x7a, 0x0d])

/** How packets end a transfer. */
export type Ending = 'ended' | 'cancelled' | 'violated' | 'typed'

export interface TransferEvents {
  /** A file is through, or was given up. */
  moved(file: MovedFile): void
  /** The machine said something between packets. */
  words(bytes: Buffer): void
}

/** One transfer, and what its packets tell of it. */
export class RunningTransfer {
  readonly direction: Direction
  readonly machine: PacketParser
  readonly person: PacketParser
  readonly progress: FileProgress
  /** For the shell, once the machine has given up. */
  readonly typedAhead = new TypeAhead()
  /** Packets came by since the last look; words came since the last packet. */
  isAlive = true
  words = ''
  /** Looks since the machine has sent anything. */
  silence = 0
  /** Told to stop: the looks so far. */
  draining?: number
  /** Both sides are done, but for these bytes of the machine. */
  leaving?: TrailingBytes
  /** The terminal is the person's again: packets end nothing any more. */
  isFinished = false
  /**
   * What the person's program sends is late: what of it was typed, and whether the program has
   * given up.
   */
  late?: { typed: Buffer[]; isDone: boolean }
  #ending: Ending | undefined
  #damage = 0

  constructor(direction: Direction, { moved, words }: TransferEvents) {
    this.direction = direction
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
        // A program sends packets only, but for a greeting. What else comes was typed by somebody
        // who wants the terminal back.
        else if (!bytes.every((byte) => GREETING.has(byte))) this.#end('typed')
      },
    )
  }

  /**
   * How the packets that came last have ended the transfer; said once. It is acted on when the
   * piece that held them has been passed on.
   */
  takeEnding(): Ending | undefined {
    const ending = this.#ending
    this.#ending = undefined
    return ending
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
    })
  }

  #end(how: Ending): void {
    if (this.isFinished) return
    this.#ending ??= how
    this.machine.stop()
    this.person.stop()
  }
}
