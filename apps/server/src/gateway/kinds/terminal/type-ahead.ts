/** Bytes that are kept. */
const MAX_BYTES = 4096

/** Input of a person before the machine has answered: for the shell, not for a question. */
export class TypeAhead {
  #kept: Buffer[] = []
  #bytes = 0
  #open = true

  /** Keeps it, within bounds. False when it does not. */
  add(bytes: Buffer): boolean {
    if (!this.#open || this.#bytes + bytes.length > MAX_BYTES) return false
    this.#kept.push(Buffer.from(bytes))
    this.#bytes += bytes.length
    return true
  }

  /**
   * A question was asked: what was typed may have been its answer, so none of it may go to a shell.
   */
  forget(): void {
    this.#open = false
    this.#kept = []
  }

  take(): Buffer {
    const all = Buffer.concat(this.#kept)
    this.forget()
    return all
  }
}
