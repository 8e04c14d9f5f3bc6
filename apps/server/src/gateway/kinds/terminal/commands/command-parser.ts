import type { BeginCommand } from '../../../session/command-log.ts'
import type { Typist } from '../../../session/typist.ts'
import type { TerminalSize } from '../streams.ts'
import type { CommandReader } from './command-reader.ts'
import type { EditedLine } from './edited-line.ts'
import { FullScreen } from './full-screen.ts'
import { KeyedLine } from './keyed-line.ts'
import { commandOnLine } from './left-line.ts'
import { LineBegin } from './line-begin.ts'
import { Prompts } from './prompts.ts'
import { RunningCommands } from './running-commands.ts'
import { Screen } from './screen.ts'
import { type Grounds, SentLines } from './sent-lines.ts'
import { ShownLine } from './shown-line.ts'
import { UnseenOutput } from './unseen-output.ts'

/**
 * Characters of output to examine while a typed line is expected, which bounds the work that a
 * machine can cause.
 */
const WATCH_MAX = 1024 * 1024
/** After so long, output without a line feed is not followed by one for the return any more. */
const SWALLOWED_MS = 500
/** Bracketed paste: what line editors send when they have accepted a line. */
const EDITED = '\x1b[?2004l'

/**
 * Recognizes which commands were run (docs/rules/gateway.md#command_parsing). A command is what is
 * on the line after the prompt when the cursor leaves that line because of a return that a person
 * typed; so history, completion, editing and pasting are seen as they are run. Input that is not
 * shown (passwords) leaves nothing after the prompt and is never stored. Full-screen programs are
 * ignored.
 */
export class CommandParser implements CommandReader {
  readonly #screen: Screen
  readonly #prompts = new Prompts()
  readonly #shownLine: ShownLine
  readonly #commands: RunningCommands
  readonly #now: () => number
  /** Output that the screen model has not processed yet. */
  readonly #unseen = new UnseenOutput()
  readonly #begin: LineBegin
  readonly #lines = new SentLines()
  readonly #keyed = new KeyedLine()
  readonly #fullScreen: FullScreen
  #lastReturn = 0
  /** Characters of output since the last return, or since the last line was left. */
  #watched = 0
  #answeredSinceReturn = false
  #leftByMoving = false

  /** `now` in milliseconds. */
  constructor(size: TerminalSize, begin: BeginCommand, now: () => number = Date.now) {
    const screen = new Screen(size)
    const prompts = this.#prompts
    const keyed = this.#keyed
    this.#screen = screen
    this.#shownLine = new ShownLine(screen, prompts)
    this.#fullScreen = new FullScreen(screen, prompts, keyed)
    this.#begin = new LineBegin({ screen, prompts, keyed, shown: this.#shownLine, fullScreen: this.#fullScreen }, size)
    screen.onDown = (how) => this.#leaveLine(how)
    screen.onEdited = () => {
      this.#begin.edited()
      this.#leaveRows()
    }
    this.#commands = new RunningCommands(begin, now)
    this.#now = now
  }

  resize(size: TerminalSize): void {
    this.#look()
    this.#screen.resize(size)
    this.#begin.resize(size)
  }

  /** Whether the second screen is on. */
  get fullScreen(): boolean {
    this.#look()
    return this.#screen.alternate
  }

  lineBeforeCursor(): string {
    this.#look()
    return this.#screen.alternate || this.#screen.isLost ? '' : this.#screen.beforeCursor().text
  }

  /** Takes output of the machine. */
  output(text: string): void {
    this.#answeredSinceReturn = true
    let rest = text
    // While a line is being left, output must be processed at once and line by line: what follows
    // is the command's output.
    while (this.#lines.first && rest) {
      const end = endOfStep(rest)
      this.#watch(rest.slice(0, end))
      rest = rest.slice(end)
    }
    if (!rest) return
    this.#commands.collect(rest)
    this.#unseen.add(rest)
  }

