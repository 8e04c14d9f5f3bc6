/** A word as a shell reads it, which is how rules read commands. */
export const quotedWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
