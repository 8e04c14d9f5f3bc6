import type { BeginCommand, BegunCommand } from '../../../session/command-log.ts'
import { OUTPUT_MAX } from './command-output.ts'
import type { CommandReader, RunningCommand } from './command-reader.ts'
import { readsCommands } from './reads-commands.ts'

const INPUT_MAX = 128
/** Longest line that is assembled from pieces. */
const LINE_MAX = 8192
// biome-ignore lint/suspicious/noControlCharactersInRegex: whatever a program writes
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g

/**
 * The commands of a session without a terminal: the requested command with the beginning of its
 * output and, for a shell, each line of input.
 */
export class PlainCommands implements CommandReader {
  readonly fullScreen = false
  readonly #begin: BeginCommand
  readonly #now: () => number
  readonly #takesLines: boolean
  #line = ''
  #current: RunningCommand | undefined

  /**
   * `command`: undefined for the login shell; `endProgram` ends its row, which is there already;
   * `now`: in milliseconds.
   */
  constructor(
    { command, endProgram }: { command: string | undefined; endProgram?: RunningCommand['end'] | undefined },
    begin: BeginCommand,
    now: () => number,
  ) {
    this.#begin = begin
    this.#now = now
    this.#takesLines = readsCommands(command)
    if (endProgram) this.#current = { output: '', end: endProgram }
  }

  lineBeforeCursor(): string {
    return ''
  }

  output(text: string): void {
    if (this.#current && this.#current.output.length < OUTPUT_MAX)
      this.#current.output = (this.#current.output + text.replace(/\r\n/g, '\n').replace(CONTROLS, '')).slice(
        0,
        OUTPUT_MAX,
      )
  }

  input(text: string, by?: BegunCommand['by'], grounds?: BegunCommand['grounds']): void {
    if (!this.#takesLines) return
    const lines = (this.#line + text).split('\n')
    this.#line = (lines.pop() ?? '').slice(0, LINE_MAX)
    for (const line of lines) if (line.trim()) this.#runs({ ...plainCommand(line, this.#now()), by, grounds })
  }

  cleared(): void {}

  resize(): void {}

  /** Without a terminal, only the next command or the end shows that one is complete. */
  settle(): void {}

  end(): void {
    if (this.#line.trim()) this.#runs(plainCommand(this.#line, this.#now()))
    this.#line = ''
    this.#finishCurrent()
  }

  #runs(command: BegunCommand): void {
    this.#finishCurrent()
    this.#current = { output: '', end: this.#begin(command) }
  }

  #finishCurrent(): void {
    this.#current?.end(this.#current.output)
    this.#current = undefined
  }
}

/** As it is stored; `now` in milliseconds. */
export function plainCommand(text: string, now: number): BegunCommand {
  return { input: text.replace(CONTROLS, '').trim().slice(0, INPUT_MAX), timestamp: Math.floor(now / 1000) }
}
