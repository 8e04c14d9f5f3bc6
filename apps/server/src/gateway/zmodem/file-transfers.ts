import { PacketParser } from '@sallyport/contract/zmodem/parser.ts'
import { ABORT_SEQUENCE } from '@sallyport/contract/zmodem/wire.ts'
import { TypeAhead } from '../type-ahead.ts'
import { FileProgress, type MovedFile } from './file-progress.ts'
import { type Direction, type Start, StartDetector } from './start-detector.ts'

/** Rights are asked for again, and a machine that has left is noticed, this often: a withdrawn right stops a transfer within 5 seconds. */
const LOOK_MS = 2000
/** A machine that was told to stop is looked at this often, is told again at every eighth look, and has so many to do so. */
const DRAIN_LOOK_MS = 250
const REMINDER_LOOKS = 8
const MAX_DRAIN_LOOKS = 48
/** Silent for so many looks it has; for fewer when it seems to have said something after its last packet. */
const SILENT_LOOKS = 4
const SILENT_LOOKS_WITH_WORDS = 2
/** What a client still sends of a transfer that the machine has ended comes within this. */
const SETTLE_MS = 3000
/** Damaged packets that one transfer may hold. */
const MAX_DAMAGE = 50

/** What the permission and the log have to do with a transfer. */
export interface TransferRules {
  /** Whether the person may move files in this direction now. */
  may(direction: Direction): Promise<boolean>
  /** Writes a file, or a refusal, into the FTP log. */
  log(direction: Direction, file: Pick<MovedFile, 'name' | 'isWhole'>): void
}

/** The session around. */
export interface TransferHost {
  /** Ordinary output of the machine. */
  terminal(bytes: Buffer): void
  /** Packets for the person's program. */
  toPerson(bytes: Buffer): void
  /** Words between packets: the person's program has them, the recording and watchers have not. */
  aside(bytes: Buffer): void
  toMachine(bytes: Uint8Array): void
  /** Was typed while the machine was giving up a transfer, and is for its shell. */
  typed(bytes: Buffer): void
  /** The machine waits for an answer of the permissions. */
  hold(held: boolean): void
  /** For the person's program: the bytes that follow are packets, or are output again. */
  state(running: boolean): void
  /** The machine's bytes are to be left as they are, or are text again. */
  raw(isRaw: boolean): void
  /** A line for the recording, the watchers, and for the person when the terminal is theirs again. English text is the key. */
  note(text: string, values?: Record<string, unknown>): void
}

const REFUSED: Record<Direction, string> = {
  download: 'You have no permission to download from this asset',
  upload: 'You have no permission to change files on this asset',
}
/** What stands in for the name in the log where a transfer was refused before it was said. */
const UNNAMED: Record<Direction, string> = { download: 'sz', upload: 'rz' }
const CANCEL = 0x18
const CANCEL_BYTES: ReadonlySet<number> = new Set([CANCEL, 0x08])
const LINE_END: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x8a, 0x11])
const LETTER_O: ReadonlySet<number> = new Set([0x4f])
const GOODBYE = Buffer.from('OO')
/** `rz` and return: with it `sz` starts a receiver that is not there yet. */
const GREETING: ReadonlySet<number> = new Set([0x72, 0x7a, 0x0d])
const NOTHING = Buffer.alloc(0)

/** Bytes that may still come first. */
interface Rest {
  set: ReadonlySet<number>
  left: number
}

interface Running {
  direction: Direction
  machine: PacketParser
  person: PacketParser
  progress: FileProgress
  /** Packets come by since the last look; words came since the last packet. */
  isAlive: boolean
  words: string
  damage: number
  /** Looks since the machine has sent anything. */
  silence: number
  /** For the shell, once the machine has given up. */
  typedAhead: TypeAhead
  /** Told to stop: the looks so far. */
  draining?: number
  /** Both sides are done, but for these bytes of the machine. */
  leaving?: Rest
  /** Set by a packet; acted on when the piece that held it has been passed on. */
  over?: 'ended' | 'cancelled' | 'violated' | 'typed'
}

/**
 * ZMODEM in a session (contract/gateway.yaml zmodem): `sz` or `rz` on the machine, the other side in the person's browser or terminal program. The gateway
 * only follows: it finds the beginning, asks for the right, keeps packets out of recording and command parsing, writes each file down, and ends what
 * must not go on. Whatever is in no packet is recorded, so that nobody can work behind a transfer.
 */
