import { fitText, plainText, textWidth } from '../../prompt/plain-text.ts'

/** More are not listed, only counted. */
const LISTED_MAX = 200
const BETWEEN = 2

/** Common beginning of all, in whatever case, as the first has it. */
export function commonStart(candidates: readonly string[]): string {
  const [first = '', ...others] = candidates
  let length = first.length
  for (const other of others)
    while (first.slice(0, length).toLowerCase() !== other.slice(0, length).toLowerCase()) length--
  return first.slice(0, length)
}

/** Listed beside each other, as many as fit; each line ends with CR LF. */
export function columnsOf(candidates: readonly string[], columns: number): string {
  const listed = candidates.slice(0, LISTED_MAX).map(plainText)
  const width = Math.min(columns - 1, Math.max(...listed.map(textWidth)) + BETWEEN)
  const count = Math.max(1, Math.floor((columns - 1) / width))
  const lines: string[] = []
  for (let at = 0; at < listed.length; at += count)
    lines.push(
      listed
        .slice(at, at + count)
        .map((one) => fitText(one, width))
        .join('')
        .trimEnd(),
    )
  if (candidates.length > listed.length) lines.push(`… ${candidates.length}`)
  return lines.map((line) => `${line}\r\n`).join('')
}
