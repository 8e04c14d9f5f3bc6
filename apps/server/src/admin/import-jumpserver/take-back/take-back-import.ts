import { sql } from 'drizzle-orm'
import { adoptOrphans, leaveRoots, removeBareRoots } from '../../../domains/assets/arriving/index.ts'
import { ensureRootNode } from '../../../domains/assets/index.ts'
import { arrivedLogs, hasLogs } from '../../../domains/audits/arriving/index.ts'
import { recordOperatorAct } from '../../../domains/audits/index.ts'
import { VERSIONS_OF_RUNBOOKS } from '../../../domains/ops/arriving/index.ts'
import { announceGoneSettings } from '../../../domains/settings/arriving/index.ts'
import { arrivedHistory, hasSessions } from '../../../domains/terminal/arriving/index.ts'
import {
  arrivedTickets,
  FLOW_KIND,
  hasFlows,
  hasTickets,
  takeBackFlows,
} from '../../../domains/tickets/arriving/index.ts'
import { PASSWORD_HISTORY_KIND, PASSWORDS_OF_PEOPLE } from '../../../domains/users/arriving/index.ts'
import { arrivedSources } from '../../../kernel/arrivals/note-arrivals.ts'
import { isUnknown, type TakenBack, type TakingBack, takeBack } from '../../../kernel/arrivals/take-back.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { PRODUCT } from '../history/history.ts'
import { lockImport } from '../lock.ts'
import { ImportRefusal } from '../refusal.ts'

export interface TakeBackRequest {
  db: Database
  /** The name under which the rows are known here. */
  name: string
  /** All of it is tried, and rolled back. */
  isDryRun: boolean
  /** For the operate log; without one, the caller has written there already. */
  user?: string
}

export interface ImportTakenBack {
  kinds: TakenBack[]
  /** Names of settings that went: they are as they were before. */
  settings: string[]
  /** What stays of what happened there, by number. */
  history: Readonly<Record<'sessions' | 'recordings' | 'commands' | 'logs' | 'tickets' | 'comments', number>>
}

class DryRunOver extends Error {}

/** Names of the installations of which something has come. */
export const importedInstallations = (db: Database): Promise<string[]> => arrivedSources(db, 'jumpserver')

/**
 * Takes an import back whole, in one transaction.
 * @throws ImportRefusal where an earlier version made it, or nobody would be left to administer
 */
export async function takeBackImport({ db, name, isDryRun, user }: TakeBackRequest): Promise<ImportTakenBack> {
  let kinds: TakenBack[] = []
  const settings: string[] = []
  const history = { ...(await arrivedHistory({ db }, PRODUCT)), ...(await arrivedTickets({ db })) }
  const logs = await arrivedLogs({ db }, PRODUCT)
  try {
    await db.transaction(async (within) => {
      await lockImport(within)
      const taking: TakingBack = { db: within, source: name, ...RULES, around: aroundOf(within, settings) }
      if (await isUnknown(taking))
        throw new ImportRefusal('An earlier version made this import: run it once more, then take it back')
      if (user !== undefined)
        await recordOperatorAct(within, {
          ...{ user, action: 'delete', resourceType: 'Import from JumpServer', resource: name },
        })
      kinds = await takeBack(taking)
      const { rows } = await within.execute<{ has: boolean }>(
        sql`SELECT EXISTS (SELECT 1 FROM users_account WHERE role = 'Admin' AND is_valid AND NOT is_service) AS has`,
      )
      if (!rows[0]?.has)
        throw new ImportRefusal('Nobody would be left to administer: make a system administrator first')
      if (isDryRun) throw new DryRunOver()
    })
  } catch (error) {
    if (!(error instanceof DryRunOver)) throw error
  }
  return { kinds, settings, history: { ...history, logs } }
}

/** Nodes refer to each other by their keys alone. */
const HAS_OTHERS_BELOW = sql`t.id IN (
  SELECT above.id::text FROM assets_listed_node below JOIN assets_listed_node above
    ON below.path <@ above.path AND below.id <> above.id
  WHERE NOT EXISTS (SELECT 1 FROM taking g WHERE g.id = below.id::text))`

const RULES = {
  own: {
    [FLOW_KIND]: takeBackFlows,
    // They go with their people.
    [PASSWORD_HISTORY_KIND]: async () => undefined,
  },
  parts: [PASSWORDS_OF_PEOPLE, VERSIONS_OF_RUNBOOKS],
  stay: { node: HAS_OTHERS_BELOW, organization: hasFlows(sql`t.id::uuid`) },
  // What happened stays, as evidence, and would be read by nobody in an organization that is gone.
  evident: {
    organization: sql`(${hasSessions(sql`t.id::uuid`)} OR ${hasTickets(sql`t.id::uuid`)} OR ${hasLogs(sql`t.id::uuid`)})`,
  },
}

const aroundOf = (db: Database, settings: string[]) => ({
  setting: {
    async after(ids: readonly string[]) {
      settings.push(...(await announceGoneSettings({ db }, ids)))
    },
  },
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
