import { OUTPUT_MAX } from './command-output.ts'
import type { CommandReader, ParsedCommand } from './command-parser.ts'

const INPUT_MAX = 128
/** Longest line that is assembled from pieces. */
const LINE_MAX = 8192
/** A shell that reads its commands from standard input. */
const SHELL = /^\s*(?:\S*\/)?(?:ba|z|da|k|c|tc|fi|a)?sh(?:\s+-[a-z]+)*\s*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: whatever a program writes
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g

/**
 * The commands of a session without a terminal: the requested command with the beginning of its
 * output and, for a shell, each line of input.
 */
export class PlainCommands implements CommandReader {
  readonly fullScreen = false
  readonly #emit: (command: ParsedCommand) => void
  readonly #now: () => number
  readonly #takesLines: boolean
  #line = ''
  #current: ParsedCommand | undefined

  /** `command`: undefined for the login shell; `now`: in milliseconds. */
  constructor(command: string | undefined, emit: (command: ParsedCommand) => void, now: () => number) {
    this.#emit = emit
    this.#now = now
    this.#takesLines = command === undefined || SHELL.test(command)
    if (command !== undefined) this.#begin(command)
  }

  output(text: string): void {
    if (this.#current && this.#current.output.length < OUTPUT_MAX)
      this.#current.output = (this.#current.output + text.replace(/\r\n/g, '\n').replace(CONTROLS, '')).slice(
        0,
        OUTPUT_MAX,
      )
  }

  input(text: string): void {
    if (!this.#takesLines) return
    const lines = (this.#line + text).split('\n')
    this.#line = (lines.pop() ?? '').slice(0, LINE_MAX)
    for (const line of lines) if (line.trim()) this.#begin(line)
  }

  resize(): void {}

  /** Without a terminal, only the next command or the end shows that one is complete. */
  settle(): void {}

  end(): void {
    if (this.#line.trim()) this.#begin(this.#line)
    this.#line = ''
    if (this.#current) this.#emit(this.#current)
    this.#current = undefined
  }

  #begin(command: string): void {
    if (this.#current) this.#emit(this.#current)
    const input = command.replace(CONTROLS, '').trim().slice(0, INPUT_MAX)
    this.#current = { input, output: '', timestamp: Math.floor(this.#now() / 1000) }
  }
}
