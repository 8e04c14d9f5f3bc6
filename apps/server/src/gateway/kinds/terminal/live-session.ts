import type { FastifyBaseLogger } from 'fastify'
import type { EndReason } from '../../../domains/terminal/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { Participants } from '../../session/participants.ts'
import type { Person } from '../../session/person.ts'
import { type Watcher, Watchers } from '../../session/watchers.ts'
import { CommandParser, type CommandReader, type ParsedCommand } from './commands/command-parser.ts'
import { PlainCommands } from './commands/plain-commands.ts'
import { FloodGate } from './flood-gate.ts'
import type { Recorder } from './recorder.ts'
import { ScreenState } from './screen-state.ts'
import { type OutputStream, type Owner, type Program, type StreamEnd, sizeOf, type TargetStream, type TerminalSize } from './streams.ts'
import { FileTransfers } from './zmodem/file-transfers.ts'
import type { TransferRules } from './zmodem/transfer-host.ts'

export type { EndReason }

export interface LiveSessionParts {
  id: string
  orgId: string
  person: Person
  owner: Owner
  target: TargetStream
  recorder: Recorder
  program: Program
  log: FastifyBaseLogger
  /** Milliseconds; the system's clock where nothing else is said. */
  now?: () => number
  /** Files that go through the terminal itself; undefined: nobody looks at what goes through. */
  transfers?: TransferRules
  onCommand(command: ParsedCommand): void
  /** Asked once, when the recording can't be written any more. */
  goesOnUnrecorded(): boolean
  /** Runs once, after the last byte; everything that must be stored at the end. */
  onEnd(reason: EndReason, end: StreamEnd): Promise<void>
}

/** A command is not taken for complete before. */
const QUIET_MS = 1000

/**
 * One person at one machine. Output goes to the recording, the person and the watchers; input through the command parser to the machine.
 * A slow disk or a slow person pauses the machine; a slow watcher only itself.
 */
export class LiveSession {
  readonly id: string
  readonly orgId: string
  readonly person: Person
  readonly startedAt: number
  /** Milliseconds; moves with traffic in either direction and with the window's size (contract/gateway.yaml limits.idle). */
  lastActive: number
  /** Set by the gateway from the permission. Milliseconds. */
  permittedUntil = Number.POSITIVE_INFINITY
  /** Milliseconds: since when nobody is at the person's side, who may come back. */
  waitingSince: number | undefined
  /** Nobody may type. */
  isLocked = false
  /** Who is in the session, and may be told of each other. */
  readonly participants = new Participants()
  readonly #parts: LiveSessionParts
  readonly #now: () => number
  readonly #commands: CommandReader
  /** Of a session without a terminal. */
  readonly #gate: FloodGate | undefined
  #parserFailed = false
  /** A character that is cut between two inputs waits for its rest. */
  readonly #inputDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #screen: ScreenState
  readonly #watchers: Watchers<TerminalSize>
  #size: TerminalSize
  readonly #transfers: FileTransfers | undefined
  /** The person's program moves a file; what it is to be told later. */
  #untold: Buffer[] | undefined
  /** Who holds the machine back. */
  readonly #holds = new Set<'owner' | 'disk' | 'rights'>()
  #over = false
  readonly #whenEnded = Promise.withResolvers<void>()
  /** Settles when everything of the end is stored. */
  readonly ended: Promise<void> = this.#whenEnded.promise

