/** Levels of lists and objects within each other. */
const MAX_DEPTH = 64
/** Lists and objects in one body: fifty thousand rows of an import with some lists each fit. */
const MAX_CONTAINERS = 500_000
/** Values in one body. */
const MAX_VALUES = 2_000_000
/**
 * Different keys in one body: each is one more shape of object for the engine, which is what makes
 * reading slow.
 */
const MAX_KEYS = 10_000
/** Bodies below this can't hold a node up, whatever they are. */
const SMALL = 64 * 1024

/**
 * A body of JSON. A few megabytes may take seconds to read when they are nothing but brackets or
 * keys, and the node answers nobody meanwhile: such a body is refused before it is read. Throws
 * SyntaxError for what is no JSON and RangeError for what is out of the bounds.
 */
export function readJson(text: string): unknown {
  if (text.length > SMALL) checkShape(text)
  return JSON.parse(text)
}

/** One pass over the text; what is no JSON is left for the parser to refuse. */
function checkShape(text: string): void {
  const keys = new Set<string>()
  let depth = 0
  let containers = 0
  let values = 0
  /** Where the last string begins and ends: it was a key when a colon follows. */
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
