import { commandsAtWords } from './loose-commands.ts'
import { type ReadingLimits, TooMuch } from './reading-limits.ts'
import type { Unresolved } from './words.ts'

const MAX_COMMANDS = 40_000
/** The words of further unknown commands are looked at as well. */
const MAX_UNKNOWN = 64

/** A simple command that a text runs. */
export interface SeenCommand {
  /** As it is in the text. */
  source: string
  /** With quotes, variables and the like resolved, words divided by a blank. */
  text: string
  /** The command of which this is the end, such as `sudo ls` of `ls`. */
  within?: SeenCommand | undefined
}

/** Commands that a text runs, as far as it has been read. */
export class SeenCommands {
  readonly commands: SeenCommand[] = []
  readonly unresolved: Unresolved[] = []
  /** See `Reading`. */
  readsInput = false
  /** Variables get what comes to the text (`read`). */
  readsVariables = false
  /** See `Reading`. */
  isTooMuch = false
  /** It runs what can't be said; and so do the commands of `#unknown`, whose own words say nothing. */
  runsUnknown = false
  readonly #unknown: string[] = []
  /** Texts in languages that are no shell's. */
  readonly inCode: string[] = []
  readonly #limits: ReadingLimits

  constructor(limits: ReadingLimits) {
    this.#limits = limits
  }

  /** Throws TooMuch. */
  add(command: SeenCommand): void {
    if (this.commands.length >= MAX_COMMANDS) throw new TooMuch()
    this.#limits.see(command.text)
    this.commands.push(command)
  }

  obscure(text: string, why: Unresolved['why']): void {
    if (why === 'input' || why === 'file') {
      this.runsUnknown = true
      this.#unknown.push(text)
    }
    this.unresolved.push({ text, why })
  }

  /** Commands that may run besides, as far as the text says. */
  possibleIn(text: string): string[] {
    const unknown = this.#unknown.length > MAX_UNKNOWN ? [] : this.#unknown
    const rest = unknown.reduce((all, own) => all.replace(own, () => ' '), text)
    return [...this.inCode, ...(this.runsUnknown ? commandsAtWords(rest) : [])]
  }
}
