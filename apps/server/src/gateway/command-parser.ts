import { Screen } from './screen.ts'

/** A command as it stood on the screen when it was sent off. */
export interface ParsedCommand {
  input: string
  output: string
  /** Unix seconds. */
  timestamp: number
}

const INPUT_MAX = 128
const OUTPUT_MAX = 1024
/** Characters looked at between two inputs. Endless output costs no more than this, and its end is what matters for the next prompt. */
const BURST_MAX = 32 * 1024
const PROMPTS_KEPT = 4
/** An answer without a line feed that is this old will not bring one for the return any more. */
const SWALLOWED_MS = 500
/** Prompts of shells and databases, for lines that were moved by completion lists or typed ahead. */
const PROMPT_END = /^.*?[$#%>❯➜]\s/u

/**
 * Reads off both directions of a session which commands were run (contract/gateway.yaml command_parsing). The command is what stands on the line after the
 * prompt when the line is left by the return that a person typed, so that history, completion, editing and pasting are seen as they are run. Input that is not
 * shown (passwords) leaves nothing behind the prompt and is never kept. Full-screen programs are passed over.
 */
export class CommandParser {
  readonly #screen: Screen
  readonly #emit: (command: ParsedCommand) => void
  /** Output that the screen has not seen yet. */
  #unseen: string[] = []
  #unseenLength = 0
  #prompt: { row: number; column: number; text: string } | undefined
  /** Prompts seen of late, the newest last: to know one again on a line that was moved or typed ahead. */
  #prompts: string[] = []
  /** Returns that were typed and whose line has not been left yet. */
  #sent = 0
  #lastReturn = 0
  #answeredSinceReturn = false
  #current: { input: string; timestamp: number; output: string } | undefined

  constructor(columns: number, emit: (command: ParsedCommand) => void) {
    this.#screen = new Screen(columns)
    this.#screen.onLineFeed = () => this.#leaveLine()
    this.#emit = emit
  }

  resize(columns: number): void {
    this.#look()
    this.#screen.resize(columns)
  }

  /** What the machine wrote. */
  output(text: string): void {
    this.#answeredSinceReturn = true
    // While a line is being left it must be seen at once, line by line: what follows it is the command's output.
    if (this.#sent > 0) {
      for (const part of text.split(/(?<=\n)/)) this.#watch(part)
      return
    }
    this.#collect(text)
    this.#unseen.push(text)
    this.#unseenLength += text.length
    // Between inputs only the end is kept.
    if (this.#unseenLength > BURST_MAX * 2) this.#dropBurst()
  }

  #watch(part: string): void {
    const before = this.#current
    this.#screen.write(part)
    if (this.#current === before) this.#collect(part)
  }

  #collect(text: string): void {
    if (this.#current && this.#current.output.length < OUTPUT_MAX * 2) this.#current.output += text.slice(0, OUTPUT_MAX * 2)
  }

  /** What a person typed or pasted, before it goes out. */
  input(text: string): void {
    this.#look()
    if (this.#screen.alternate) return
    if (this.#returnWasSwallowed()) {
      this.#sent = 0
      this.#prompt = undefined
    }
    if (!this.#prompt) {
      this.#finishCurrent()
      const { text: before } = this.#screen.beforeCursor()
      this.#prompt = { ...this.#screen.cursor, text: before }
      this.#remember(before)
    }
    for (const character of text) {
      if (character === '\r' || character === '\n') {
        this.#sent++
        this.#lastReturn = Date.now()
        this.#answeredSinceReturn = false
      }
      // Interrupting abandons the line; what follows starts behind a new prompt.
      else if (character === '\x03' || character === '\x04') this.#prompt = undefined
    }
  }

  /** The session is over: what was still collected goes out. */
  end(): void {
    this.#look()
    this.#finishCurrent()
  }

  #look(): void {
    if (!this.#unseenLength) return
    if (this.#unseenLength > BURST_MAX) this.#dropBurst()
    const text = this.#unseen.join('')
    this.#unseen = []
    this.#unseenLength = 0
    this.#screen.write(text)
  }

  #dropBurst(): void {
    const kept = this.#unseen.join('').slice(-BURST_MAX)
    // Starting in the middle of an output is like starting on a fresh line.
    this.#unseen = [`\r\n${kept}`]
    this.#unseenLength = kept.length + 2
  }

  /** A line feed while a return is on its way: the line being left is the command. */
  #leaveLine(): void {
    if (this.#sent === 0) return
    this.#sent--
    const input = this.#commandOnLine()
    this.#prompt = undefined
    this.#finishCurrent()
    if (input) this.#current = { input: input.slice(0, INPUT_MAX), timestamp: Math.floor(Date.now() / 1000), output: '' }
  }

  #commandOnLine(): string {
    const { row, text } = this.#screen.line()
    const { row: cursorRow } = this.#screen.cursor
    const prompt = this.#prompt
    if (prompt && prompt.row >= row && prompt.row <= cursorRow && text.startsWith(prompt.text.trimEnd()))
      return text.slice(prompt.text.length).trim()
    // A completion list or a redrawn screen moved the prompt, or the line was typed ahead.
    const known = this.#prompts.findLast((one) => text.startsWith(one.trimEnd()))
    if (known) return text.slice(known.length).trim()
    return text.replace(PROMPT_END, '').trim()
  }

  /** A program that reads without echo (a password) takes the return too: no line was left, and the shell is asking again on the same one. */
  #returnWasSwallowed(): boolean {
    if (this.#sent === 0 || !this.#answeredSinceReturn) return false
    const { text } = this.#screen.beforeCursor()
    const asksAgain = text !== this.#prompt?.text && this.#prompts.some((one) => text.endsWith(one))
    return asksAgain || Date.now() - this.#lastReturn > SWALLOWED_MS
  }

  #remember(prompt: string): void {
    if (!prompt.trim()) return
    this.#prompts = [...this.#prompts.filter((one) => one !== prompt), prompt].slice(-PROMPTS_KEPT)
  }

  #finishCurrent(): void {
    const current = this.#current
    this.#current = undefined
    if (current) this.#emit({ input: current.input, timestamp: current.timestamp, output: excerpt(current.output) })
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[()*+\-./#%].|.)/gs
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but tab and line feed
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g

/** Plain text of an output, without the next prompt, at most 1024 characters, cut at a line's end. */
function excerpt(output: string): string {
  const plain = output.replace(SEQUENCES, '').replace(/\r\n/g, '\n').replace(CONTROLS, '')
  const lines = plain.replace(/^\n/, '')
  const withoutPrompt = lines.includes('\n') ? lines.slice(0, lines.lastIndexOf('\n')) : ''
  if (withoutPrompt.length <= OUTPUT_MAX) return withoutPrompt
  const cut = withoutPrompt.slice(0, OUTPUT_MAX)
  return cut.includes('\n') ? cut.slice(0, cut.lastIndexOf('\n')) : cut
}