export class FileTransfers {
  readonly #rules: TransferRules
  readonly #host: TransferHost
  readonly #detector = new StartDetector()
  #running: Running | undefined
  /** The permissions have been asked; what came meanwhile. */
  #asked: { start: Start; since: Buffer[] } | undefined
  #look: NodeJS.Timeout | undefined
  /** What belongs to a transfer that has ended, and is not shown. */
  #strip: Rest | undefined
  /** The person's program may still send packets of a transfer that is over. */
  #settling: { parser: PacketParser; timer: NodeJS.Timeout; typed: Buffer[]; isDone: boolean } | undefined
  /** The goodbye of an uploading program, which is not typed. */
  #goodbye = false
  #closed = false

  constructor(rules: TransferRules, host: TransferHost) {
    this.#rules = rules
    this.#host = host
  }

  /** What is typed is not for a shell. */
  get isActive(): boolean {
    return this.#running !== undefined || this.#asked !== undefined
  }

  output(piece: Buffer): void {
    if (this.#asked) {
      this.#asked.since.push(piece)
      return
    }
    if (this.#running) {
      this.#packets(this.#running, piece)
      return
    }
    const bytes = this.#strip ? piece.subarray(this.#taken(this.#strip, piece)) : piece
    if (!bytes.length) return
    this.#strip = undefined
    const { before, start } = this.#detector.push(bytes)
    if (before.length) this.#host.terminal(before)
    if (start) void this.#ask(start)
  }

  /** What the person's side sends. Answers what of it is typed. */
  input(bytes: Buffer): Buffer {
    const running = this.#running
    if (this.#goodbye) {
      this.#goodbye = false
      const length = this.#taken({ set: LETTER_O, left: 2 }, bytes)
      if (length === 2) {
        this.#host.toMachine(bytes.subarray(0, 2))
        return this.input(bytes.subarray(2))
      }
    }
    if (running && running.draining === undefined && !running.leaving) {
      this.#answer(running, bytes)
      return NOTHING
    }
    const typed = this.#settling ? this.#settled(bytes) : bytes
    if (!this.isActive) return typed
    running?.typedAhead.add(typed)
    return NOTHING
  }

  /** Ends what runs. The person's line is another, or gone, when `isLost`. English text is the key of what is said. */
  abort(text: string, { isLost = false } = {}): void {
    if (this.#asked) this.#asked.since.length = 0
    const running = this.#running
    if (isLost) this.#noSettling()
    if (!running || running.draining !== undefined || running.leaving) return
    this.#host.toMachine(ABORT_SEQUENCE)
    this.#drain(running, !isLost)
    this.#host.note(text)
  }

  /** The session is over. */
  close(): void {
    const held = this.#detector.take()
    if (held.length) this.#host.terminal(held)
    this.#closed = true
    this.#running?.progress.broken()
    this.#running = undefined
    clearInterval(this.#look)
    this.#noSettling()
  }

  async #ask(start: Start): Promise<void> {
    const asked = { start, since: [] as Buffer[] }
    this.#asked = asked
    this.#host.hold(true)
    const allowed = await this.#rules.may(start.direction).catch(() => false)
    this.#asked = undefined
    if (this.#closed) return
    this.#noSettling()
    this.#goodbye = false
    if (allowed) this.#begin(start)
    else this.#refuse(start)
    for (const piece of asked.since) this.output(piece)
    this.#host.hold(false)
  }

  #begin({ direction, header }: Start): void {
    this.#host.note(
      direction === 'download'
        ? 'The machine sends a file, the terminal waits until it is through'
        : 'The machine waits for a file, the terminal waits until it is through',
    )
    this.#host.raw(true)
    this.#host.state(true)
    this.#running = this.#follow(direction)
    this.#lookEvery(LOOK_MS)
    this.#packets(this.#running, header)
  }

