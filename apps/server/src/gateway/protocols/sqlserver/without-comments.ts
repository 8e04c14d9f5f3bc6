/**
 * Text that is no comment: a quoted text or name, or anything else. Marks mean something only where
 * one begins.
 */
const PLAIN = /(?:[^'"[\-/]+|-(?!-)|\/(?!\*))+/y
/** A quote within is there twice, which reads as two texts side by side. */
const QUOTED = /'[^']*'?|"[^"]*"?|\[[^\]]*(?:\]\][^\]]*)*\]?/y
const LINE = /--[^\r\n]*/y
const MARK = /\/\*|\*\//g

/**
 * A statement as SQL Server reads it: comments, which may stand within each other, are blanks, and
 * blanks between words are one. Undefined when that is what was sent.
 */
export function withoutComments(text: string): string | undefined {
  let seen = ''
  for (let at = 0; at < text.length; ) {
    const plain = matchAt(PLAIN, text, at)
    const quoted = plain === undefined ? matchAt(QUOTED, text, at) : undefined
    const comment = plain ?? quoted ?? matchAt(LINE, text, at) ?? blockAt(text, at)
    seen += plain?.replaceAll(/\s+/g, ' ') ?? quoted ?? ' '
    at += comment.length
  }
  const read = seen.replaceAll(/ {2,}/g, ' ').trim()
  return read === text ? undefined : read
}

/** A comment of several rows, to its own end. */
function blockAt(text: string, at: number): string {
  MARK.lastIndex = at
  for (let depth = 0; ; ) {
    const mark = MARK.exec(text)
    if (!mark) return text.slice(at)
    depth += mark[0] === '/*' ? 1 : -1
    if (!depth) return text.slice(at, MARK.lastIndex)
  }
}

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at
  return expression.exec(text)?.[0]
}
