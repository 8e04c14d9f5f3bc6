/** How much one body of JSON may hold. */
export interface JsonBounds {
  /** Lists and objects. */
  containers: number
  values: number
}

/** A form, or a list of ids. */
export const ORDINARY: JsonBounds = { containers: 20_000, values: 200_000 }
/** Rows of an import: fifty thousand, with some lists each. */
export const MANY_ROWS: JsonBounds = { containers: 500_000, values: 2_000_000 }

/** Depth of nested lists and objects. */
const MAX_DEPTH = 64
/**
 * Different beginnings of objects, by their keys in order. For each the engine creates another
 * hidden class, which is what makes parsing slow: ten thousand keys in any order take seconds.
 */
const MAX_SHAPES = 5_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Parses a body of JSON. A few megabytes of nothing but brackets or keys may take seconds, during
 * which the node answers nobody: such a body is refused before it is parsed. Throws SyntaxError for
 * malformed JSON and RangeError beyond the bounds.
 */
export function readJson(text: string, bounds: JsonBounds = ORDINARY): unknown {
  checkShape(text, bounds)
  return JSON.parse(text)
}

/** One pass over the text; malformed JSON is left to the parser. */
function checkShape(text: string, bounds: JsonBounds): void {
  /** For each beginning of an object, those that are one key longer. The first has none. */
  const shapes: Map<string, number>[] = [new Map()]
  /** The shapes of what is open; -1 for a list. */
  const open: number[] = []
  let containers = 0
  let values = 0
  /** Where the last string begins and ends: it was a key if a colon follows. */
  let start = 0
  let end = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        start = at + 1
        end = endOfString(text, start)
        if (end < 0) return
        at = end
        break
      case OPEN_LIST:
        containers++
        open.push(-1)
        break
      case OPEN_OBJECT:
        containers++
        open.push(0)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open.pop()
        break
      case COMMA:
        values++
        break
      case COLON:
        lengthen(open, text.slice(start, end), shapes)
    }
    if (
      open.length > MAX_DEPTH ||
      containers > bounds.containers ||
      values > bounds.values ||
      shapes.length > MAX_SHAPES
    )
      throw new RangeError('JSON out of bounds')
  }
}

/** The innermost object has one more key. */
function lengthen(open: number[], key: string, shapes: Map<string, number>[]): void {
  const shape = shapes[open.at(-1) ?? -1]
  if (!shape) return
  let next = shape.get(key)
  if (next === undefined) {
    next = shapes.push(new Map()) - 1
    shape.set(key, next)
  }
  open[open.length - 1] = next
}

/** Position of the closing quote, -1 when there is none. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