  constructor(parts: LiveSessionParts) {
    this.id = parts.id
    this.orgId = parts.orgId
    this.person = parts.person
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.startedAt = this.#now()
    this.lastActive = this.startedAt
    const { command, terminal } = parts.program
    this.#size = sizeOf(parts.program)
    this.#commands = terminal
      ? new CommandParser(terminal.size.cols, parts.onCommand, this.#now)
      : new PlainCommands(command, parts.onCommand, this.#now)
    if (!terminal) this.#gate = new FloodGate(this.#now)
    else if (parts.transfers) this.#transfers = this.#fileTransfers(parts.transfers)
    const { target, recorder, log } = parts
    this.#screen = new ScreenState({ recorder, log, isTerminal: terminal !== undefined })
    this.#watchers = new Watchers({ whole: () => this.screenNow(), newest: () => this.newestOutput() })
    recorder.onDrain = () => this.#release('disk')
    recorder.onFailure = (error) => {
      parts.log.error({ err: error, session: parts.id }, 'recording failed')
      if (parts.goesOnUnrecorded())
        this.announce('The recording cannot be written any more, the session goes on without it', {}, { urgent: true })
      else void this.end('recording', 'The recording cannot be written, the session is ended')
    }
    target.start(
      (bytes, stream) => this.#output(bytes, stream),
      (end) => void this.#end('closed', end),
    )
  }

  get size(): TerminalSize {
    return this.#size
  }

  #output(bytes: Buffer, stream: OutputStream): void {
    if (this.#over) return
    this.lastActive = this.#now()
    if (this.#transfers) this.#transfers.output(bytes)
    else this.#print(bytes, stream)
  }

  #print(bytes: Buffer, stream: OutputStream): void {
    const recorded = this.#gate ? this.#gate.pass(bytes) : bytes
    const { text, ready } = this.#parts.recorder.output(recorded)
    if (!ready) this.#hold('disk')
    if (text) this.#parse(() => this.#commands.output(text))
    this.#toOwner(bytes, stream)
    if (recorded.length) this.#show(recorded)
  }

  #toOwner(bytes: Buffer, stream: OutputStream): void {
    if (bytes.length && !this.#parts.owner.write(bytes, stream)) this.#hold('owner')
  }

  #fileTransfers(rules: TransferRules): FileTransfers {
    const { target, owner, recorder } = this.#parts
    const aside = (bytes: Buffer) => {
      if (!recorder.output(bytes).ready) this.#hold('disk')
      this.#show(bytes)
    }
    return new FileTransfers(rules, {
      terminal: (bytes) => this.#print(bytes, 'stdout'),
      toPerson: (bytes) => this.#toOwner(bytes, 'stdout'),
      aside,
      toMachine: (bytes) => target.write(Buffer.from(bytes)),
      typed: (bytes) => this.#typed(bytes),
      hold: (held) => (held ? this.#hold('rights') : this.#release('rights')),
      raw: (isRaw) => target.setRaw?.(isRaw),
      state: (running) => {
        const told = this.#untold ?? []
        this.#untold = running ? [] : undefined
        owner.transfer?.(running)
        for (const line of told) this.#toOwner(line, 'stdout')
      },
      note: (text, values) => {
        const line = this.#noteLine(text, values)
        aside(line)
        if (this.#untold) this.#untold.push(line)
        else this.#toOwner(line, 'stdout')
      },
    })
  }

  /** The person's line broke, or is another now: what goes through it can't go on. */
  abortTransfer(): void {
    this.#transfers?.abort('The file transfer was broken off', { isLost: true })
  }

  #noteLine(text: string, values?: Record<string, unknown>): Buffer {
    return Buffer.from(`\r\n\x1b[33m${translate(this.person.language, text, values)}\x1b[0m\r\n`)
  }

  /** The recording is the proof, commands are read off for convenience: a fault in reading must not cost the session, let alone the process. */
  #parse(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!this.#parserFailed) this.#parts.log.error({ err: error, session: this.id }, 'commands could not be read off')
      this.#parserFailed = true
    }
  }