  #refuse({ direction }: Start): void {
    this.#host.toMachine(ABORT_SEQUENCE)
    this.#rules.log(direction, { name: UNNAMED[direction], isWhole: false })
    this.#running = this.#follow(direction)
    this.#running.draining = 0
    this.#lookEvery(DRAIN_LOOK_MS)
    this.#host.note(REFUSED[direction])
  }

  #follow(direction: Direction): Running {
    const progress = new FileProgress({
      moved: (file) => this.#moved(direction, file),
      ended: () => this.#over(running, 'ended'),
      violated: () => this.#over(running, 'violated'),
    })
    const parser = (isSender: boolean, cancelled: () => void, stray: (bytes: Uint8Array) => void) =>
      new PacketParser({
        header(header) {
          running.isAlive = true
          running.words = ''
          if (isSender) progress.fromSender(header)
          else progress.fromReceiver(header)
        },
        data(bytes) {
          running.isAlive = true
          if (isSender) progress.data(bytes)
        },
        damaged: () => {
          if (++running.damage > MAX_DAMAGE) this.#over(running, 'violated')
        },
        cancelled,
        stray,
      })
    const running: Running = {
      direction,
      progress,
      isAlive: true,
      words: '',
      damage: 0,
      silence: 0,
      typedAhead: new TypeAhead(),
      machine: parser(
        direction === 'download',
        () => this.#over(running, 'cancelled'),
        (bytes) => {
          running.words = (running.words + Buffer.from(bytes).toString('latin1')).slice(-64)
          if (running.draining === undefined) this.#host.aside(Buffer.from(bytes))
          else this.#host.terminal(Buffer.from(bytes))
        },
      ),
      person: parser(
        direction === 'upload',
        () => {
          if (this.#settling?.parser !== running.person) {
            this.#over(running, 'cancelled')
            return
          }
          this.#settling.isDone = true
          running.person.stop()
        },
        (bytes) => {
          if (this.#settling?.parser === running.person) this.#settling.typed.push(Buffer.from(bytes))
          // A program sends packets only, but for a greeting. What else comes was typed by somebody who wants the terminal back.
          else if (!bytes.every((byte) => GREETING.has(byte))) this.#over(running, 'typed')
        },
      ),
    }
    return running
  }

  #over(running: Running, how: NonNullable<Running['over']>): void {
    if (this.#running !== running) return
    running.over ??= how
    running.machine.stop()
    running.person.stop()
  }

  /** From the machine. */
  #packets(running: Running, piece: Buffer): void {
    if (running.leaving) {
      this.#lastBytes(running, running.leaving, piece)
      return
    }
    running.silence = 0
    const length = running.machine.push(piece)
    if (running.draining === undefined) this.#host.toPerson(piece.subarray(0, length))
    const { over } = running
    if (!over) return
    delete running.over
    if (over === 'ended') {
      this.#goodbye = true
      running.leaving = { set: LINE_END, left: 2 }
    } else if (over === 'violated') this.abort('The file transfer was broken off')
    else {
      running.progress.broken()
      this.#strip = { set: CANCEL_BYTES, left: 64 }
      this.#finish(running, running.draining === undefined)
    }
    if (length < piece.length) this.output(piece.subarray(length))
  }

  #lastBytes(running: Running, rest: Rest, piece: Buffer): void {
    const length = this.#taken(rest, piece)
    this.#host.toPerson(piece.subarray(0, length))
    if (rest.left > 0 && length === piece.length) return
    this.#finish(running, false)
    if (length < piece.length) this.output(piece.subarray(length))
  }

  /** From the person's program. */
  #answer(running: Running, bytes: Buffer): void {
    const length = running.person.push(bytes)
    const { over } = running
    delete running.over
    if (over === 'typed' || over === 'violated') {
      this.abort('The file transfer was broken off')
      return
    }
    if (over === 'ended') {
      const end = length + this.#taken({ set: LINE_END, left: 2 }, bytes.subarray(length))
      this.#host.toMachine(bytes.subarray(0, end))
      running.leaving = { set: LETTER_O, left: GOODBYE.length }
      // Programs say goodbye more than once.
      this.#settle(running.person)
      running.typedAhead.add(this.#settled(bytes.subarray(end)))
      return
    }
    this.#host.toMachine(bytes)
    if (over === 'cancelled') this.#drain(running, false)
  }

  /** The terminal is the person's again. */
  #finish(running: Running, mayStillSend: boolean): void {
    const wasTold = running.draining === undefined
    // `sz` may leave before the terminal has passed its goodbye on. A program that misses it takes what comes next for damage, and says its own for seconds.
    if (running.leaving?.set === LETTER_O) this.#host.toPerson(GOODBYE.subarray(GOODBYE.length - running.leaving.left))
    this.#running = undefined
    clearInterval(this.#look)
    this.#host.raw(false)
    if (wasTold) this.#host.state(false)
    if (mayStillSend) this.#settle(running.person)
    const typed = running.typedAhead.take()
    if (typed.length) this.#host.typed(typed)
  }

  /** The machine was told to stop; what it still sends of packets is for nobody. */
  #drain(running: Running, mayStillSend: boolean): void {
    running.progress.broken()
    running.draining = 0
    running.isAlive = true
    this.#lookEvery(DRAIN_LOOK_MS)
    this.#host.state(false)
    if (mayStillSend) this.#settle(running.person)
  }

  #lookEvery(milliseconds: number): void {
    clearInterval(this.#look)
    this.#look = setInterval(() => void this.#lookAfter(), milliseconds)
  }

  async #lookAfter(): Promise<void> {
    const running = this.#running
    if (!running) return
    const { isAlive, words, draining, leaving } = running
    running.isAlive = false
    if (leaving) {
      if (!isAlive) this.#finish(running, false)
    } else if (draining !== undefined) {
      running.draining = draining + 1
      // `sz` leaves in the middle of a packet: what the shell says next looks like the rest of it.
      const rest = lastWords(running.machine.unfinished)
      const isSilent = running.silence++ >= (rest.length ? SILENT_LOOKS_WITH_WORDS : SILENT_LOOKS)
      if ((words && !isAlive) || isSilent || draining >= MAX_DRAIN_LOOKS) {
        this.#finish(running, false)
        if (rest.length) this.#host.terminal(rest)
      } else if (running.draining % REMINDER_LOOKS === 0) this.#host.toMachine(ABORT_SEQUENCE)
    } else if (words && !isAlive) {
      // The program is gone without a word and the shell is back; or it tries the older protocol, in which it asks with a letter.
      if (/^C+$/.test(words)) this.abort('The file transfer was broken off')
      else {
        running.progress.broken()
        this.#finish(running, true)
      }
    } else if (!(await this.#rules.may(running.direction).catch(() => true)) && this.#running === running)
      this.abort('Your permission for this asset has ended')
  }

  #settle(parser: PacketParser): void {
    this.#noSettling()
    this.#settling = { parser, typed: [], isDone: false, timer: setTimeout(() => this.#noSettling(), SETTLE_MS).unref() }
  }

  #noSettling(): void {
    clearTimeout(this.#settling?.timer)
    this.#settling = undefined
  }

  /** Packets of a transfer that is over are dropped, until the program says that it has given up too. Answers what was typed. */
  #settled(bytes: Buffer): Buffer {
    const settling = this.#settling
    if (!settling) return bytes
    if (settling.parser.isBetween && !bytes.includes(CANCEL)) return bytes
    const length = settling.parser.push(bytes)
    const typed = settling.typed.splice(0)
    if (settling.isDone) {
      this.#noSettling()
      const rest = bytes.subarray(length)
      typed.push(rest.subarray(this.#taken({ set: CANCEL_BYTES, left: rest.length }, rest)))
    }
    return Buffer.concat(typed)
  }

  /** How many bytes at the beginning belong to the rest; they are counted. */
  #taken(rest: Rest, bytes: Buffer): number {
    let length = 0
    while (length < bytes.length && rest.left > 0 && rest.set.has(bytes[length] as number)) {
      length++
      rest.left--
    }
    return length
  }

  #moved(direction: Direction, file: MovedFile): void {
    this.#rules.log(direction, file)
    const { name, size, isWhole } = file
    if (!isWhole) this.#host.note('{{name}} was not transferred', { name })
    else if (direction === 'download') this.#host.note('{{name}} was downloaded, {{size}} bytes', { name, size })
    else this.#host.note('{{name}} was uploaded, {{size}} bytes', { name, size })
  }
}

/** The text at the end of what was taken for data. */
function lastWords(bytes: Uint8Array): Buffer {
  let from = bytes.length
  while (from > 0 && isText(bytes[from - 1] as number)) from--
  return Buffer.from(bytes.subarray(from))
}

function isText(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b
}
