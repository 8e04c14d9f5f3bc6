import { sql } from 'drizzle-orm'
import { adoptOrphans, leaveRoots, removeBareRoots } from '../../../domains/assets/arriving/index.ts'
import { ensureRootNode } from '../../../domains/assets/index.ts'
import { recordOperatorAct } from '../../../domains/audits/index.ts'
import { isUnknown, type TakenBack, takeBack } from '../../../kernel/arrivals/take-back.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { StartRefusal } from '../../../kernel/start-refusal.ts'
import { lockImport } from '../lock.ts'

export interface TakeBackRequest {
  db: Database
  /** The name under which the rows are known here. */
  name: string
  /** All of it is tried, and rolled back. */
  isDryRun: boolean
  /** For the operate log. */
  user: string
}

class DryRunOver extends Error {}

/** Names of the installations of which something has come. */
export async function importedInstallations(db: Database): Promise<string[]> {
  const { rows } = await db.execute<{ source: string }>(
    sql`SELECT DISTINCT source FROM kernel_arrival WHERE source LIKE 'jumpserver%' ORDER BY 1`,
  )
  return rows.map(({ source }) => source)
}

/**
 * Takes an import back whole, in one transaction.
 * @throws StartRefusal where an earlier version made it, or nobody would be left to administer
 */
export async function takeBackImport({ db, name, isDryRun, user }: TakeBackRequest): Promise<TakenBack[]> {
  let fared: TakenBack[] = []
  try {
    await db.transaction(async (within) => {
      await lockImport(within)
      if (await isUnknown(within, name))
        throw new StartRefusal('An earlier version made this import: run it once more, then take it back')
      await recordOperatorAct(within, {
        ...{ user, action: 'delete', resourceType: 'Import from JumpServer', resource: name },
      })
      fared = await takeBack({ db: within, source: name, stay: { node: HAS_OTHERS_BELOW }, around: aroundOf(within) })
      const { rows } = await within.execute<{ has: boolean }>(
        sql`SELECT EXISTS (SELECT 1 FROM users_account WHERE role = 'Admin' AND is_valid AND NOT is_service) AS has`,
      )
      if (!rows[0]?.has) throw new StartRefusal('Nobody would be left to administer: make a system administrator first')
      if (isDryRun) throw new DryRunOver()
    })
  } catch (error) {
    if (!(error instanceof DryRunOver)) throw error
  }
  return fared
}

/** Nodes refer to each other by their keys alone. */
const HAS_OTHERS_BELOW = sql`t.id IN (
  SELECT above.id::text FROM assets_listed_node below JOIN assets_listed_node above
    ON below.path <@ above.path AND below.id <> above.id
  WHERE below.id::text NOT IN (SELECT id FROM taking))`

const aroundOf = (db: Database) => ({
  // Their nodes go: assets that stay are in the root.
  asset: {
    before: (ids: readonly string[]) => leaveRoots(db, ids),
    after: (ids: readonly string[]) => adoptOrphans(db, ids),
  },
  organization: {
    before: (ids: readonly string[]) => removeBareRoots(db, ids),
    async after(ids: readonly string[]) {
      const { rows } = await db.execute<{ id: string; name: string }>(
        sql`SELECT id, name FROM orgs_listed_organization WHERE id = ANY (${sql.param([...ids])}::uuid[])`,
      )
      for (const { id, name } of rows) await ensureRootNode(db, id, name)
    },
  },
})
