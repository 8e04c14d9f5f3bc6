/**
 * Characters of output to process between two inputs. This bounds the cost of endless output, whose
 * end is what matters for the next prompt.
 */
const BURST_MAX = 32 * 1024
/** Longest sequence that switches between the screens. */
const SWITCH_MAX = 16

/** Output that has not been processed yet. Between two inputs only its end is kept. */
export class UnseenOutput {
  #pieces: string[] = []
  #length = 0

  add(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length > BURST_MAX * 2) this.#keepEnd()
  }

  /** The output to process; nothing is kept. */
  take(): string {
    if (this.#length > BURST_MAX) this.#keepEnd()
    const text = this.#pieces.join('')
    this.#pieces = []
    this.#length = 0
    return text
  }

  #keepEnd(): void {
    const text = this.#pieces.join('')
    // Starting in the middle of output is like starting on a new line, on the screen that was
    // chosen last.
    const kept = `${lastScreenSwitch(text.slice(0, SWITCH_MAX - BURST_MAX))}\r\n${text.slice(-BURST_MAX)}`
    this.#pieces = [kept]
    this.#length = kept.length
  }
}

/** The last sequence in the dropped output that switches to the alternate screen or back. */
function lastScreenSwitch(text: string): string {
  for (let at = text.lastIndexOf('\x1b[?'); at >= 0; at = at > 0 ? text.lastIndexOf('\x1b[?', at - 1) : -1) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ESC
    const found = /^\x1b\[\?(?:1049|1048|1047|47)[hl]/.exec(text.slice(at, at + SWITCH_MAX))
    if (found) return found[0]
  }
  return ''
}
