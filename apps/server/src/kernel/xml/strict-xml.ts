/** Untrusted XML: whatever messages of programs don't need is refused before parsing. */
import { DOMParser, type Element, type Node } from '@xmldom/xmldom'
import { checkXmlBounds, type XmlBounds } from './xml-bounds.ts'

export interface XmlOptions {
  /** Allowed in files that people write; in signed messages a comment splits a text in two. */
  comments?: boolean
  /** Those of a sign-in message where none are given. */
  bounds?: XmlBounds
}

/**
 * The root of a document without DTD, custom entities, processing instructions or (unless allowed)
 * comments, within its bounds. Throws for anything else, and for malformed XML.
 */
export function parseXml(text: string, { comments = false, bounds }: XmlOptions = {}): Element {
  const plain = comments ? withoutComments(text) : text
  const body = plain.replace(/^\uFEFF?\s*<\?xml\s[^>]*\?>/, '')
  if (/<!(?!\[CDATA\[)|<\?/.test(body)) throw new Error('the XML holds a DTD, a comment or a processing instruction')
  checkXmlBounds(body, bounds)
  const fault = (message: unknown) => {
    throw new Error('the XML is not well-formed', { cause: message })
  }
  const document = new DOMParser({
    locator: {},
    errorHandler: { warning: fault, error: fault, fatalError: fault },
  }).parseFromString(body.trim(), 'text/xml')
  const [root, ...others] = document ? elementsBelow(document) : []
  if (!root || others.length) throw new Error('the XML has no root, or several')
  return root
}

/** Not by an expression, which would look for the end of each comment that has none. */
function withoutComments(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', at + 4)
    if (end < 0) break
    parts.push(text.slice(from, at))
    from = end + 3
  }
  return parts.join('') + text.slice(from)
}

/** UTF-8 text from base64. Throws for anything else. */
export function textOfBase64(encoded: string): string {
  const packed = encoded.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw new Error('this is not base64')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(packed, 'base64'))
}

/** Children of that name. */
export function childrenOf(element: Element, namespace: string, name: string): Element[] {
  return elementsBelow(element).filter((one) => one.namespaceURI === namespace && one.localName === name)
}

/**
 * The child of that name; undefined when there is none. Throws when there are several, as it would
 * be unclear which counts.
 */
export function childOf(element: Element, namespace: string, name: string): Element | undefined {
  const found = childrenOf(element, namespace, name)
  if (found.length > 1) throw new Error(`there are several ${name}`)
  return found[0]
}

export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''

/** An attribute; undefined when it is missing or empty. */
export const attributeOf = (element: Element, name: string): string | undefined =>
  element.getAttribute(name) || undefined

/** All child elements. */
export function elementsBelow(node: Node): Element[] {
  return Array.from(node.childNodes).filter((one): one is Element => one.nodeType === 1)
}

/** The element and all its descendants. */
export function everyElement(root: Element): Element[] {
  const found = [root]
  for (const one of found) found.push(...elementsBelow(one))
  return found
}
