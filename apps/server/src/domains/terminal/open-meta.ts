import type { Fields } from '@sallyport/contract/define.ts'
import { type SealedInJson, sealedBytes } from '../../kernel/secrets/sealed-json.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'

/** The fields of a storage's place with its keys in clear; those that hold nothing are left out. */
export function openMeta(
  fields: Fields,
  meta: Readonly<Record<string, unknown>>,
  open: Opener,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { writeOnly }]) => {
      const value = meta[name]
      if (value === undefined || value === null) return []
      return [[name, writeOnly && typeof value === 'object' ? open(sealedBytes(value as SealedInJson)) : value]]
    }),
  )
}
