import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { Provided } from '../../kernel/provided.ts'
import { type IsGranted, seesRow } from '../../kernel/resource/row-in-org.ts'
import { assetsAsset } from './tables.ts'

/** Whether a person has a permission on the row; provided by the domain of permissions, a later one. */
export const assetGrants = new Provided<IsGranted>('grants', async () => false)

/** Whether there is such an asset for the caller (see `seesRow`). */
export const seesAsset = (db: Database, call: Call, id: string): Promise<boolean> =>
  seesRow(db, call, { table: assetsAsset, isGranted: assetGrants.value, id })