  #show(bytes: Buffer): void {
    this.#screen.push(bytes)
    this.#watchers.write(bytes)
  }

  /** Lets a command whose prompt is back be stored, so that whoever looks on does not wait for the next one. */
  settleCommands(): void {
    if (!this.#over && this.#now() - this.lastActive >= QUIET_MS) this.#parse(() => this.#commands.settle())
  }

  /** See `ScreenState.whole`. */
  screenNow(): Promise<Buffer | undefined> {
    return this.#screen.whole(this.#size, this.#commands.fullScreen)
  }

  /** See `ScreenState.newest`. */
  newestOutput(): Buffer {
    return this.#screen.newest(this.#commands.fullScreen)
  }

  #hold(who: 'owner' | 'disk' | 'rights'): void {
    if (!this.#holds.size) this.#parts.target.pause()
    this.#holds.add(who)
  }

  #release(who: 'owner' | 'disk' | 'rights'): void {
    if (this.#holds.delete(who) && !this.#holds.size && !this.#over) this.#parts.target.resume()
  }

  /** The person's line has room again. */
  ownerDrained(): void {
    this.#release('owner')
  }

  /**
   * What the person typed, or a guest, who is named then. The machine's own window holds it back; see `pendingInput`. What is typed into a locked
   * session is dropped, and a guest's input while the person is away.
   */
  input(bytes: Buffer, by?: string): void {
    if (this.#over || this.isLocked || (by !== undefined && this.waitingSince !== undefined)) return
    this.lastActive = this.#now()
    if (!this.#transfers) this.#typed(bytes, by)
    else if (by === undefined) {
      const typed = this.#transfers.input(bytes)
      if (typed.length) this.#typed(typed)
    } else if (!this.#transfers.isActive) this.#typed(bytes, by)
  }

  #typed(bytes: Buffer, by?: string): void {
    const text = this.#inputDecoder.decode(bytes, { stream: true })
    this.#parse(() => this.#commands.input(text, by))
    this.#parts.target.write(bytes)
  }

  /** The person's side sends nothing more; the machine may still answer. */
  endInput(): void {
    if (!this.#over) this.#parts.target.endInput()
  }

  /** Without the leading SIG. */
  signal(name: string): void {
    if (!this.#over) this.#parts.target.signal(name)
  }

  /** Bytes typed that the machine has not taken yet. */
  get pendingInput(): number {
    return this.#parts.target.pending()
  }

  /** Calls back once the machine has taken all input so far. */
  onceInputTaken(then: () => void): void {
    this.#parts.target.onceTaken(then)
  }

  resize(size: TerminalSize): void {
    if (this.#over || (size.cols === this.#size.cols && size.rows === this.#size.rows)) return
    this.lastActive = this.#now()
    this.#size = size
    this.#parts.target.resize(size)
    this.#parts.recorder.resize(size)
    this.#parse(() => this.#commands.resize(size.cols))
    this.#watchers.resize(size)
  }

  /** Shows the session to somebody else, from what stands there now. Answers how to stop; undefined when there is no room, or no session any more. */
  watch(watcher: Watcher<TerminalSize>): (() => void) | undefined {
    return this.#over ? undefined : this.#watchers.add(watcher, this.#size)
  }

  /** A line for everybody in the session, which is recorded too. Nothing in a full-screen program, whose picture it would spoil, unless it is `urgent`. */
  announce(text: string, values?: Record<string, unknown>, { urgent = false } = {}): void {
    if (this.#over || this.#gate || (this.#commands.fullScreen && !urgent)) return
    const line = this.#noteLine(text, values)
    this.#parts.recorder.output(line)
    if (this.#untold) this.#untold.push(line)
    else this.#parts.owner.write(line, 'stdout')
    this.#show(line)
  }

  /** Nobody types any more, or again; everybody is told. */
  setLocked(locked: boolean, by: string): void {
    if (this.isLocked === locked) return
    this.isLocked = locked
    if (locked) this.#transfers?.abort('The file transfer was broken off')
    this.announce(
      locked ? '{{by}} has locked the input of this session' : '{{by}} has unlocked the input of this session',
      { by },
      { urgent: true },
    )
    this.participants.tell('TERMINAL_LOCK', { locked, by })
  }

  /** Ends the session with a line for the person, which is recorded too. Never throws; only the first end counts. */
  end(reason: EndReason, text?: string, values?: Record<string, unknown>): Promise<void> {
    if (!this.#over && this.#untold) this.abortTransfer()
    if (text && !this.#over) {
      const words = translate(this.person.language, text, values)
      const line = Buffer.from(`\r\n\x1b[31m${words}\x1b[0m\r\n`)
      this.#parts.recorder.output(line)
      if (this.#gate) this.#parts.owner.write(Buffer.from(`${words}\n`), 'stderr')
      else this.#parts.owner.write(line, 'stdout')
      this.#show(line)
    }
    return this.#end(reason, {})
  }

  #end(reason: EndReason, end: StreamEnd): Promise<void> {
    if (!this.#over) {
      this.#over = true
      void this.#close(reason, end)
    }
    return this.ended
  }

  async #close(reason: EndReason, end: StreamEnd): Promise<void> {
    const { target, owner, log } = this.#parts
    this.#transfers?.close()
    this.#parse(() => this.#commands.end())
    const left = this.#gate?.rest()
    if (left?.length) this.#parts.recorder.output(left)
    target.close()
    this.#watchers.close()
    owner.close(end)
    try {
      await this.#parts.onEnd(reason, end)
    } catch (error) {
      // The row stays open; its lease runs out, and it is closed by whoever sweeps next.
      log.error({ err: error, session: this.id }, 'the end of a session could not be stored')
    } finally {
      this.#whenEnded.resolve()
    }
  }
}
