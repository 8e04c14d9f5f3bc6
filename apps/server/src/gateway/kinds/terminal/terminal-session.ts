import { inBackground } from '../../../kernel/background.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { type Grounds, type Guard, UNGUARDED } from '../../guard/guard.ts'
import { onceWritten } from '../../session/command-log.ts'
import { LiveSession, type LiveSessionParts, type StreamEnd } from '../../session/live-session.ts'
import { type Notice, type NoticeCode, wordsOf } from '../../session/notice.ts'
import type { Typist } from '../../session/typist.ts'
import { type Watcher, Watchers } from '../../session/watchers.ts'
import type { Asciicast } from './asciicast.ts'
import { CommandParser } from './commands/command-parser.ts'
import type { CommandReader } from './commands/command-reader.ts'
import type { EditedLine } from './commands/edited-line.ts'
import { NO_COMMANDS } from './commands/no-commands.ts'
import { PlainCommands } from './commands/plain-commands.ts'
import { FloodGate } from './flood-gate.ts'
import type { Unseen } from './line-judge.ts'
import { ScreenState } from './screen-state.ts'
import { SessionInput } from './session-input.ts'
import { type OutputStream, type Owner, type Program, sizeOf, type TargetStream, type TerminalSize } from './streams.ts'
import { FileTransfers } from './zmodem/file-transfers.ts'
import type { TransferRules } from './zmodem/transfer-host.ts'

export interface TerminalSessionParts extends LiveSessionParts {
  owner: Owner
  target: TargetStream
  recording: Asciicast
  program: Program
  /** Ends the command row of a program that is not the login shell. */
  endProgram?: ((output: string) => void) | undefined
  guard: Guard
  /** Writes down that something passed which the guard can't see. */
  noteUnseen(what: Unseen | 'transfer'): void
  /** Files that go through the terminal itself; undefined: nobody looks at what goes through. */
  transfers?: TransferRules
}

/** Colors of a terminal (ECMA-48 §8.3.117). */
const RED = 31
const YELLOW = 33
const DENIALS: ReadonlySet<NoticeCode> = new Set(['denied', 'unjudged'])
/** They come while somebody is at the prompt, and change nothing on its line. */
const BESIDE: ReadonlySet<NoticeCode> = new Set(['unlocked', 'joined', 'parted', 'control'])
/** A command is not taken for complete before. */
const QUIET_MS = 1000
/**
 * Bytes with a window: one program on a machine. Output goes to the recording, the person and the
 * watchers; input through the guard and the command parser to the machine. A slow disk or a slow
 * person pauses the machine; a slow watcher only itself.
 */
export class TerminalSession extends LiveSession {
  readonly kind = 'terminal'
  readonly #parts: TerminalSessionParts
  readonly #commands: CommandReader
  /** Gate of a session without a terminal. */
  readonly #gate: FloodGate | undefined
  #parserFailed = false
  /** A character that is cut between two inputs waits for its rest. */
  readonly #inputDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #input: SessionInput
  readonly #screen: ScreenState
  readonly #watchers: Watchers<TerminalSize>
  #size: TerminalSize
  readonly #transfers: FileTransfers | undefined
  /** The person's program moves a file; notices wait until it is done. */
  #heldLines: Buffer[] | undefined

