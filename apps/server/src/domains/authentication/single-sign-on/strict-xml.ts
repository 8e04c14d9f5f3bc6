/** XML of strangers: what no sign-in message needs is refused before anything is parsed. */
import { DOMParser } from '@xmldom/xmldom'

export interface XmlOptions {
  /**
   * Files that people write may hold comments; signed messages may not, since they split texts in
   * two.
   */
  comments?: boolean
}

/**
 * The root of a document without DTD, entities of its own, processing instructions or, unless
 * allowed, comments. Throws for everything else, and for what is not well-formed.
 */
export function parseXml(text: string, { comments = false }: XmlOptions = {}): Element {
  const plain = comments ? text.replace(/<!--[\s\S]*?-->/g, '') : text
  const body = plain.replace(/^\uFEFF?\s*<\?xml\s[^>]*\?>/, '')
  if (/<!(?!\[CDATA\[)|<\?/.test(body)) throw new Error('the XML holds a DTD, a comment or a processing instruction')
  const fault = (message: unknown) => {
    throw new Error(`the XML is not well-formed: ${String(message).slice(0, 200)}`)
  }
  const document = new DOMParser({
    locator: {},
    errorHandler: { warning: fault, error: fault, fatalError: fault },
  }).parseFromString(body.trim(), 'text/xml') as Document | undefined
  const [root, ...others] = document ? elementsBelow(document) : []
  if (!root || others.length) throw new Error('the XML has no root, or several')
  return root
}

/** The text of UTF-8 in base64. Throws for anything else. */
export function textOfBase64(encoded: string): string {
  const packed = encoded.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw new Error('this is not base64')
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(packed, 'base64'))
}

/** Elements directly below, of that name. */
export function childrenOf(element: Element, namespace: string, name: string): Element[] {
  return elementsBelow(element).filter((one) => one.namespaceURI === namespace && one.localName === name)
}

/**
 * The element directly below, of that name; undefined when there is none. Throws when there are
 * several: which one counts would be a guess.
 */
export function childOf(element: Element, namespace: string, name: string): Element | undefined {
  const found = childrenOf(element, namespace, name)
  if (found.length > 1) throw new Error(`there are several ${name}`)
  return found[0]
}

export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''

/** An attribute, or undefined when it is absent or empty. */
export const attributeOf = (element: Element, name: string): string | undefined =>
  element.getAttribute(name) || undefined

/** All elements directly below. */
export function elementsBelow(node: Node): Element[] {
  return Array.from(node.childNodes as unknown as ArrayLike<Node>).filter((one): one is Element => one.nodeType === 1)
}

/** The element and all below it. */
export function everyElement(root: Element): Element[] {
  const found = [root]
  for (const one of found) found.push(...elementsBelow(one))
  return found
}
