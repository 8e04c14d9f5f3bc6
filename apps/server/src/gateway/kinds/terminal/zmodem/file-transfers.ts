import { ABORT_SEQUENCE } from '@sallyport/contract/zmodem/wire.ts'
import { inBackground } from '../../../../kernel/background.ts'
import { AwaitedShell } from './awaited-shell.ts'
import { LatePackets } from './late-packets.ts'
import { RunningTransfer } from './running-transfer.ts'
import { type Direction, type Start, StartDetector } from './start-detector.ts'
import {
  cancelling,
  lastWords,
  lineEnd,
  missingOverAndOut,
  OVER_AND_OUT,
  overAndOut,
  type TrailingBytes,
  takeTrailing,
} from './trailing-bytes.ts'
import type { TransferHost, TransferLog, TransferRules } from './transfer-host.ts'
import { BEGUN, movedWords, NOT_LOGGED, REFUSED } from './transfer-words.ts'

/**
 * How often rights are checked again, and it is noticed that a machine has left: withdrawing a
 * right stops a transfer within 5 seconds.
 */
const LOOK_MS = 2000
/**
 * Interval of the checks of a machine that was asked to stop; the number of checks until it is
 * asked again; the number of requests to it.
 */
const DRAIN_LOOK_MS = 250
const REMINDER_LOOKS = 8
const MAX_DRAIN_LOOKS = 48
/**
 * Checks without output after which it has stopped; fewer if it seems to have said something after
 * its last packet.
 */
const SILENT_LOOKS = 4
const SILENT_LOOKS_WITH_WORDS = 2

const NOTHING = Buffer.alloc(0)

/**
 * ZMODEM in a session (docs/rules/gateway.md#zmodem): `sz` or `rz` on the machine, and the other
 * side in the person's browser or terminal program. The gateway follows along: it detects the
 * start, checks the right, keeps packets out of recording and command parsing, logs each file, and
 * ends what must not go on. Anything that is not in a packet is recorded, so that nobody can work
 * behind a transfer.
 */
export class FileTransfers {
  readonly #rules: TransferRules
  readonly #host: TransferHost
  readonly #detector = new StartDetector()
  #running: RunningTransfer | undefined
  /** Set while the permissions are asked for, with what came meanwhile. */
  #asked: { start: Start; since: Buffer[] } | undefined
  #look: NodeJS.Timeout | undefined
  /** Bytes that belong to a transfer that has ended, and are not shown. */
  #strip: TrailingBytes | undefined
  readonly #late = new LatePackets()
  readonly #shell: AwaitedShell
  /** The `OO` that ends an upload, which is not to be typed. */
  #overAndOut = false
  #closed = false

  constructor(rules: TransferRules, host: TransferHost) {
    this.#rules = rules
    this.#host = host
    this.#shell = new AwaitedShell((typed) => host.typed(typed))
  }

