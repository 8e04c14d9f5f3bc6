import type { BeginCommand, BegunCommand } from '../../../session/command-log.ts'
import type { Typist } from '../../../session/typist.ts'
import type { TerminalSize } from '../streams.ts'
import { excerpt, OUTPUT_MAX } from './command-output.ts'
import { KeyedLine, type TypedLine } from './keyed-line.ts'
import { type RightPrompt, Screen } from './screen.ts'
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

/** What is in a line before anything is typed. */
interface Prompt {
  text: string
  right: RightPrompt | undefined
}

interface PromptInPlace extends Prompt {
  row: number
  /** A shell may have put text behind it that was set aside before. */
  mayHoldText?: boolean
}

/** A command that runs, or is about to; what comes of it gathers here. */
export interface RunningCommand {
  output: string
  /** See `BeginCommand`. */
  end(output: string): void
}

/** The line that is being edited, as far as it is known. */
export interface EditedLine extends TypedLine {
  fullScreen: boolean
  /** Within a paste that a line editor takes as text, line ends included. */
  isPasting: boolean
  /** What the screen shows of it; empty where that can't be told, several where it is not certain. */
  shown: string[]
  /** The same with the rows below the cursor: more of the line, or what a completion lists. */
  shownWithBelow: string[]
  /** A line editor is on: it shows what it makes of keys, and no program's terminal the keys. */
  hasEditor: boolean
  /** A program asks for something, such as a password. */
  isQuestion: boolean
  /** Nothing stands there. */
  isEmpty: boolean
  /** The cursor stands before all that is shown of it, or behind it. */
  isAtBegin: boolean
  isAtEnd: boolean
}

/** Recognises commands in both directions of a session. */
export interface CommandReader {
  /** Whether a full-screen program is on. */
  readonly fullScreen: boolean
  output(text: string): void
  /**
   * `by`: who typed it, when it was not the session's person; `grounds`: of the line that ends here.
   */
  input(text: string, by?: Typist, grounds?: Grounds): void
  /**
   * The line that is being typed was emptied: nothing of it is run. `isSeen`: it is known to be.
   */
  cleared(isSeen?: boolean): void
  resize(size: TerminalSize): void
  /**
   * To be called when nothing has come for a while: a command is complete once its prompt is back.
   */
  settle(): void
  end(): void
}

const INPUT_MAX = 128
/**
 * Characters of output to examine while a typed line is expected, which bounds the work that a
 * machine can cause.
 */
const WATCH_MAX = 1024 * 1024
const TYPED_MAX = 1024
const SENT_MAX = 1000
const PROMPTS_KEPT = 4
const SPLITS_MAX = 8
/** After so long, output without a line feed is not followed by one for the return any more. */
const SWALLOWED_MS = 500
/**
 * Bracketed paste: what terminals send around a paste, and line editors when they have accepted a
 * line.
 */
const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'
const EDITED = '\x1b[?2004l'
/** What zsh has in place of rows for which the window is too low. */
const CUT_BY_ZSH = /^>\.{4}|<\.{4}$/
/** Where zsh shows what is searched for, below the line; nothing that a shell would run. */
const SEARCHING_ZSH = /^(?:failing |invalid )?(?:bck|fwd)-i-search: [\w ./-]*_$/
/** Keys of zsh that set the line aside: push-line, run-help, which-command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are keys
const SETS_ASIDE = /(?:\x1b[qQhH?]|\x11)$/
/**
 * Prompts of shells and databases, for lines that were moved by completion lists or typed ahead.
 */
