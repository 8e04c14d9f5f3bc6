import type { BeginCommand, BegunCommand } from '../../../session/command-log.ts'
import type { Typist } from '../../../session/typist.ts'
import type { TerminalSize } from '../streams.ts'
import type { CommandReader } from './command-reader.ts'
import type { EditedLine } from './edited-line.ts'
import { FullScreen } from './full-screen.ts'
import { KeyedLine, type TypedLine } from './keyed-line.ts'
import { commandOnLine } from './left-line.ts'
import { type PromptInPlace, Prompts } from './prompts.ts'
import { RunningCommands } from './running-commands.ts'
import { Screen } from './screen.ts'
import { type LinePlace, ShownLine } from './shown-line.ts'
import { UnseenOutput } from './unseen-output.ts'

/** A line as it was typed, for recognising it on the screen; never kept longer than that. */
interface SentLine {
  text: string
  /** Nothing but characters and backspace, so that its look is known. */
  isPlain: boolean
  /** A paste had line ends: the line editor shows several rows and accepts them together. */
  hasRows: boolean
  /** Who pressed return. */
  by?: Typist | undefined
  grounds?: Grounds
}

const emptyLine = (): SentLine => ({ text: '', isPlain: true, hasRows: false })

type Grounds = BegunCommand['grounds']

/**
 * Characters of output to examine while a typed line is expected, which bounds the work that a
 * machine can cause.
 */
const WATCH_MAX = 1024 * 1024
const TYPED_MAX = 1024
const SENT_MAX = 1000
/** After so long, output without a line feed is not followed by one for the return any more. */
const SWALLOWED_MS = 500
/**
 * Bracketed paste: what terminals send around a paste, and line editors when they have accepted a
 * line.
 */