  /** Whether no shell takes input now. */
  get isActive(): boolean {
    return this.#running !== undefined || this.#asked !== undefined || this.#shell.isAwaited
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
    const bytes = this.#strip ? piece.subarray(takeTrailing(this.#strip, piece)) : piece
    if (!bytes.length) return
    this.#strip = undefined
    const { before, start } = this.#detector.push(bytes)
    if (before.length) this.#host.terminal(before)
    if (before.length && !start) this.#shell.isBack()
    if (start) inBackground(this.#ask(start))
  }

  /** Takes what the person's side sends. Answers the part that is typed. */
  input(bytes: Buffer): Buffer {
    const running = this.#running
    if (this.#overAndOut) {
      this.#overAndOut = false
      const length = takeTrailing(overAndOut(), bytes)
      if (length === OVER_AND_OUT.length) {
        this.#host.toMachine(bytes.subarray(0, length))
        return this.input(bytes.subarray(length))
      }
    }
    if (running && running.draining === undefined && !running.leaving) {
      this.#answer(running, bytes)
      return NOTHING
    }
    const typed = this.#late.drop(bytes)
    if (!running && !this.#asked) return this.#shell.take(typed)
    running?.typedAhead.add(typed)
    return NOTHING
  }

  /**
   * Ends a running transfer. `isLost`: the person's connection is gone, or another one. The English
   * text is the key of the message.
   */
  abort(text: string, { isLost = false } = {}): void {
    if (this.#asked) this.#asked.since.length = 0
    const running = this.#running
    if (isLost) this.#late.end()
    if (!running || running.draining !== undefined || running.leaving) return
    this.#host.toMachine(ABORT_SEQUENCE)
    this.#drain(running, !isLost)
    this.#host.note(text)
  }

  /** The session has ended. */
  close(): void {
    const held = this.#detector.take()
    if (held.length) this.#host.terminal(held)
    this.#closed = true
    this.#running?.progress.broken()
    this.#running?.finish()
    this.#running = undefined
    clearInterval(this.#look)
    this.#late.end()
    this.#shell.stop()
  }

  async #ask(start: Start): Promise<void> {
    const asked = { start, since: [] as Buffer[] }
    this.#asked = asked
    const typed = this.#shell.stop()
    this.#host.hold(true)
    const log = await this.#logIfAllowed(start.direction)
    this.#asked = undefined
    if (this.#closed) {
      if (typeof log !== 'string') log.over()
      return
    }
    this.#late.end()
    this.#overAndOut = false
    if (typeof log === 'string') this.#refuse(start, log)
    else this.#begin(start, log)
    this.#running?.typedAhead.add(typed)
    for (const piece of asked.since) this.output(piece)
    this.#host.hold(false)
  }

  /** The transfer in the log, or why there must be none. */
  async #logIfAllowed(direction: Direction): Promise<TransferLog | string> {
    if (!(await this.#rules.may(direction).catch(() => false))) return REFUSED[direction]
    return this.#rules.begin(direction).catch(() => NOT_LOGGED)
  }

  #begin({ direction, header }: Start, log: TransferLog): void {
    this.#host.note(BEGUN[direction])
    this.#host.raw(true)
    this.#host.state(true)
    this.#running = this.#follow(direction, log)
    this.#lookEvery(LOOK_MS)
    this.#packets(this.#running, header)
  }

  #refuse({ direction }: Start, why: string): void {
    this.#host.toMachine(ABORT_SEQUENCE)
    this.#rules.refused(direction)
    this.#running = this.#follow(direction)
    this.#running.draining = 0
    this.#lookEvery(DRAIN_LOOK_MS)
    this.#host.note(why)
  }

  #follow(direction: Direction, log?: TransferLog): RunningTransfer {
    const running = new RunningTransfer(direction, {
      moved: (file) => {
        log?.file(file)
        this.#host.note(...movedWords(direction, file))
      },
      over: () => log?.over(),
      words: (bytes) => {
        if (running.draining === undefined) this.#host.aside(bytes)
        else this.#host.terminal(bytes)
      },
    })
    return running
  }

  /** Takes output of the machine during a transfer. */
  #packets(running: RunningTransfer, piece: Buffer): void {
    if (running.leaving) {
      this.#lastBytes(running, running.leaving, piece)
      return
    }
    running.silence = 0
    const length = running.machine.push(piece)
    if (running.draining === undefined) this.#host.toPerson(piece.subarray(0, length))
    const ending = running.takeEnding()
    if (!ending) return
    if (ending === 'ended') {
      this.#overAndOut = true
      running.leaving = lineEnd()
    } else if (ending === 'violated') this.abort('The file transfer was broken off')
    else {
      running.progress.broken()
      this.#strip = cancelling(64)
      this.#finish(running, running.draining === undefined)
    }
    if (length < piece.length) this.output(piece.subarray(length))
  }

