import { inBackground } from '../../kernel/background.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Desk, OwnPrompt, TargetStream, TerminalSize } from '../kinds/terminal/streams.ts'
import { ProtocolViolation } from '../protocols/protocol-violation.ts'
import type { StreamEnd } from '../session/live-session.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { Typist } from '../session/typist.ts'
import { askWith } from './ask.ts'
import { type Connect, CurrentLink } from './current-link.ts'
import type { CommandEffect, Dialect } from './dialect.ts'
import { type Answer, StatementEditor } from './editor/statement-editor.ts'
import type { Link } from './link.ts'
import type { Pager } from './output/pager.ts'
import type { Layout } from './output/result-printer.ts'
import { runStatement } from './run-statement.ts'
import type { Piece } from './sql/statements.ts'
import { StatementJudge } from './statement-judge.ts'
import { TypedAhead } from './typed-ahead.ts'

export interface ReplParts {
  dialect: Dialect
  link: Link
  connect: Connect
  size: TerminalSize
}

const BOLD = '\x1b[1m'
const RESET = '\x1b[0m'

/**
 * The prompt of a database as a terminal has it: reads statements, has each judged and written
 * down, and shows what the server answers. No program runs for it.
 */
export class Repl implements TargetStream {
  readonly prompt: OwnPrompt
  readonly #dialect: Dialect
  readonly #link: CurrentLink
  readonly #typed: TypedAhead
  readonly #editor: StatementEditor
  #size: TerminalSize
  #desk: Desk | undefined
  #judge: StatementJudge | undefined
  #output: (bytes: Buffer) => void = () => {}
  #onEnd: (end: StreamEnd) => void = () => {}
  #isEditing = false
  #by: Typist | undefined
  #pager: Pager | undefined
  #layout: Layout
  #isTiming = true
  /** The rest of the input is not run. */
  #isInterrupted = false
  /** Another connection takes the place of the one that was broken off. */
  #replacing: Promise<void> | undefined
  #isOver = false

