import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { type IsGranted, seesRow } from '../../kernel/resource/row-in-org.ts'
import { assetsAsset } from './tables.ts'

let isGranted: IsGranted = async () => false

/** Permissions are of a later domain, which hands down how they are asked. */
export function assetsAreGrantedBy(by: IsGranted): void {
  isGranted = by
}

/** Whether there is such an asset for the caller (see `seesRow`). */
export const seesAsset = (db: Database, call: Call, id: string): Promise<boolean> =>
  seesRow(db, call, { table: assetsAsset, isGranted, id })
