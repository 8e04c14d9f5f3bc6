/**
 * Characters looked at between two inputs. Endless output costs no more than this, and its end is
 * what matters for the next prompt.
 */
const BURST_MAX = 32 * 1024
/** Longest sequence that switches between the screens. */
const SWITCH_MAX = 16

/** Output that has not been looked at yet. Between two inputs only its end is kept. */
export class UnseenOutput {
  #pieces: string[] = []
  #length = 0

  add(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length > BURST_MAX * 2) this.#keepEnd()
  }

  /** What is to be looked at; nothing is left. */
  take(): string {
    if (this.#length > BURST_MAX) this.#keepEnd()
    const text = this.#pieces.join('')
    this.#pieces = []
    this.#length = 0
    return text
  }

  #keepEnd(): void {
    const text = this.#pieces.join('')
    // Starting in the middle of an output is like starting on a fresh line, on the screen that was
    // chosen last.
    const kept = `${lastScreenSwitch(text.slice(0, SWITCH_MAX - BURST_MAX))}\r\n${text.slice(-BURST_MAX)}`
    this.#pieces = [kept]
    this.#length = kept.length
  }
}

/**
 * The last sequence that goes to the second screen or comes back, in what will not be looked at
 * otherwise.
 */
function lastScreenSwitch(text: string): string {
  for (let at = text.lastIndexOf('\x1b[?'); at >= 0; at = at > 0 ? text.lastIndexOf('\x1b[?', at - 1) : -1) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC
    const found = /^\x1b\[\?(?:1049|1048|1047|47)[hl]/.exec(text.slice(at, at + SWITCH_MAX))
    if (found) return found[0]
  }
  return ''
}