  #watch(part: string): void {
    const before = this.#commands.current
    this.#leftByMoving = false
    this.#screen.write(part)
    // With a line feed the part ends with the command line; otherwise the command's output follows
    // within it.
    if (this.#commands.current === before || this.#leftByMoving) this.#commands.collect(part)
    this.#watched += part.length
    // So much output without the line: the return did not reach a line editor.
    if (this.#watched > WATCH_MAX) this.#giveUp()
  }

  /** Takes what a person typed or pasted, before it is sent. */
  input(text: string, by?: Typist, grounds?: Grounds): void {
    this.#look()
    // Terminals answer of themselves, while an editor still draws.
    if (!text.startsWith('\x1b')) this.#fullScreen.typedOn()
    this.#begin.find()
    if (this.#fullScreen.isOn) {
      this.#fullScreen.take(text)
      return
    }
    if (this.#returnWasSwallowed()) this.#giveUp()
    for (const character of text) {
      if (!this.#begin.prompt) {
        this.#commands.finish()
        this.#begin.begin()
      }
      this.#type(character, by, grounds)
    }
  }

  /** The line as a return would run it now. */
  edited(): EditedLine {
    this.#look()
    this.#fullScreen.typedOn()
    this.#begin.find()
    const fullScreen = this.#fullScreen.isOn
    if (!fullScreen && this.#returnWasSwallowed()) this.#giveUp()
    const shown = fullScreen ? [] : this.#shown('cursor')
    const { line } = this.#keyed
    return {
      ...line,
      isDoubted: line.isDoubted && !this.#begin.hasGoneOn,
      fullScreen,
      isPasting: this.#lines.isPasting,
      shown,
      shownWithBelow: fullScreen ? [] : this.#shown('last'),
      hasEditor: this.#screen.takesPastes,
      isEmpty: !fullScreen && this.#isEmpty(),
      isQuestion: this.#isQuestion(),
      isUnmoved: shown[0] !== undefined && line.known.trim().startsWith(shown[0]),
      ...this.#shownLine.ends(this.#begin.prompt),
    }
  }

  #isEmpty(): boolean {
    if (this.#lines.first || this.#screen.isLost) return false
    const { prompt } = this.#begin
    if (!prompt || !this.#shownLine.isAt(prompt)) return this.#shownLine.behindKnownPrompt() === ''
    return this.#screen.line(prompt.right).text === prompt.text.trimEnd()
  }

  cleared(isSeen = true): void {
    this.#look()
    this.#begin.cleared(isSeen)
    this.#lines.abandon()
  }

  #shown(to: 'cursor' | 'last'): string[] {
    // An earlier return is still on its way: this line is not to be seen yet.
    if (this.#lines.first || this.#screen.isLost) return []
    return this.#shownLine.texts(this.#begin.place, this.#keyed.line, to)
  }

  /**
   * Whether a program waits for an answer, and no shell for a command. Where a line editor asks for
   * pastes to be marked none does, whatever is before the cursor.
   */
  #isQuestion(): boolean {
    if (this.#screen.takesPastes || this.#lines.first) return false
    return this.#prompts.isQuestion(this.#begin.prompt?.text ?? this.#screen.beforeCursor().text)
  }

  #type(key: string, by: Typist | undefined, grounds: Grounds): void {
    const { takesPastes } = this.#screen
    const before = this.#keyed.line
    const endsLine = this.#keyed.take(key, takesPastes)
    const became = this.#lines.take({ key, endsLine, takesPastes, by, grounds })
    if (this.#lines.isSetAside) this.#begin.setAside()
    if (became === 'abandoned') this.#begin.abandoned(before)
    else if (became === 'sent') {
      this.#watched = 0
      this.#lastReturn = this.#now()
      this.#answeredSinceReturn = false
      this.#begin.sent(before)
    }
  }

  #giveUp(): void {
    // No line editor accepted those rows: what is in them was run all the same.
    this.#leaveRows()
    this.#lines.forget()
    this.#begin.swallowed()
  }

  settle(): void {
    // If the person is typing, the prompt is known; if a return is on its way, it brings the next
    // line.
    if (!this.#commands.current || this.#lines.first || this.#begin.prompt) return
    this.#look()
    const { text } = this.#screen.beforeCursor()
    if (!this.#fullScreen.isOn && this.#prompts.isKnown(text)) this.#commands.finish()
  }

  /** Ends what was still being collected. */
  end(): void {
    this.#look()
    this.#commands.finish()
  }

  #look(): void {
    const text = this.#unseen.take()
    if (text) this.#screen.write(text)
  }

  /**
   * Called when the cursor goes down while a return is on its way: the line it leaves is the
   * command, unless it is a line of output in between.
   */
  #leaveLine(how: 'fed' | 'moved'): void {
    const line = this.#lines.first
    const { prompt } = this.#begin
    if (!line || (line.hasRows && prompt)) return
    // Shells move down to an existing row; other programs move for reasons of their own.
    if (how === 'moved' && !(prompt && this.#shownLine.isAt(prompt))) return
    const input = commandOnLine(this.#screen, this.#shownLine, prompt, line)
    if (input === undefined) return
    this.#leftByMoving = how === 'moved'
    this.#left([input])
  }

  /** The line editor has accepted several rows: each is a command. */
  #leaveRows(): void {
    const { prompt } = this.#begin
    if (!prompt || !this.#lines.first?.hasRows) return
    const lines = this.#screen.linesFrom(prompt.row, prompt.right)
    this.#left(lines.map((line) => (`${line} `.startsWith(prompt.text) ? line.slice(prompt.text.length) : line)))
  }

  #left(inputs: readonly string[]): void {
    const { by, grounds } = this.#lines.leave() ?? {}
    const { prompt } = this.#begin
    this.#watched = 0
    if (prompt && inputs.some((input) => input.trim())) this.#prompts.ran(prompt.text)
    this.#begin.left()
    this.#commands.begin(inputs, { by, grounds })
  }

  /**
   * Whether a program that reads without echo (a password) got the return: no line was left, and
   * the shell is prompting on the same one.
   */
  #returnWasSwallowed(): boolean {
    if (!this.#lines.first || !this.#answeredSinceReturn) return false
    const { text } = this.#screen.beforeCursor()
    const asksAgain = this.#prompts.isEndOf(text, this.#begin.prompt?.text)
    return asksAgain || this.#now() - this.#lastReturn > SWALLOWED_MS
  }
}

/**
 * While a line is being left, output is processed in steps: up to a line end, or to where a line
 * editor has finished.
 */
function endOfStep(text: string): number {
  const ends = ['\n', EDITED].map((end) => [text.indexOf(end), end.length] as const)
  return Math.min(text.length, ...ends.flatMap(([at, length]) => (at < 0 ? [] : [at + length])))
}
