/** Reading what clouds answer: nothing is believed to be there, or to be of a kind. */

import { MANY_ROWS, readJson } from '../../../kernel/http/read-json.ts'
import { plainXml } from '../../../kernel/xml/plain-xml.ts'
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

function parsed(text: string): unknown {
  try {
    return plainXml(text, ['item'])
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