  constructor(parts: TerminalSessionParts) {
    super(parts)
    this.#parts = parts
    const { program, recording, log, target, endProgram } = parts
    const { command, terminal } = program
    this.#size = sizeOf(program)
    this.#commands = target.prompt
      ? NO_COMMANDS
      : terminal
        ? new CommandParser(terminal.size, parts.commands.begin, this.now)
        : new PlainCommands({ command: command?.toString(), endProgram }, parts.commands.begin, this.now)
    if (!terminal) this.#gate = new FloodGate(this.now)
    else if (parts.transfers && !target.prompt) this.#transfers = this.#fileTransfers(parts.transfers)
    this.#input = new SessionInput(target.prompt ? { ...parts, guard: UNGUARDED } : parts, {
      line: () => this.#line(),
      cleared: (isSeen) => this.#parse(() => this.#commands.cleared(isSeen)),
      send: (bytes, by, grounds) => this.#send(bytes, by, grounds),
      show: (text) => this.#showAside(Buffer.from(text)),
      columns: () => this.#size.cols,
      tell: (what) => this.tell(what),
      end: (why, exitCode) => inBackground(this.end('denied', why, { exitCode })),
      now: this.now,
    })
    this.participants.onEntered = ({ user_id, primary, writable }) => {
      const left = primary || !writable ? undefined : parts.guard.joined?.(user_id)
      // Their input may still wait for its judgment.
      return () => this.#input.onceFree(() => left?.())
    }
    this.#screen = new ScreenState({ recording, log, isTerminal: terminal !== undefined })
    this.#watchers = new Watchers({ whole: () => this.screenNow(), newest: () => this.newestOutput() })
    target.prompt?.sitAt({
      ...parts,
      session: parts.id,
      tell: (what) => this.tell(what),
      now: this.now,
      elapsed: this.elapsed,
    })
    target.start(
      (bytes, stream) => this.#output(bytes, stream),
      (end) => inBackground(this.endedByTarget(end)),
    )
  }

  get size(): TerminalSize {
    return this.#size
  }

  /** Bytes typed that the machine has not taken yet. */
  get pendingInput(): number {
    return this.#input.heldBytes + this.#parts.target.pending()
  }

  /** Calls back once the machine has taken all input so far. */
  onceInputTaken(then: () => void): void {
    this.#input.onceFree(() => this.#parts.target.onceTaken(then))
  }

  /** The person's line broke, or is another now: what goes through it can't go on. */
  abortTransfer(): void {
    this.#transfers?.abort('The file transfer was broken off', { isLost: true })
  }

  /**
   * Input of the person, or of a guest, who is named then. The machine's own window holds it back;
   * see `pendingInput`. Input to a locked session is dropped, and so is a guest's while the person
   * is away.
   */
  input(bytes: Buffer, by?: Typist): void {
    if (this.isOver || this.isLocked || (by !== undefined && this.waitingSince !== undefined)) return
    this.touch()
    if (!this.#transfers) this.#input.take(bytes, by)
    else if (by === undefined) {
      const typed = this.#transfers.input(bytes)
      if (typed.length) this.#input.take(typed, undefined)
    } else if (!this.#transfers.isActive) this.#input.take(bytes, by)
  }

  /** The person's side sends nothing more; the machine may still answer. */
  endInput(): void {
    if (!this.isOver) this.#input.end(() => this.#parts.target.endInput())
  }

  /** Without the leading SIG. */
  signal(name: string): void {
    // Nothing reaches a terminal while its line is held.
    if (!this.isOver && (this.#gate || !this.#input.isHolding)) this.#parts.target.signal(name)
  }

  resize(size: TerminalSize): void {
    if (this.isOver || (size.cols === this.#size.cols && size.rows === this.#size.rows)) return
    this.touch()
    this.#size = size
    this.#parts.target.resize(size)
    this.#parts.recording.resize(size)
    this.#parse(() => this.#commands.resize(size))
    this.#watchers.resize(size)
  }

  /**
   * Shows the session to somebody else, from its current screen. Returns how to stop; undefined
   * when there is no room, or no session any more.
   */
  watch(watcher: Watcher<TerminalSize>): (() => void) | undefined {
    return this.isOver ? undefined : this.#watchers.add(watcher, this.#size)
  }

  /** See `ScreenState.whole`. */
  screenNow(): Promise<Buffer | undefined> {
    return this.#screen.whole(this.#size, this.#commands.fullScreen)
  }

  /** See `ScreenState.newest`. */
  newestOutput(): Buffer {
    return this.#screen.newest(this.#commands.fullScreen)
  }

  /**
   * Lets a command whose prompt is back be stored, so that a watcher does not wait for the next
   * one.
   */
  settle(): void {
    if (!this.isOver && this.elapsed() - this.lastActive >= QUIET_MS) this.#parse(() => this.#commands.settle())
  }

  /**
   * A colored line, in the recording too. In a full-screen program, whose picture it would spoil,
   * only what is urgent; in plain streams only the last words.
   */
  protected say(what: Notice): void {
    const words = wordsOf(what, this.person.language)
    const spoils = this.#gate !== undefined || (this.#commands.fullScreen && what.urgency === 'calm')
    if (what.urgency === 'last') this.#sayLast(words)
    else if (!spoils) {
      this.#sayAside(words, DENIALS.has(what.code) ? RED : YELLOW)
      if (BESIDE.has(what.code)) this.#repeatLine()
    }
  }

  /** The prompt and what is typed behind it, once more below a notice: they are where a person looks. */
  #repeatLine(): void {
    if (this.#input.isAsking || this.#heldLines || this.#gate) return
    let line = ''
    this.#parse(() => {
      line = this.#commands.lineBeforeCursor()
    })
    if (line) this.#showAside(Buffer.from(line))
  }

  #sayLast(words: string): void {
    if (this.#heldLines) this.abortTransfer()
    const line = Buffer.from(`\r\n\x1b[31m${words}\x1b[0m\r\n`)
    this.#parts.recording.output(line)
    if (this.#gate) this.#parts.owner.write(Buffer.from(`${words}\n`), 'stderr')
    else this.#parts.owner.write(line, 'stdout')
    this.#show(line)
  }

  #sayAside(words: string, color = YELLOW): void {
    this.#showAside(Buffer.from(`\r\n\x1b[${color}m${words}\x1b[0m\r\n`))
    this.#parts.target.prompt?.redraw()
  }

  /** To everybody, and into the recording. */
  #showAside(line: Buffer): void {
    if (!this.#parts.recording.output(line).ready) this.hold('disk')
    this.#show(line)
    if (this.#heldLines) this.#heldLines.push(line)
    else this.#toOwner(line, 'stdout')
  }

  protected onLocked(): void {
    this.#transfers?.abort('The file transfer was broken off')
    this.#input.drop()
    this.#parts.target.prompt?.drop()
    this.#parts.target.drop?.()
  }

  protected release(end: StreamEnd): void {
    const { target, owner, recording, guard } = this.#parts
    this.#input.close()
    guard.close?.()
    this.#transfers?.close()
    this.#parse(() => this.#commands.end())
    // End of a session with a terminal, whose commands are read off the screen.
    if (!this.#gate) this.#parts.endProgram?.('')
    const left = this.#gate?.rest()
    if (left?.length) recording.output(left)
    target.close()
    this.#watchers.close()
    owner.close(end)
  }

  #output(bytes: Buffer, stream: OutputStream): void {
    if (this.isOver) return
    this.touch()
    if (this.#transfers) this.#transfers.output(bytes)
    else this.#print(bytes, stream)
  }

  #print(bytes: Buffer, stream: OutputStream): void {
    const recorded = this.#gate ? this.#gate.pass(bytes) : bytes
    const { text, ready } = this.#parts.recording.output(recorded)
    this.#input.shown()
    if (!ready) this.hold('disk')
    if (text) this.#parse(() => this.#commands.output(text))
    this.#toOwner(bytes, stream)
    if (recorded.length) this.#show(recorded)
  }

  #toOwner(bytes: Buffer, stream: OutputStream): void {
    if (bytes.length && !this.#parts.owner.write(bytes, stream)) this.hold('owner')
  }

  #show(bytes: Buffer): void {
    this.#screen.push(bytes)
    this.#watchers.write(bytes)
  }

  /**
   * Commands are in the journal before they go out, as far as they are known by then: on a terminal
   * only the screen shows them, and what is typed next waits.
   */
  #send(bytes: Buffer, by: Typist | undefined, grounds?: Grounds): Promise<void> | undefined {
    const { target, commands } = this.#parts
    const text = this.#inputDecoder.decode(bytes, { stream: true })
    this.#parse(() => this.#commands.input(text, by, grounds))
    return onceWritten(commands, () => {
      if (!this.isOver) target.write(bytes, by)
    })
  }

  #fileTransfers(rules: TransferRules): FileTransfers {
    const { target, owner, recording } = this.#parts
    return new FileTransfers(rules, {
      terminal: (bytes) => this.#print(bytes, 'stdout'),
      toPerson: (bytes) => this.#toOwner(bytes, 'stdout'),
      aside: (bytes) => {
        if (!recording.output(bytes).ready) this.hold('disk')
        this.#show(bytes)
      },
      toMachine: (bytes) => target.write(Buffer.from(bytes)),
      typed: (bytes) => {
        if (!this.isLocked) this.#input.take(bytes, undefined)
      },
      hold: (held) => (held ? this.hold('rights') : this.letGoOn('rights')),
      raw: (isRaw) => target.setRaw?.(isRaw),
      state: (running) => {
        if (running && this.#parts.guard.applies) this.#parts.noteUnseen('transfer')
        const lines = this.#heldLines ?? []
        this.#heldLines = running ? [] : undefined
        owner.transfer?.(running)
        for (const line of lines) this.#toOwner(line, 'stdout')
      },
      note: (text, values) => this.#sayAside(translate(this.person.language, text, values)),
    })
  }

  #line(): EditedLine {
    if (this.#parserFailed || !(this.#commands instanceof CommandParser))
      throw new Error('the line can not be read off the screen')
    return this.#commands.edited()
  }

  /**
   * The recording is the proof, commands are read off for convenience: a fault in reading must not
   * cost the session, let alone the process.
   */
  #parse(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!this.#parserFailed) this.log.error({ err: error, session: this.id }, 'commands could not be read off')
      this.#parserFailed = true
    }
  }
}