const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'
const EDITED = '\x1b[?2004l'
/** Keys of zsh that set the line aside: push-line, run-help, which-command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const SETS_ASIDE = /(?:\x1b[qQhH?]|\x11)$/
/**
 * Recognises which commands were run (contract/gateway.yaml command_parsing). A command is what is
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
  /** Of the window; and of the lowest that it was while this line was edited. */
  #rows: number
  #height: number
  /** Output that the screen model has not processed yet. */
  readonly #unseen = new UnseenOutput()
  #prompt: PromptInPlace | undefined
  /**
   * The prompt of a line that a key should have given up: the machine may think otherwise of that
   * key (`stty intr`, a key that was quoted), and have the line still.
   */
  #leftAt: PromptInPlace | undefined
  /** The keys say that the line is empty, and the screen has not said so yet. */
  #isDoubted = false
  /** See `LinePlace`. */
  #editing: LinePlace['editing']
  /** How many lines keys have set aside, which zsh puts behind one of the next prompts each. */
  #aside = 0
  /** Lines whose return was typed and that the cursor has not left yet. */
  #sent: SentLine[] = []
  /** The row in which the line before was left. */
  #leftRow = 0
  #typing: SentLine = emptyLine()
  readonly #keyed = new KeyedLine()
  readonly #fullScreen: FullScreen
  /** The last keys, in which a paste may begin or end. */
  #keys = ''
  #pasting = false
  #lastReturn = 0
  /** Characters of output since the last return, or since the last line was left. */
  #watched = 0
  #answeredSinceReturn = false
  #leftByMoving = false
  /** The last return left no line: it may have ended a search, whose line stands there still. */
  #wasSwallowed = false

  /** `now` in milliseconds. */
  constructor(size: TerminalSize, begin: BeginCommand, now: () => number = Date.now) {
    this.#screen = new Screen(size)
    this.#shownLine = new ShownLine(this.#screen, this.#prompts)
    this.#fullScreen = new FullScreen(this.#screen, this.#prompts, this.#keyed)
    this.#rows = size.rows
    this.#height = size.rows
    this.#screen.onDown = (how) => this.#leaveLine(how)
    this.#screen.onEdited = () => {
      this.#editing = undefined
      this.#leftAt = undefined
      this.#leftRow = this.#screen.cursor.row
      this.#leaveRows()
    }
    this.#commands = new RunningCommands(begin, now)
    this.#now = now
  }

  resize(size: TerminalSize): void {
    this.#look()
    this.#screen.resize(size)
    this.#rows = size.rows
    this.#height = Math.min(this.#height, size.rows)
  }

  /** Whether the second screen is on. */
  get fullScreen(): boolean {
    this.#look()
    return this.#screen.alternate
  }

  /** Takes output of the machine. */
  output(text: string): void {
    this.#answeredSinceReturn = true
    let rest = text
    // While a line is being left, output must be processed at once and line by line: what follows
    // is the command's output.
    while (this.#sent.length && rest) {
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
    this.#findPrompt()
    if (this.#fullScreen.isOn) {
      this.#fullScreen.take(text)
      return
    }
    if (this.#returnWasSwallowed()) this.#giveUp()
    for (const character of text) {
      if (!this.#prompt) this.#beginLine()
      this.#type(character, by, grounds)
    }
  }

  #beginLine(): void {
    this.#commands.finish()
    this.#height = this.#rows
    const left = this.#leftAt
    this.#leftAt = undefined
    if (left && this.#isStillAt(left)) {
      this.#prompt = left
      this.#keyed.doubt()
      return
    }
    const { text } = this.#screen.beforeCursor()
    const wasAside = this.#aside > 0
    const wasSwallowed = this.#wasSwallowed
    this.#wasSwallowed = false
    const mayHoldText = wasAside && !this.#prompts.isKnown(text)
    if (wasAside) this.#aside--
    const right = wasSwallowed ? undefined : this.#screen.rightPrompt()
    this.#prompt = { row: this.#screen.cursor.row, text, right, mayHoldText }
    if (mayHoldText || wasSwallowed || this.#prompts.shorterThan(text)) this.#keyed.doubt()
    else {
      this.#prompts.remember(this.#prompt)
      if (this.#isDoubted) this.#keyed.begin()
    }
    this.#isDoubted = false
    // A shell that prompts again, without saying that its editor is done, has another line.
    const isNew = !this.#editing || this.#prompts.isOfShell(text)
    if (this.#screen.takesPastes && isNew) this.#editing = { prompt: this.#prompt, hasRows: false }
  }

  #doubt(): void {
    this.#isDoubted = true
    this.#keyed.doubt()
  }

  /** Where the cursor is on another line, the one that is in doubt was given up. */
  #hasGoneOn(): boolean {
    const at = this.#prompt ?? this.#leftAt
    return at !== undefined && !this.#shownLine.isAt(at)
  }

  /** The cursor has not left the line, which may hold what was typed there. */
  #isStillAt({ row, text }: PromptInPlace): boolean {
    if (row < this.#screen.line().row || row > this.#screen.cursor.row) return text.trim() !== '' && this.#isBlank()
    return true
  }

  #isBlank(): boolean {
    return this.#screen.beforeCursor().text.trim() === ''
  }

  /** Of a shell whose line was taken for keys of a full-screen program. */
  #findPrompt(): void {
    if (this.#prompt) return
    this.#prompt = this.#fullScreen.promptOfLine()
    if (this.#prompt) this.#prompts.remember(this.#prompt)
  }

  /** The line as a return would run it now. */
  edited(): EditedLine {
    this.#look()
    this.#fullScreen.typedOn()
    this.#findPrompt()
    const fullScreen = this.#fullScreen.isOn
    if (!fullScreen && this.#returnWasSwallowed()) this.#giveUp()
    const shown = fullScreen ? [] : this.#shown('cursor')
    const { line } = this.#keyed
    return {
      ...line,
      isDoubted: line.isDoubted && !this.#hasGoneOn(),
      fullScreen,
      isPasting: this.#pasting,
      shown,
      shownWithBelow: fullScreen ? [] : this.#shown('last'),
      hasEditor: this.#screen.takesPastes,
      isEmpty: !fullScreen && this.#isEmpty(),
      isQuestion: this.#isQuestion(),
      isUnmoved: shown[0] !== undefined && line.known.trim().startsWith(shown[0]),
      ...this.#shownLine.ends(this.#prompt),
    }
  }

  #isEmpty(): boolean {
    if (this.#sent.length || this.#screen.isLost) return false
    if (!this.#prompt || !this.#shownLine.isAt(this.#prompt)) return this.#shownLine.behindKnownPrompt() === ''
    return this.#screen.line(this.#prompt.right).text === this.#prompt.text.trimEnd()
  }

  cleared(isSeen = true): void {
    this.#look()
    this.#leftAt = isSeen ? undefined : (this.#prompt ?? this.#leftAt)
    this.#prompt = undefined
    this.#pasting = false
    this.#typing = emptyLine()
    this.#keyed.begin()
    if (isSeen) this.#isDoubted = false
    else this.#doubt()
  }

  #shown(to: 'cursor' | 'last'): string[] {
    // An earlier return is still on its way: this line is not to be seen yet.
    if (this.#sent.length || this.#screen.isLost) return []
    const place = { prompt: this.#prompt, editing: this.#editing, leftRow: this.#leftRow, height: this.#height }
    return this.#shownLine.texts(place, this.#keyed.line, to)
  }

  /**
   * Whether a program waits for an answer, and no shell for a command. Where a line editor asks for
   * pastes to be marked none does, whatever stands before the cursor.
   */
  #isQuestion(): boolean {
    if (this.#screen.takesPastes || this.#sent.length) return false
    return this.#prompts.isQuestion(this.#prompt?.text ?? this.#screen.beforeCursor().text)
  }

  #type(character: string, by: Typist | undefined, grounds: Grounds): void {
    const line = this.#typing
    const before = this.#keyed.line
    const endsLine = this.#keyed.take(character, this.#screen.takesPastes)
    this.#keys = (this.#keys + character).slice(-PASTE_BEGINS.length)
    if (SETS_ASIDE.test(this.#keys)) this.#aside++
    if (this.#keys === PASTE_BEGINS) this.#pasting = this.#screen.takesPastes
    else if (this.#keys === PASTE_ENDS) this.#pasting = false
    if (this.#pasting && (character === '\r' || character === '\n')) {
      line.isPlain = false
      line.hasRows = true
    } else if (endsLine) {
      if (this.#sent.length < SENT_MAX) this.#sent.push(Object.assign(line, { by, grounds }))
      this.#typing = emptyLine()
      this.#watched = 0
      this.#lastReturn = this.#now()
      this.#answeredSinceReturn = false
      if (this.#editing) this.#editing.hasRows = true
      // Of keys that are not known, the return may have ended a search alone.
      if (this.#aside > 0 || !before.isKnown) this.#doubt()
    } else if (character === '\x03' || (character === '\x04' && !line.text)) {
      // Ctrl-C abandons the line; what follows comes after a new prompt.
      if (mayRemain(before)) {
        this.#leftAt = this.#prompt ?? this.#leftAt
        this.#doubt()
      }
      this.#prompt = undefined
      this.#pasting = false
      this.#typing = emptyLine()
    } else if (character === '\x7f') line.text = line.text.slice(0, -1)
    else if (character < ' ') line.isPlain = false
    else if (line.text.length < TYPED_MAX) line.text += character
  }

  #giveUp(): void {
    // No line editor accepted those rows: what is in them was run all the same.
    this.#leaveRows()
    this.#sent = []
    this.#wasSwallowed = true
    this.#leftRow = this.#screen.line().row
    this.#prompt = undefined
  }

  settle(): void {
    // If the person is typing, the prompt is known; if a return is on its way, it brings the next
    // line.
    if (!this.#commands.current || this.#sent.length || this.#prompt) return
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
    const [line] = this.#sent
    if (!line || (line.hasRows && this.#prompt)) return
    // Shells move down to an existing row; other programs move for reasons of their own.
    if (how === 'moved' && !(this.#prompt && this.#shownLine.isAt(this.#prompt))) return
    const input = commandOnLine(this.#screen, this.#shownLine, this.#prompt, line)
    if (input === undefined) return
    this.#leftByMoving = how === 'moved'
    this.#left([input])
  }

  /** The line editor has accepted several rows: each is a command. */
  #leaveRows(): void {
    const prompt = this.#prompt
    if (!prompt || !this.#sent[0]?.hasRows) return
    const lines = this.#screen.linesFrom(prompt.row, prompt.right)
    this.#left(lines.map((line) => (`${line} `.startsWith(prompt.text) ? line.slice(prompt.text.length) : line)))
  }

  #left(inputs: readonly string[]): void {
    const { by, grounds } = this.#sent.shift() ?? {}
    this.#leftRow = this.#screen.cursor.row
    this.#watched = 0
    if (this.#prompt && inputs.some((input) => input.trim())) this.#prompts.ran(this.#prompt.text)
    this.#prompt = undefined
    this.#commands.begin(inputs, { by, grounds })
  }

  /**
   * Whether a program that reads without echo (a password) got the return: no line was left, and
   * the shell is prompting on the same one.
   */
  #returnWasSwallowed(): boolean {
    if (!this.#sent.length || !this.#answeredSinceReturn) return false
    const { text } = this.#screen.beforeCursor()
    const asksAgain = this.#prompts.isEndOf(text, this.#prompt?.text)
    return asksAgain || this.#now() - this.#lastReturn > SWALLOWED_MS
  }
}

/** Whether keys have put anything there, for all that is known. */
const mayRemain = ({ text, withErased, isKnown, isDoubted }: TypedLine) =>
  text !== '' || withErased !== undefined || !isKnown || isDoubted

/**
 * While a line is being left, output is processed in steps: up to a line end, or to where a line
 * editor has finished.
 */
function endOfStep(text: string): number {
  const ends = ['\n', EDITED].map((end) => [text.indexOf(end), end.length] as const)
  return Math.min(text.length, ...ends.flatMap(([at, length]) => (at < 0 ? [] : [at + length])))
}
