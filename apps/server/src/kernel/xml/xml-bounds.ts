/** How much one XML document may hold. */
export interface XmlBounds {
  elements: number
  depth: number
  /** Number of attributes of an element. */
  attributes: number
}

/** A sign-in message of somebody in a thousand groups holds about as many. */
const MESSAGE: XmlBounds = { elements: 2500, depth: 32, attributes: 32 }

/**
 * One pass over the text, before any parser or signature library sees it: those take a time that
 * grows with the square of elements, levels or attributes, and what is read here comes from
 * strangers. Throws beyond the bounds. What is malformed is left to the parser.
 */
export function checkXmlBounds(text: string, { elements, depth, attributes }: XmlBounds = MESSAGE): void {
  let found = 0
  let level = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    if (text.startsWith('<![CDATA[', at)) {
      at = endOf(text, ']]>', at)
      continue
    }
    if (text[at + 1] === '/') level--
    else {
      found++
      level++
    }
    const tag = readTag(text, at + 1)
    if (tag.isEmpty) level--
    if (found > elements || level > depth || tag.attributes > attributes)
      throw new Error('the XML holds more elements, levels or attributes than such a message may')
    at = tag.end
  }
}

/** Where that which begins at `from` ends; the end of the text where it does not. */
function endOf(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

/** The tag from behind its `<` to behind its `>`, which may be in a quoted value as well. */
function readTag(text: string, from: number): { end: number; attributes: number; isEmpty: boolean } {
  let attributes = 0
  let at = from
  for (; at < text.length; at++) {
    const sign = text[at]
    if (sign === '=') attributes++
    else if (sign === '"' || sign === "'") at = endOf(text, sign, at + 1) - 1
    else if (sign === '>') return { end: at + 1, attributes, isEmpty: text[at - 1] === '/' }
  }
  return { end: at, attributes, isEmpty: false }
}
