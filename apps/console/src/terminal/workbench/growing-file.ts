/** Bytes that come piece by piece, handed to the browser, which keeps much of them on its disk. */

/** So much is in the page's own memory. */
const PIECE_BYTES = 8 * 1024 * 1024
/** A browser needs the address a while after the click. */
const REVOKE_MS = 60_000

export class GrowingFile {
  #whole = new Blob()
  #pieces: Uint8Array<ArrayBuffer>[] = []
  #bytes = 0

  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes as Uint8Array<ArrayBuffer>)
    this.#bytes += bytes.length
    if (this.#bytes >= PIECE_BYTES) this.#gather()
  }

  /** As a download of that name. */
  save(name: string): void {
    this.#gather()
    const address = URL.createObjectURL(this.#whole)
    const link = Object.assign(document.createElement('a'), { href: address, download: name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(address), REVOKE_MS)
  }

  #gather(): void {
    this.#whole = new Blob([this.#whole, ...this.#pieces])
    this.#pieces = []
    this.#bytes = 0
  }
}
