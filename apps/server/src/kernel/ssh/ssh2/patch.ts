/** One exact piece of a source of ssh2, and its replacement. */
export interface Change {
  /** Below `ssh2/lib`. */
  file: string
  /** Occurs once in the file. */
  was: string
  is: string
}

/** How one fault of ssh2 is mended. */
export type Patch = readonly Change[]

/**
 * The source with all changes to this file. Throws when a changed piece is not there exactly once:
 * then this is not the release of ssh2 that the patches were written for.
 */
export function patched(file: string, source: string, patches: readonly Patch[]): string {
  let text = source
  for (const change of patches.flat()) {
    if (change.file !== file) continue
    const [before, after, ...more] = text.split(change.was)
    if (before === undefined || after === undefined || more.length)
      throw new Error(`ssh2 has changed: lib/${file} does not hold this once: ${change.was}`)
    text = before + change.is + after
  }
  return text
}
