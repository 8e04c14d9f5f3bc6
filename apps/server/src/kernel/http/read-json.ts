/** Depth of nested lists and objects. */
const MAX_DEPTH = 64
/**
 * Lists and objects in one body: enough for an import of fifty thousand rows with some lists each.
 */
const MAX_CONTAINERS = 500_000
/** Values in one body. */
const MAX_VALUES = 2_000_000
/**
 * Different keys in one body: each makes the engine create another hidden class, which is what
 * makes parsing slow.
 */
const MAX_KEYS = 10_000
/** Characters below which no body can hold up a node. */
const SMALL = 64 * 1024

/**
 * Parses a body of JSON. A few megabytes of nothing but brackets or keys may take seconds, during
 * which the node answers nobody: such a body is refused before it is parsed. Throws SyntaxError for
 * malformed JSON and RangeError beyond the bounds.
 */
export function readJson(text: string): unknown {
  if (text.length > SMALL) checkShape(text)
  return JSON.parse(text)
}

/** One pass over the text; malformed JSON is left to the parser. */
function checkShape(text: string): void {
  const keys = new Set<string>()
  let depth = 0
  let containers = 0
  let values = 0
  /** Where the last string begins and ends: it was a key if a colon follows. */
  let start = 0
  let end = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        start = at + 1
        end = endOfString(text, start)
        if (end < 0) return
        at = end
        break
      case '[':
      case '{':
        containers++
        depth++
        break
      case ']':
      case '}':
        depth--
        break
      case ',':
        values++
        break
      case ':':
        keys.add(text.slice(start, end))
    }
    if (depth > MAX_DEPTH || containers > MAX_CONTAINERS || values > MAX_VALUES || keys.size > MAX_KEYS)
      throw new RangeError('JSON out of bounds')
  }
}

/** Position of the closing quote, -1 when there is none. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