  constructor({ dialect, link, connect, size }: ReplParts) {
    this.#dialect = dialect
    this.#link = new CurrentLink(link, connect, (end) => this.#linkEnded(end))
    this.#size = size
    this.#layout = dialect.layout
    this.prompt = {
      sitAt: (desk) => {
        this.#desk = desk
        this.#judge = new StatementJudge(
          desk,
          (text) => this.#write(text),
          () => this.#size.cols,
        )
      },
      database: () => this.#link.now.wire.place.database,
      drop: () => this.#drop(),
      redraw: () => {
        if (this.#isEditing) this.#editor.redraw()
      },
    }
    this.#editor = new StatementEditor({
      write: (text) => this.#write(text),
      size: () => this.#size,
      isComplete: (rows, firstChanged) => dialect.isComplete(rows, firstChanged),
      complete: (before) => dialect.complete(before, (text) => this.#ask(text)),
      answered: (answer) => this.#answered(answer),
    })
    this.#typed = new TypedAhead({
      isEditing: () => this.#isEditing,
      typist: (by) => {
        this.#by = by
      },
      type: (text) => this.#editor.type(text),
      press: (key) => this.#editor.press(key),
      answer: (key) => {
        if (!this.#pager?.isAsking) return false
        this.#pager.press(key)
        return true
      },
      interrupt: () => this.#interrupt(),
    })
  }

  start(onOutput: (bytes: Buffer, stream: 'stdout') => void, onEnd: (end: StreamEnd) => void): void {
    this.#output = (bytes) => onOutput(bytes, 'stdout')
    this.#onEnd = onEnd
    inBackground(
      this.#begin().catch((error) => {
        this.#linkEnded({})
        throw error
      }),
    )
  }

  write(bytes: Buffer, by?: Typist): void {
    if (!this.#judge?.input(bytes, by)) this.#typed.add(bytes, by)
  }

  pending(): number {
    return this.#typed.length
  }

  onceTaken(then: () => void): void {
    this.#typed.onceTaken(then)
  }

  endInput(): void {
    if (this.#isEditing) this.#leave()
  }

  signal(name: string): void {
    if (name === 'INT') this.write(Buffer.from('\x03'))
  }

  resize(size: TerminalSize): void {
    this.#size = size
    if (this.#isEditing) this.#editor.resize()
  }

  pause(): void {
    this.#link.hold('session', true)
  }
  resume(): void {
    this.#link.hold('session', false)
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#judge?.over({})
    this.#judge?.drop()
    this.#link.close()
  }

  async #begin(): Promise<void> {
    await this.#link.start()
    if (this.#isOver) return
    this.#write(
      this.#dialect
        .greeting(this.#link.now)
        .map((line) => `${line}\r\n`)
        .join(''),
    )
    this.#edit()
  }

  #linkEnded(end: StreamEnd): void {
    this.#isOver = true
    this.#judge?.over({})
    // The server has only gone away: nothing else would say so.
    this.#onEnd({ ...end, isLost: true })
  }

  #edit(): void {
    if (this.#isOver) return
    this.#isInterrupted = false
    this.#isEditing = true
    this.#editor.read(this.#dialect.prompts(this.#link.now))
    this.#typed.take()
  }

  #interrupt(): void {
    this.#isInterrupted = true
    this.#judge?.drop()
    this.#write('^C\r\n')
    this.#pager?.quit()
    const link = this.#link.now
    if (!this.#dialect.endsWithConnection) link.cancel()
    else if (link.isRunning) this.#replacing ??= this.#replace().catch((error) => this.#failed(error))
  }

  #drop(): void {
    this.#isInterrupted = true
    this.#typed.drop()
    this.#judge?.drop()
  }

  #answered(answer: Answer): void {
    this.#isEditing = false
    if (answer === 'interrupted') queueMicrotask(() => this.#edit())
    else if (answer === 'ended') this.#leave()
    else inBackground(this.#runAll(answer.text))
  }

  async #runAll(text: string): Promise<void> {
    const by = this.#by
    this.#isInterrupted = false
    try {
      for (const piece of this.#dialect.pieces(text))
        for (let left = piece.times ?? 1; left > 0 && !this.#isInterrupted && !this.#isOver; left--)
          await this.#runPiece(piece, by)
      await this.#replacing
    } catch (error) {
      this.#failed(error)
    }
    this.#replacing = undefined
    this.#edit()
  }

  async #runPiece({ text, ending }: Piece, by: Typist | undefined): Promise<void> {
    if (ending === 'command') await this.#obey(this.#dialect.command(text), by)
    else await this.#run(text, by, ending === 'expanded' ? 'expanded' : this.#layout)
  }

  async #obey(effect: CommandEffect, by: Typist | undefined): Promise<void> {
    switch (effect.does) {
      case 'leave':
        return this.#leave()
      case 'say':
        return this.#say(effect.lines)
      case 'refuse':
        this.#desk?.tell(effect.why)
        return
      case 'timing':
        this.#isTiming = !this.#isTiming
        return this.#say([this.#words(this.#isTiming ? 'Timing is on.' : 'Timing is off.')])
      case 'layout':
        this.#layout = effect.layout ?? (this.#layout === 'expanded' ? 'auto' : 'expanded')
        return this.#say([LAYOUT_WORDS[this.#layout]].map((words) => this.#words(words)))
      case 'database':
        return this.#link.change(effect.name)
      case 'run':
        for (const { title, text } of effect.statements) {
          if (this.#isInterrupted) return
          if (title) this.#say([`${BOLD}${title}${RESET}`])
          await this.#run(text, by, this.#layout)
        }
    }
  }

  #run(text: string, by: Typist | undefined, layout: Layout): Promise<void> {
    return runStatement(
      { text, by },
      {
        link: this.#link.now,
        judge: this.#judge as StatementJudge,
        desk: this.#desk as Desk,
        dialect: this.#dialect,
        layout,
        isTiming: this.#isTiming,
        size: () => this.#size,
        write: (shown) => this.#write(shown),
        words: (words) => this.#words(words),
        isWanted: () => !this.#isOver && !this.#isInterrupted,
        held: (isHeld) => this.#link.hold('pager', isHeld),
        onPager: (pager) => {
          this.#pager = pager
        },
      },
    )
  }

  /** Breaks the connection off, and what runs with it. */
  #replace(): Promise<void> {
    const words = this.#words('The command was broken off with its connection: another one is open now')
    return this.#link.change('', () => {
      this.#judge?.over({ error: 'broken off' })
      this.#say([`\x1b[33m${words}${RESET}`])
    })
  }

  /** Reads a few rows that nobody asked to see. */
  async #ask(text: string): Promise<string[][]> {
    const link = this.#link.now
    return this.#isEditing && !link.isRunning && this.#dialect.isAskable(link) ? askWith(link, text) : []
  }

  #failed(error: unknown): void {
    const { language } = (this.#desk as Desk).person
    const isKnown = error instanceof SessionRefusal
    if (!isKnown && !(error instanceof ProtocolViolation))
      this.#desk?.log.error({ err: error, session: this.#desk.session }, 'a statement of a terminal failed')
    const words = isKnown
      ? translate(language, error.message, { ...error.values })
      : this.#words('The connection failed')
    this.#say([`\x1b[31m${words}${RESET}`])
  }

  #leave(): void {
    if (this.#isOver) return
    this.close()
    this.#onEnd({ exitCode: 0 })
  }

  #say(lines: readonly string[]): void {
    this.#write(lines.map((line) => `${line}\r\n`).join(''))
  }

  #words(text: string): string {
    return translate((this.#desk as Desk).person.language, text)
  }

  #write(text: string): void {
    if (text && !this.#isOver) this.#output(Buffer.from(text))
  }
}

const LAYOUT_WORDS: Readonly<Record<Layout, string>> = {
  table: 'Rows are shown as a table.',
  expanded: 'Rows are shown one value a line.',
  auto: 'Rows are shown as a table where it fits.',
}