const PROMPT_END = /^.*?[$#%>❯➜]\s/u
/** A question that a program asks, such as for a password, ends otherwise. */
const SHELL_PROMPT = /[$#%>❯➜]\s*$/u

/**
 * Recognises which commands were run (contract/gateway.yaml command_parsing). A command is what is
 * on the line after the prompt when the cursor leaves that line because of a return that a person
 * typed; so history, completion, editing and pasting are seen as they are run. Input that is not
 * shown (passwords) leaves nothing after the prompt and is never stored. Full-screen programs are
 * ignored.
 */
export class CommandParser implements CommandReader {
  readonly #screen: Screen
  readonly #begin: BeginCommand
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
  /** The first prompt since a line editor came on, and whether a return was sent to it since. */
  #editing: { prompt: PromptInPlace; hasRows: boolean } | undefined
  /** How many lines keys have set aside, which zsh puts behind one of the next prompts each. */
  #aside = 0
  /**
   * Recent prompts, the newest last, for recognising one on a line that was moved or typed ahead.
   */
  #prompts: Prompt[] = []
  /** Those at which something was run. */
  readonly #shellPrompts = new Set<string>()
  /** Lines whose return was typed and that the cursor has not left yet. */
  #sent: SentLine[] = []
  /** The row in which the line before was left. */
  #leftRow = 0
  #typing: SentLine = emptyLine()
  readonly #keyed = new KeyedLine()
  /** The last keys, in which a paste may begin or end. */
  #keys = ''
  #pasting = false
  #lastReturn = 0
  /** Characters of output since the last return, or since the last line was left. */
  #watched = 0
  #answeredSinceReturn = false
  #leftByMoving = false
  #current: RunningCommand | undefined

  /** `now` in milliseconds. */
  constructor(size: TerminalSize, begin: BeginCommand, now: () => number = Date.now) {
    this.#screen = new Screen(size)
    this.#rows = size.rows
    this.#height = size.rows
    this.#screen.onDown = (how) => this.#leaveLine(how)
    this.#screen.onEdited = () => {
      this.#editing = undefined
      this.#leftAt = undefined
      this.#leftRow = this.#screen.cursor.row
      this.#leaveRows()
    }
    this.#begin = begin
    this.#now = now
  }

  resize(size: TerminalSize): void {
    this.#look()
    this.#screen.resize(size)
    this.#rows = size.rows
    this.#height = Math.min(this.#height, size.rows)
  }

  /** Whether a full-screen program is on. */
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
    this.#collect(rest)
    this.#unseen.add(rest)
  }

  #watch(part: string): void {
    const before = this.#current
    this.#leftByMoving = false
    this.#screen.write(part)
    // With a line feed the part ends with the command line; otherwise the command's output follows
    // within it.
    if (this.#current === before || this.#leftByMoving) this.#collect(part)
    this.#watched += part.length
    // So much output without the line: the return did not reach a line editor.
    if (this.#watched > WATCH_MAX) this.#giveUp()
  }

  #collect(text: string): void {
    if (this.#current && this.#current.output.length < OUTPUT_MAX * 2)
      this.#current.output += text.slice(0, OUTPUT_MAX * 2)
  }

  /** Takes what a person typed or pasted, before it is sent. */
  input(text: string, by?: Typist, grounds?: Grounds): void {
    this.#look()
    if (this.#screen.alternate) {
      for (const key of text) this.#keyed.takeUnseen(key)
      return
    }
    if (this.#returnWasSwallowed()) this.#giveUp()
    for (const character of text) {
      if (!this.#prompt) this.#beginLine()
      this.#type(character, by, grounds)
    }
  }

  #beginLine(): void {
    this.#finishCurrent()
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
    const mayHoldText = wasAside && this.#prompts.every((one) => one.text !== text)
    if (wasAside) this.#aside--
    this.#prompt = { row: this.#screen.cursor.row, text, right: this.#screen.rightPrompt(), mayHoldText }
    if (mayHoldText || this.#shorterPrompt(text)) this.#keyed.doubt()
    else {
      this.#remember(this.#prompt)
      if (this.#isDoubted) this.#keyed.begin()
    }
    this.#isDoubted = false
    // A shell that prompts again, without saying that its editor is done, has another line.
    const isNew = !this.#editing || this.#shellPrompts.has(text)
    if (this.#screen.takesPastes && isNew) this.#editing = { prompt: this.#prompt, hasRows: false }
  }

  #doubt(): void {
    this.#isDoubted = true
    this.#keyed.doubt()
  }

  /** Where the cursor is on another line, the one that is in doubt was given up. */
  #hasGoneOn(): boolean {
    const at = this.#prompt ?? this.#leftAt
    return at !== undefined && !this.#isAtPrompt(at)
  }

  /** The cursor has not left the line, which may hold what was typed there. */
  #isStillAt({ row, text }: PromptInPlace): boolean {
    if (row < this.#screen.line().row || row > this.#screen.cursor.row) return text.trim() !== '' && this.#isBlank()
    return true
  }

  #isBlank(): boolean {
    return this.#screen.beforeCursor().text.trim() === ''
  }

  /** A prompt that was there before, behind which a shell may have put text of its own. */
  #shorterPrompt(text: string): Prompt | undefined {
    return this.#prompts.find((one) => one.text !== text && text.startsWith(one.text))
  }

  /** The line as a return would run it now. */
  edited(): EditedLine {
    this.#look()
    const fullScreen = this.#screen.alternate
    if (!fullScreen && this.#returnWasSwallowed()) this.#giveUp()
    return {
      ...this.#keyed.line,
      isDoubted: this.#keyed.line.isDoubted && !this.#hasGoneOn(),
      fullScreen,
      isPasting: this.#pasting,
      shown: fullScreen ? [] : this.#shown('cursor'),
      shownWithBelow: fullScreen ? [] : this.#shown('last'),
      hasEditor: this.#screen.takesPastes,
      isEmpty: !fullScreen && this.#isEmpty(),
      isQuestion: this.#isQuestion(),
      ...this.#places(),
    }
  }

  #isEmpty(): boolean {
    if (this.#sent.length || this.#screen.isLost) return false
    if (!this.#prompt || !this.#isAtPrompt(this.#prompt)) return this.#behindKnownPrompt() === ''
    return this.#screen.line(this.#prompt.right).text === this.#prompt.text.trimEnd()
  }

  #places(): Pick<EditedLine, 'isAtBegin' | 'isAtEnd'> {
    const before = this.#screen.beforeCursor().text
    return {
      isAtBegin: before === this.#prompt?.text,
      isAtEnd: before.trimEnd() === this.#screen.line(this.#prompt?.right).text,
    }
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

  /** What stands on the line; more than one text where it is not certain where it begins. */
  #shown(to: 'cursor' | 'last'): string[] {
    const texts = this.#textsShown(to)
    return texts.some((one) => CUT_BY_ZSH.test(one)) ? [] : texts
  }

  #textsShown(to: 'cursor' | 'last'): string[] {
    // An earlier return is still on its way: this line is not to be seen yet.
    if (this.#sent.length || this.#screen.isLost) return []
    const { row } = this.#screen.line()
    if (this.#isTooTall(row)) return []
    const found = searchedLines(this.#screen.linesFrom(row, undefined, to).join('\n'))
    if (found.length) return found
    const prompt = this.#prompt
    if (this.#editing?.hasRows) return this.#behind(this.#editing.prompt, 'last')
    if (!prompt?.text.trim() || !this.#isAtPrompt(prompt)) {
      const known = this.#knownPrompt()
      const texts = known ? this.#behind({ ...known, row }, to) : []
      return this.#keyed.line.mayBeFetched ? this.#withRowsAbove(texts, to) : texts
    }
    const { text: typed, isKnown, isDoubted } = this.#keyed.line
    // What follows the cursor may be a suggestion of the shell.
    if (isKnown && !isDoubted && this.#screen.beforeCursor().text === prompt.text + typed) return [typed.trim()]
    // Text that a shell put there itself was taken for a part of the prompt.
    const shorter = this.#shorterPrompt(prompt.text)
    const stripped = prompt.mayHoldText ? PROMPT_END.exec(prompt.text)?.[0] : undefined
    return [prompt.text, shorter?.text, stripped].flatMap((start) =>
      start === undefined ? [] : this.#behind({ ...prompt, text: start }, to),
    )
  }

  /**
   * The line that a key has fetched may have rows above the cursor, which may look like prompts:
   * it begins at the first prompt since its first key. Where that can't be seen, nothing can be told.
   */
  #withRowsAbove(texts: readonly string[], to: 'cursor' | 'last'): string[] {
    const from = Math.max((this.#editing?.prompt ?? this.#prompt)?.row ?? 0, this.#leftRow)
    if (from < this.#screen.firstRow) return []
    for (let row = from; row <= this.#screen.cursor.row; row++) {
      const [line = ''] = this.#screen.linesFrom(row)
      const prompt = this.#promptOf(line)
      if (prompt) return [...new Set([...texts, ...this.#behind({ ...prompt, row }, to)])]
    }
    return []
  }

  #behind({ row, text, right }: PromptInPlace, to: 'cursor' | 'last'): string[] {
    if (this.#isTooTall(row)) return []
    const lines = this.#screen.linesFrom(row, right, to)
    if (lines.length > 1 && SEARCHING_ZSH.test(lines.at(-1) ?? '')) lines.pop()
    return [lines.join('\n').slice(text.length).trim()]
  }

  /** Of a line that fills the window, shells show a part, or rows above each other. */
  #isTooTall(row: number): boolean {
    const rows = this.#screen.lastRow - row + 1
    return row < this.#screen.firstRow || (this.#keyed.line.mayBeFetched && rows >= this.#height)
  }

  /**
   * Whether a program waits for an answer, and no shell for a command. Where a line editor asks for
   * pastes to be marked none does, whatever stands before the cursor.
   */
  #isQuestion(): boolean {
    if (this.#screen.takesPastes) return false
    const prompt = this.#prompt?.text ?? this.#screen.beforeCursor().text
    return !this.#sent.length && prompt.trim() !== '' && !SHELL_PROMPT.test(prompt) && !this.#shellPrompts.has(prompt)
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
      if (this.#aside > 0) this.#doubt()
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
    this.#leftRow = this.#screen.line().row
    this.#prompt = undefined
  }

  settle(): void {
    // If the person is typing, the prompt is known; if a return is on its way, it brings the next
    // line.
    if (!this.#current || this.#sent.length || this.#prompt) return
    this.#look()
    const { text } = this.#screen.beforeCursor()
    if (!this.#screen.alternate && this.#prompts.some((one) => one.text === text)) this.#finishCurrent()
  }

  /** Ends what was still being collected. */
  end(): void {
    this.#look()
    this.#finishCurrent()
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
    if (how === 'moved' && !(this.#prompt && this.#isAtPrompt(this.#prompt))) return
    const input = this.#prompt ? this.#commandAtPrompt(this.#prompt, line) : this.#commandTypedAhead(line)
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
    if (this.#prompt && inputs.some((input) => input.trim())) this.#keepShellPrompt(this.#prompt.text)
    this.#prompt = undefined
    const timestamp = Math.floor(this.#now() / 1000)
    this.#finishCurrent()
    for (const input of inputs) {
      if (!input.trim()) continue
      this.#finishCurrent()
      const end = this.#begin({ input: input.trim().slice(0, INPUT_MAX), timestamp, by, grounds })
      this.#current = { output: '', end }
    }
  }

  /** The command after a prompt that was there when the person began to type. */
  #commandAtPrompt(prompt: PromptInPlace, line: SentLine): string {
    if (this.#isAtPrompt(prompt)) {
      const { text } = this.#screen.line(prompt.right)
      if (prompt.text.trim()) return text.slice(prompt.text.length).trim()
      // Typed before the prompt was there, which has come in front of it since.
      return this.#commandTypedAhead(line) ?? text.trim()
    }
    // A completion list or a redrawn screen moved the prompt.
    return this.#behindKnownPrompt() ?? this.#screen.line().text.replace(PROMPT_END, '').trim()
  }

  #isAtPrompt(prompt: PromptInPlace): boolean {
    const { row, text } = this.#screen.line()
    return prompt.row >= row && prompt.row <= this.#screen.cursor.row && text.startsWith(prompt.text.trimEnd())
  }

  /**
   * Typed while something else was running: the line appears by itself as it was typed, or after a
   * prompt that was seen before.
   */
  #commandTypedAhead({ text: typed, isPlain }: SentLine): string | undefined {
    const { text } = this.#screen.line()
    const wanted = typed.trim()
    const known = this.#behindKnownPrompt()
    if (known !== undefined) return known
    if (isPlain) return text.trim() === wanted || text.replace(PROMPT_END, '').trim() === wanted ? wanted : undefined
    return PROMPT_END.test(text) ? text.replace(PROMPT_END, '').trim() : undefined
  }

  #knownPrompt(): Prompt | undefined {
    return this.#promptOf(this.#screen.line().text)
  }

  #promptOf(line: string): Prompt | undefined {
    return this.#prompts.findLast((one) => line.startsWith(one.text.trimEnd()))
  }

  #behindKnownPrompt(): string | undefined {
    const known = this.#knownPrompt()
    return known && this.#screen.line(known.right).text.slice(known.text.length).trim()
  }

  /**
   * Whether a program that reads without echo (a password) got the return: no line was left, and
   * the shell is prompting on the same one.
   */
  #returnWasSwallowed(): boolean {
    if (!this.#sent.length || !this.#answeredSinceReturn) return false
    const { text } = this.#screen.beforeCursor()
    const asksAgain = text !== this.#prompt?.text && this.#prompts.some((one) => text.endsWith(one.text))
    return asksAgain || this.#now() - this.#lastReturn > SWALLOWED_MS
  }

  #remember(prompt: Prompt): void {
    if (!prompt.text.trim()) return
    this.#prompts = [...this.#prompts.filter((one) => one.text !== prompt.text), prompt].slice(-PROMPTS_KEPT)
  }

  #keepShellPrompt(text: string): void {
    this.#shellPrompts.delete(text)
    this.#shellPrompts.add(text)
    const [oldest = ''] = this.#shellPrompts
    if (this.#shellPrompts.size > PROMPTS_KEPT) this.#shellPrompts.delete(oldest)
  }

  #finishCurrent(): void {
    const current = this.#current
    this.#current = undefined
    current?.end(excerpt(current.output))
  }
}

/** Whether keys have put anything there, for all that is known. */
const mayRemain = ({ text, withErased, isKnown, isDoubted }: TypedLine) =>
  text !== '' || withErased !== undefined || !isKnown || isDoubted

// A shell searches its history: what it has found stands behind what was searched for.
const SEARCH = /^\((?:failed )?(?:reverse-)?i-search\)`/

/** The lines that a search through the history may have found, which it shows in place of a prompt. */
function searchedLines(text: string): string[] {
  if (!SEARCH.test(text)) return []
  const parts = text.split("': ").slice(0, SPLITS_MAX)
  return parts.length < 2 ? [''] : parts.slice(1).map((_, at) => parts.slice(at + 1).join("': "))
}

/**
 * While a line is being left, output is processed in steps: up to a line end, or to where a line
 * editor has finished.
 */
function endOfStep(text: string): number {
  const ends = ['\n', EDITED].map((end) => [text.indexOf(end), end.length] as const)
  return Math.min(text.length, ...ends.flatMap(([at, length]) => (at < 0 ? [] : [at + length])))
}
