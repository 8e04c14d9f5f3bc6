/**
 * What we use of @xmldom/xmldom. Its own declarations bring in the browser's globals, so that
 * `name`, `event` or `length` would pass as variables everywhere in the server.
 */

export interface Node {
  readonly nodeType: number
  readonly parentNode: Node | null
  /** An object with a length and numbers, that can't be iterated. */
  readonly childNodes: ArrayLike<Node>
  readonly textContent: string | null
}

export interface Element extends Node {
  readonly localName: string
  readonly namespaceURI: string | null
  /** Empty where there is no such attribute. */
  getAttribute(name: string): string
}

export interface Document extends Node {
  readonly documentElement: Element
}

type Handler = (message: unknown) => void

export class DOMParser {
  constructor(options: { locator: object; errorHandler: Record<'warning' | 'error' | 'fatalError', Handler> })
  /** Undefined for an empty text. */
  parseFromString(text: string, mimeType: string): Document | undefined
}
