/** Reading what clouds answer: nothing is believed to be there, or to be of a kind. */

import { XMLParser } from 'fast-xml-parser'
import { MANY_ROWS, readJson } from '../../../kernel/http/read-json.ts'
import { checkXmlBounds } from '../../../kernel/xml-bounds.ts'
import { CloudError } from './cloud-error.ts'
import type { CloudAnswer } from './transport.ts'

export type Json = Readonly<Record<string, unknown>>

/** The answer's object. Throws CloudError for anything else, such as a proxy's page. */
export function jsonOf({ status, text }: CloudAnswer): Json {
  try {
    const value = readJson(text, MANY_ROWS)
    if (isJson(value)) return value
  } catch {
    // Told below.
  }
  throw new CloudError(status >= 500 || status === 429 ? 'busy' : 'unreadable', `${status}, not JSON`)
}

// All text, as ids may look like numbers; and `item` is a list even where there is one.
const xml = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: true,
  isArray: (name) => name === 'item',
})

/** A page of a thousand machines has half as many. */
const BOUNDS = { elements: 500_000, depth: 64, attributes: 16 }

function parsed(text: string): unknown {
  try {
    checkXmlBounds(text, BOUNDS)
    return xml.parse(text)
  } catch {
    // Told below.
    return undefined
  }
}

/** The same of XML, whose root element is `root`, or `Response`, which tells of a refusal. */
export function xmlOf({ status, text }: CloudAnswer, root: string): Json {
  const isWhole = new RegExp(`</(${root}|Response)>\\s*$`).test(text)
  const value: unknown = isWhole ? parsed(text) : undefined
  const found = isJson(value) ? (value[root] ?? value.Response) : undefined
  if (isJson(found)) return found
  throw new CloudError(status >= 500 || status === 429 ? 'busy' : 'unreadable', `${status}, not ${root}`)
}

/** Whether it is an object, and no list. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at the end of a path of names; undefined where any is missing. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inside, name) => (isJson(inside) ? inside[name] : undefined), value)
}

export const textAt = (value: unknown, ...names: readonly string[]): string => {
  const found = at(value, ...names)
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : ''
}

/** The objects of a list; none where there is no list. */
export const listAt = (value: unknown, ...names: readonly string[]): Json[] => {
  const found = at(value, ...names)
  return Array.isArray(found) ? found.filter(isJson) : []
}

/** The texts of a list. */
export const textsAt = (value: unknown, ...names: readonly string[]): string[] => {
  const found = at(value, ...names)
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string' && one !== '') : []
}
