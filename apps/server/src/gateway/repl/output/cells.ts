/** Characters that would control the terminal or are not seen, but for line ends. */
const NOT_SHOWN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A value of a table in one row: what would control the terminal is shown as an escape. */
export function cellText(text: string): string {
  return text.replace(NOT_SHOWN, escaped)
}

/** The same in as many rows as it has. */
export function cellRows(text: string): string[] {
  return text.split('\n').map((row) => cellText(row.replace(/\r$/, '')))
}

function escaped(character: string): string {
  const short = SHORT[character]
  if (short) return short
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}
