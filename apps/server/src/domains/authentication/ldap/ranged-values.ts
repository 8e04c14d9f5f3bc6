import type { Entry } from 'ldapts'
import { LdapFailure } from './ldap-failure.ts'

/** Reads one attribute of the entry, such as `member;range=1500-*`. */
export type Read = (attribute: string) => Promise<Entry | undefined>

/** More pieces than any list has within the limit of values. */
const MAX_PIECES = 1000

/**
 * All values of an attribute that may be long: Active Directory answers 1,500 of them as
 * `member;range=0-1499`, and the rest when it is asked for (MS-ADTS §3.1.1.3.1.3.3). Ends after `most`
 * values and one more piece.
 */
export async function valuesOf(
  read: Read,
  entry: Entry,
  attribute: string,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  let piece = pieceOf(entry, attribute)
  const values = [...piece.values]
  for (let count = 0; piece.next !== undefined && values.length <= most; count++) {
    const next = await read(`${attribute};range=${piece.next}-*`)
    const before = piece.next
    piece = next ? pieceOf(next, attribute) : { values: [] }
    values.push(...piece.values)
    // A server that answers the same piece again would be asked for ever.
    if (count >= MAX_PIECES || (piece.next !== undefined && piece.next <= before))
      throw new LdapFailure('The directory does not answer the rest of a long list')
  }
  return values
}

/** The values in an answer, and where the rest begins. */
function pieceOf(entry: Entry, attribute: string): { values: string[]; next?: number } {
  const values: string[] = []
  let next: number | undefined
  for (const [name, value] of Object.entries(entry)) {
    const [, base = '', last] = /^([^;]+)(?:;range=\d+-(\d+|\*))?$/i.exec(name) ?? []
    if (base.toLowerCase() !== attribute.toLowerCase()) continue
    // Servers that hold nothing of it answer no value; the library then an empty list or text.
    for (const one of [value].flat()) if (one.length) values.push(one.toString())
    if (last !== undefined && last !== '*') next = Number(last) + 1
  }
  return next === undefined ? { values } : { values, next }
}
