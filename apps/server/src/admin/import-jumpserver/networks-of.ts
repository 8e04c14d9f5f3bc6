import { isIpGroupEntry } from '../../domains/acls/index.ts'
import { jsonTexts } from './values.ts'

/**
 * Addresses, networks and ranges of a list in JSON. Entries that are none are left out, and reported by
 * `dropped`. Everywhere where their version has no such list; nowhere where nothing of it is left, or
 * it cannot be read.
 */
export function networksOf(value: string | null | undefined, dropped: () => void): string[] {
  if (value === undefined) return ['*']
  const all = jsonTexts(value)
  const usable = all.filter((one) => one === '*' || isIpGroupEntry(one))
  if (usable.length < all.length || !usable.length) dropped()
  return usable
}
