import { statfsSync } from 'node:fs'
import type { KeptSpace } from './kept-file.ts'

/** So much is left to recordings and all else, whatever the settings allow. */
const RESERVE_BYTES = 512 * 1024 * 1024

/** Disk space that the workbenches of a node share. */
export class NodeSpace implements KeptSpace {
  readonly #directory: string
  readonly #limit: () => number
  #taken = 0

  /** `directory`: one of that disk. `limit`: bytes. */
  constructor(directory: string, limit: () => number) {
    this.#directory = directory
    this.#limit = limit
  }

  claim(bytes: number): boolean {
    if (this.#taken + bytes > this.#limit() || !this.#hasRoom(bytes)) return false
    this.#taken += bytes
    return true
  }

  release(bytes: number): void {
    this.#taken -= bytes
  }

  /** Asked at once, as it is seldom asked: each step of a file is megabytes. */
  #hasRoom(bytes: number): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.#directory)
      return bavail * bsize > RESERVE_BYTES + bytes
    } catch {
      return false
    }
  }
}
