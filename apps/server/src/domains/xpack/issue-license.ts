import type { KeyObject } from 'node:crypto'
import { randomUUID } from 'node:crypto'
import { type License, signLicense } from './license-document.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * A license that is valid today and for so many more days: 0 ends today, a negative number has
 * ended.
 */
export function issueLicense(
  key: KeyObject,
  {
    corporation,
    days,
    edition = 'enterprise',
    assetCount = null,
  }: { corporation: string; days: number; edition?: License['edition']; assetCount?: number | null },
): string {
  const date_expired = new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
  return signLicense(
    { subscription_id: randomUUID(), corporation, date_expired, asset_count: assetCount, edition },
    key,
  )
}
