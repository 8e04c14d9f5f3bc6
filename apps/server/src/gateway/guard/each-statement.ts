/**
 * The readings together may have so many times the length of the text: a text with ever more
 * readings is denied.
 */
const READ_MAX = 16

/**
 * Visits every statement that may be in a text of several, each of which may have changed how the next one is read
 * (`SET sql_mode`, in whatever words): so each is read in every way. `endOf`: where the statement ends that is read in
 * this way from there, which is its semicolon or the end of the text. False when there are more than are looked at.
 */
export function eachStatement<W>(length: number, ways: readonly W[], endOf: (way: W, from: number) => number): boolean {
  const starts = new Set([0])
  let left = (length + 1) * READ_MAX
  // Goes on with those that are added meanwhile.
  for (const from of starts)
    for (const way of ways) {
      const end = endOf(way, from)
      left -= end - from + 1
      if (left < 0) return false
      if (end < length) starts.add(end + 1)
    }
  return true
}
