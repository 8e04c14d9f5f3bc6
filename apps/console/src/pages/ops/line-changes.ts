export interface LineChange {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Beyond so many pairs of lines all that lies between the first and the last change counts as new. */
const PAIRS_MAX = 4_000_000

/** How one text became another, line by line, by their longest common subsequence. */
export function lineChanges(before: string, after: string): LineChange[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let begin = 0
  while (begin < Math.min(old.length, now.length) && old[begin] === now[begin]) begin++
  let end = 0
  while (end < Math.min(old.length, now.length) - begin && old.at(-1 - end) === now.at(-1 - end)) end++
  const same = (text: string): LineChange => ({ kind: 'same', text })
  return [
    ...now.slice(0, begin).map(same),
    ...changesBetween(old.slice(begin, old.length - end), now.slice(begin, now.length - end)),
    ...now.slice(now.length - end).map(same),
  ]
}

function changesBetween(old: readonly string[], now: readonly string[]): LineChange[] {
  const width = now.length + 1
  const isTooMuch = old.length * now.length > PAIRS_MAX
  /** How many lines both have in common from here on. */
  const common = new Uint32Array(isTooMuch ? 0 : (old.length + 1) * width)
  for (let i = old.length - 1; i >= 0 && !isTooMuch; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
  const changes: LineChange[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j] && !isTooMuch) {
      changes.push({ kind: 'same', text: old[i++] ?? '' })
      j++
    } else if (
      i < old.length &&
      (j >= now.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    )
      changes.push({ kind: 'removed', text: old[i++] ?? '' })
    else changes.push({ kind: 'added', text: now[j++] ?? '' })
  }
  return changes
}