  #lastBytes(running: RunningTransfer, rest: TrailingBytes, piece: Buffer): void {
    const length = takeTrailing(rest, piece)
    this.#host.toPerson(piece.subarray(0, length))
    if (rest.left > 0 && length === piece.length) return
    this.#finish(running, false)
    if (length < piece.length) this.output(piece.subarray(length))
  }

  /** Takes what the person's program sends. */
  #answer(running: RunningTransfer, bytes: Buffer): void {
    const length = running.person.push(bytes)
    const ending = running.takeEnding()
    if (ending === 'typed' || ending === 'violated') {
      this.abort('The file transfer was broken off')
      return
    }
    if (ending === 'ended') {
      const end = length + takeTrailing(lineEnd(), bytes.subarray(length))
      this.#host.toMachine(bytes.subarray(0, end))
      running.leaving = overAndOut()
      // Programs end a transfer more than once.
      this.#late.expect(running)
      running.typedAhead.add(this.#late.drop(bytes.subarray(end)))
      return
    }
    this.#host.toMachine(bytes)
    if (ending === 'cancelled') this.#drain(running, false)
  }

  /** Gives the terminal back to the person, whose shell is waited for. */
  #finish(running: RunningTransfer, mayStillSend: boolean): void {
    const wasReported = running.draining === undefined
    // `sz` may leave before the terminal has passed its `OO` on. A program that misses it takes
    // what comes next for damage, and says its own for seconds.
    const missing = running.leaving && missingOverAndOut(running.leaving)
    if (missing?.length) this.#host.toPerson(missing)
    running.finish()
    this.#running = undefined
    clearInterval(this.#look)
    this.#host.raw(false)
    if (wasReported) this.#host.state(false)
    if (mayStillSend) this.#late.expect(running)
    this.#shell.begin(running.typedAhead.take())
  }

  /** After so much time the shell is back. */
  #giveBack(running: RunningTransfer, mayStillSend: boolean): void {
    this.#finish(running, mayStillSend)
    this.#shell.isBack()
  }

  /** After the request to stop: the machine's remaining packets are dropped. */
  #drain(running: RunningTransfer, mayStillSend: boolean): void {
    running.progress.broken()
    running.draining = 0
    running.isAlive = true
    this.#lookEvery(DRAIN_LOOK_MS)
    this.#host.state(false)
    if (mayStillSend) this.#late.expect(running)
  }

  #lookEvery(milliseconds: number): void {
    clearInterval(this.#look)
    this.#look = setInterval(() => inBackground(this.#lookAfter()), milliseconds)
  }

  async #lookAfter(): Promise<void> {
    const running = this.#running
    if (!running) return
    const { isAlive, words, draining, leaving } = running
    running.isAlive = false
    if (leaving) {
      if (!isAlive) this.#giveBack(running, false)
    } else if (draining !== undefined) {
      running.draining = draining + 1
      // `sz` leaves in the middle of a packet, so the shell's output looks like the rest of it.
      const rest = lastWords(running.machine.unfinished)
      const isSilent = running.silence++ >= (rest.length ? SILENT_LOOKS_WITH_WORDS : SILENT_LOOKS)
      if ((words && !isAlive) || isSilent || draining >= MAX_DRAIN_LOOKS) {
        this.#giveBack(running, false)
        if (rest.length) this.#host.terminal(rest)
      } else if (running.draining % REMINDER_LOOKS === 0) this.#host.toMachine(ABORT_SEQUENCE)
    } else if (words && !isAlive) {
      // The program has ended silently and the shell is back; or it is trying the older protocol,
      // which asks by a letter.
      if (/^C+$/.test(words)) this.abort('The file transfer was broken off')
      else {
        running.progress.broken()
        this.#giveBack(running, true)
      }
    } else if (!(await this.#rules.may(running.direction).catch(() => true)) && this.#running === running)
      this.abort('Your permission for this asset has ended')
  }
}
