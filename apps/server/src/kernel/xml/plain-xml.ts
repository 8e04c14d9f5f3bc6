import type { Element } from '@xmldom/xmldom'
import { elementsBelow, parseXml, textOf } from './strict-xml.ts'

/** An element as a value: its text, or its children by name, of which several are a list. */
export type PlainXml = string | readonly PlainXml[] | { readonly [name: string]: PlainXml }

/** A page of a thousand machines has half as many elements. */
const ANSWER = { elements: 500_000, depth: 64, attributes: 16 }

/**
 * An answer of a service as a value, its root by its name; without attributes and namespaces. All
 * is text, as ids may look like numbers. Elements with a name in `lists` are a list even where there
 * is one. Throws for what is no such XML, or beyond the bounds.
 */
export function plainXml(text: string, lists: readonly string[]): Readonly<Record<string, PlainXml>> {
  const root = parseXml(text, { comments: true, bounds: ANSWER })
  return { [root.localName]: plain(root, lists) }
}

function plain(element: Element, lists: readonly string[]): PlainXml {
  const children = elementsBelow(element)
  if (!children.length) return textOf(element)
  const byName = new Map<string, PlainXml[]>()
  for (const child of children) {
    const found = byName.get(child.localName)
    if (found) found.push(plain(child, lists))
    else byName.set(child.localName, [plain(child, lists)])
  }
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.length > 1 || lists.includes(name) ? all : (all[0] ?? '')]),
  )
}
