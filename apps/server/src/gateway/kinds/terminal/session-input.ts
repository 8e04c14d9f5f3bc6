import type { FastifyBaseLogger } from 'fastify'
import { pause } from '../../../kernel/pause.ts'
import { type Confirmation, type Decision, type Grounds, type Guard, UNGUARDED } from '../../guard/guard.ts'
import type { Denial } from '../../guard/input-gate.ts'
import { type CommandLog, DENIED_RISK } from '../../session/command-log.ts'
import { type Notice, wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import type { Typist } from '../../session/typist.ts'
import { SHELL_KEYS } from './clear-keys.ts'
import type { EditedLine } from './commands/edited-line.ts'
import { readsCommands } from './commands/reads-commands.ts'
import { confirmWith } from './confirmation-dialogue.ts'
import { Echo } from './echo.ts'
import type { RefusedLine, SentLine, Unseen } from './line-judge.ts'
import { PlainInput } from './plain-input.ts'
import type { Owner, Program, TargetStream } from './streams.ts'
import { TerminalDialogue } from './terminal-dialogue.ts'
import { TerminalInput } from './terminal-input.ts'

export interface SessionInputParts {
  id: string
  log: Pick<FastifyBaseLogger, 'error'>
  person: Person
  program: Program
  target: TargetStream
  owner: Owner
  commands: CommandLog
  guard: Guard
  /** Writes down that something passed which the guard can't see. */
  noteUnseen(what: Unseen | 'transfer'): void
}

/** The session that the input goes through. */
export interface InputHost {
  /** See `TerminalInputOptions.edited`. */
  line(): EditedLine
  /** The line on the machine is emptied; `isSeen`: as its screen says. */
  cleared(isSeen: boolean): void
  /** Later input waits for the promise, if there is one. */
  send(bytes: Buffer, by: Typist | undefined, grounds?: Grounds): Promise<void> | undefined
  /** To everybody at the terminal, as it is. */
  show(text: string): void
  /** Width of the terminal. */
  columns(): number
  tell(what: Notice): void
  /** Ends the session, which tells why. */
  end(why: Notice, exitCode: number): void
  /** Milliseconds. */
  now(): number
}

const PASTE_ENDS = Buffer.from('\x1b[201~')
/** They withdraw what others were asked. */
const LEAVES: ReadonlySet<string> = new Set(['\x03', '\x04'])
/** Exit code for what was found but may not be run (POSIX shell 2.8.2). */
export const NOT_ALLOWED = 126
/** An interrupted shell prompts by then. Milliseconds. */
const PROMPTS_MS = 1000
/** How often the screen is looked at meanwhile. */
const LOOK_AGAIN_MS = 50
/** Characters of a denied command that a message repeats; its row has fewer. */
const DENIED_MAX = 1024

/** Input of a session through its guard: judged, asked about, or refused. */
export class SessionInput {
  readonly #parts: SessionInputParts
  readonly #host: InputHost
  readonly #echo = new Echo()
  readonly #closed = new AbortController()
  readonly #input: TerminalInput | PlainInput
  /** Somebody is asked, or waits for others. */
  #asking: { dialogue: TerminalDialogue; by: Typist | undefined } | undefined

  constructor(parts: SessionInputParts, host: InputHost) {
    this.#parts = parts
    this.#host = host
    this.#input = parts.program.terminal ? this.#terminalInput() : this.#plainInput()
  }

  get isHolding(): boolean {
    return this.#input.isHolding
  }

  /** A question is below the line. */
  get isAsking(): boolean {
    return this.#asking !== undefined
  }

  get heldBytes(): number {
    return this.#input.heldBytes
  }

  onceFree(then: () => void): void {
    this.#input.onceFree(then)
  }

  /**
   * Takes input of somebody. While a question is open it is the answer of the person asked, or of
   * the session's person, who may always take it back; others are not heard.
   */
  take(bytes: Buffer, by: Typist | undefined): void {
    if (!this.#asking) this.#input.take(bytes, by)
    else if (by === undefined || by.id === this.#asking.by?.id) this.#asking.dialogue.input(bytes.toString())
  }

  /** Output of the machine came. */
  shown(): void {
    this.#echo.shown()
  }

  end(then: () => void): void {
    this.#input.end(then)
  }

  /** Discards what is waiting. */
  drop(): void {
    this.#input.drop()
  }

  close(): void {
    this.#closed.abort()
    this.#input.close()
  }

  #terminalInput(): TerminalInput {
    return new TerminalInput({
      guard: this.#parts.guard,
      echo: this.#echo,
      edited: () => this.#host.line(),
      send: (bytes, by, grounds) => this.#host.send(bytes, by, grounds),
      refuse: (denial, line) => this.#refuseLine(denial, line),
      unseen: (what) => this.#parts.noteUnseen(what),
      confirm: (confirmation, line, dropped) => this.#confirm(confirmation, line, dropped),
      onFault: (error) => this.#fault(error),
    })
  }

  /** A shell's lines are judged; what other programs read is data. */
  #plainInput(): PlainInput {
    const program = this.#parts.program.command?.toString()
    return new PlainInput({
      program,
      guard: readsCommands(program) ? this.#parts.guard : UNGUARDED,
      send: (bytes, by, grounds) => this.#host.send(bytes, by, grounds),
      refuse: (denial, line) => {
        this.#noteDenied(denial, line)
        this.#host.end(denial.why, NOT_ALLOWED)
      },
      confirm: (confirmation, line, dropped) => this.#confirmPlain(confirmation, line, dropped),
      onFault: (error) => this.#fault(error),
    })
  }

  #fault(error: unknown): void {
    this.#parts.log.error({ err: error, session: this.#parts.id }, 'the guard failed')
  }

  #refuseLine(denial: Denial, line: RefusedLine): Promise<void> | undefined {
    const { clearKeys = SHELL_KEYS } = this.#parts.target
    this.#noteDenied(denial, line)
    this.#host.tell(denial.why)
    if (line.isPasting) {
      // An interrupt throws away what the machine has not read yet. Without the end of the paste, the
      // shell would take all that is typed from then on for more of it, and have it run with the rest.
      return this.#write(PASTE_ENDS).then(() => this.#clear(clearKeys.rows))
    }
    const { onward } = clearKeys
    if (line.hasRows || !onward) return this.#clear(line.hasRows ? clearKeys.rows : clearKeys.line)
    // If those keys do something else, the return behind them would run the line.
    return this.#write(clearKeys.line).then((isShown) => {
      if (!isShown || !this.#isLineEmpty()) return this.#clear(clearKeys.rows)
      this.#host.cleared(true)
      this.#echo.sent()
      if (!this.#closed.signal.aborted) this.#parts.target.write(onward)
    })
  }

  /**
   * The next line shows whether they do. What follows waits until the shell prompts again, or has
   * had the time to: a key that comes before may be lost with the line, or end up before the
   * prompt.
   */
  async #clear(keys: Buffer): Promise<void> {
    this.#host.cleared(false)
    if (!(await this.#write(keys))) return
    const { signal } = this.#closed
    const late = performance.now() + PROMPTS_MS
    while (!signal.aborted && performance.now() < late && !this.#isLineEmpty()) await pause(LOOK_AGAIN_MS, signal)
  }

  /** A line that nobody can read is not known to be empty. */
  #isLineEmpty(): boolean {
    try {
      return this.#host.line().isEmpty
    } catch {
      return false
    }
  }

  /** Whether the machine has shown what comes of the keys. */
  #write(keys: Buffer): Promise<boolean> {
    const { signal } = this.#closed
    if (signal.aborted) return Promise.resolve(false)
    this.#echo.sent()
    this.#parts.target.write(keys)
    return this.#echo.settled(signal)
  }

  #noteDenied({ why, grounds }: Denial, line: SentLine): void {
    // It has its row since it was withdrawn.
    if (why.code !== 'withdrawn') this.#noteNotRun(line, grounds)
  }

  #noteNotRun({ text, by }: SentLine, grounds: Grounds | undefined): void {
    const row = { input: text.slice(0, DENIED_MAX), timestamp: Math.floor(this.#host.now() / 1000), by }
    this.#parts.commands.begin({ ...row, risk: DENIED_RISK, grounds })('')
  }

  async #confirm(confirmation: Confirmation, line: SentLine, dropped: AbortController): Promise<Decision> {
    const dialogue = new TerminalDialogue(
      (text) => this.#host.show(text),
      LEAVES,
      () => this.#host.columns(),
    )
    this.#asking = { dialogue, by: line.by }
    dropped.signal.addEventListener('abort', () => {
      dialogue.close()
      this.#asking = undefined
    })
    try {
      return await confirmWith(dialogue, confirmation, {
        language: this.#parts.person.language,
        dropped,
        tell: (what) => this.#host.tell(what),
        onWithdrawn: (grounds) => this.#noteNotRun(line, grounds),
      })
    } finally {
      this.#asking = undefined
    }
  }

  /** Nobody could answer: what is read there is the program's. */
  #confirmPlain(confirmation: Confirmation, line: SentLine, dropped: AbortController): Promise<Decision> {
    const { owner, person } = this.#parts
    return confirmWith({ ask: async () => undefined }, confirmation, {
      language: person.language,
      dropped,
      tell: (what) => void owner.write(Buffer.from(`${wordsOf(what, person.language)}\n`), 'stderr'),
      onWithdrawn: (grounds) => this.#noteNotRun(line, grounds),
    })
  }
}
