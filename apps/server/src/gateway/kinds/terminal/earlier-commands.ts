import { possibleExpansions } from '../../guard/shell/history.ts'

/** Commands that history expansion is looked up in, and characters of each. */
const KEPT = 100
const CHARACTERS = 4096

/** Commands that were sent without a gap, for those that repeat them by `!!` and the like. */
export class EarlierCommands {
  #commands: string[] = []

  /** Something was sent that was not seen. */
  forget(): void {
    this.#commands = []
  }

  add(command: string): void {
    if (!command.trim()) return
    // The newest there is known to the shell alone: nothing can be counted back from it.
    const [only, ...others] = possibleExpansions(command, this.#commands)
    if (only === undefined || others.length || only.length > CHARACTERS) this.forget()
    else this.#commands = [...this.#commands, only.trimEnd()].slice(-KEPT)
  }

  /** Possible expansions of a line by the shell. */
  expansionsOf(line: string): (string | undefined)[] {
    return line.length > CHARACTERS ? [] : possibleExpansions(line, this.#commands)
  }
}
