/**
 * Text that is no comment: a string, a string between marks of its own, a name, or anything else.
 */
const PLAIN = /(?:[^'"\-/qQ]+|-(?!-)|\/(?!\*)|[qQ](?!'))+/y
/** `q'[…]'`; of other marks the one at the beginning is that at the end. A `q` at the end of a name is none. */
const MARKED =
  /(?<=(?:^|[^\p{L}\p{N}_$#])[nN]?)[qQ]'(?:\[[\s\S]*?(?:\]'|$)|\{[\s\S]*?(?:\}'|$)|\([\s\S]*?(?:\)'|$)|<[\s\S]*?(?:>'|$)|([^\s[{(<])[\s\S]*?(?:\1'|$))/uy
/** A quote within is there twice, which reads as two texts side by side. */
const QUOTED = /'[^']*'?|"[^"]*"?/y
const LINE = /--[^\r\n]*/y
/** None is within another. */
const BLOCK = /\/\*[\s\S]*?(?:\*\/|$)/y

/**
 * A statement as Oracle reads it: comments, hints among them, are blanks, and blanks between words are
 * one. Undefined when that is what was sent.
 */
export function withoutComments(text: string): string | undefined {
  let seen = ''
  for (let at = 0; at < text.length; ) {
    const plain = matchAt(PLAIN, text, at)
    const quoted = plain === undefined ? (matchAt(MARKED, text, at) ?? matchAt(QUOTED, text, at)) : undefined
    const comment = plain ?? quoted ?? matchAt(LINE, text, at) ?? matchAt(BLOCK, text, at)
    seen += plain?.replaceAll(/\s+/g, ' ') ?? quoted ?? (comment === undefined ? text[at] : ' ')
    at += comment?.length ?? 1
  }
  const read = seen.replaceAll(/ {2,}/g, ' ').trim()
  return read === text ? undefined : read
}

/** End of the text or name that is quoted from there on; the place itself where none is. */
export function endOfQuoted(text: string, at: number): number {
  const marked = at > 0 && text[at] === "'" ? matchAt(MARKED, text, at - 1) : undefined
  return marked ? at - 1 + marked.length : at + (matchAt(QUOTED, text, at)?.length ?? 0)
}

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}
