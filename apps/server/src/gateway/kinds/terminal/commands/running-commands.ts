import type { BeginCommand, BegunCommand } from '../../../session/command-log.ts'
import { excerpt, OUTPUT_MAX } from './command-output.ts'
import type { RunningCommand } from './command-reader.ts'

const INPUT_MAX = 128

/** Rows of the commands that were recognized: each is begun as it runs, and ends with what came of it. */
export class RunningCommands {
  readonly #begin: BeginCommand
  readonly #now: () => number
  #current: RunningCommand | undefined

  /** `now` in milliseconds. */
  constructor(begin: BeginCommand, now: () => number) {
    this.#begin = begin
    this.#now = now
  }

  get current(): RunningCommand | undefined {
    return this.#current
  }

  /** Each of several lines that were accepted together is a command. */
  begin(inputs: readonly string[], of: Pick<BegunCommand, 'by' | 'grounds'>): void {
    const timestamp = Math.floor(this.#now() / 1000)
    this.finish()
    for (const input of inputs) {
      if (!input.trim()) continue
      this.finish()
      const end = this.#begin({ input: input.trim().slice(0, INPUT_MAX), timestamp, ...of })
      this.#current = { output: '', end }
    }
  }

  collect(text: string): void {
    if (this.#current && this.#current.output.length < OUTPUT_MAX * 2)
      this.#current.output += text.slice(0, OUTPUT_MAX * 2)
  }

  finish(): void {
    const current = this.#current
    this.#current = undefined
    current?.end(excerpt(current.output))
  }
}
