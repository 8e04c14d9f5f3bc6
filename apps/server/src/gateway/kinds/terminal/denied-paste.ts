const PASTE_ENDS = '\x1b[201~'
const CONTROL_C = 0x03
/** Bytes in which the end is looked for. */
const MARK_MAX = 4096

/** The rest of a paste that was denied: it goes nowhere, up to its end or to an interrupt. */
export class DeniedPaste {
  #isOn = false
  #seen = ''

  get isOn(): boolean {
    return this.#isOn
  }

  begin(): void {
    this.#isOn = true
  }

  /** Whether the bytes belong to it. */
  takes(bytes: Buffer): boolean {
    if (!this.#isOn) return false
    this.#seen = (this.#seen + bytes.toString('latin1')).slice(-MARK_MAX)
    if (this.#seen.includes(PASTE_ENDS) || bytes.includes(CONTROL_C)) {
      this.#isOn = false
      this.#seen = ''
    }
    return true
  }
}
