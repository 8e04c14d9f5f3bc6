import { sql } from 'drizzle-orm'
import { inBackground } from '../../../../kernel/background.ts'
import { RECONNECTED } from '../../../../kernel/events/events.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { adminUsersOf, assetsListedAsset, assetsListedPlatform } from '../../../assets/index.ts'
import { startPush } from './push.ts'

const DUE = 'assets.push_due'
/** Accounts in one round; more follow in the next. */
const ROUND = 5000

/**
 * Has system users pushed automatically after a new link to an asset or a person, and after a save
 * (docs/rules/assets.md#system_user). The rows hold the due pushes, so nothing is lost with a node;
 * an event makes it quick.
 */
export function registerDuePushes(kernel: Kernel): void {
  const { jobs, events, app } = kernel
  jobs.schedule({ name: DUE, cron: '*/10 * * * *', title: 'Push system users that are due' }, () => pushDue(kernel))
  let isWanted = false
  let isAtIt = false
  const soon = async () => {
    isWanted = true
    // Nodes that do no work leave it to others.
    if (isAtIt || !jobs.working().length) return
    isAtIt = true
    try {
      while (isWanted) {
        isWanted = false
        await pushDue(kernel)
      }
    } catch (error) {
      app.log.error({ err: error }, 'due system users were not pushed')
    } finally {
      isAtIt = false
    }
  }
  events.subscribe(DUE, () => inBackground(soon()))
  events.subscribe(RECONNECTED, () => inBackground(soon()))
}

interface DuePair extends Record<string, unknown> {
  org_id: string
  asset: string
  systemuser: string
}

/** Starts what is due, each system user on each of its assets at once; of two nodes one finds nothing. */
async function pushDue(kernel: Kernel): Promise<void> {
  for (let taken = ROUND; taken === ROUND; )
    taken = await kernel.db.transaction(async (tx) => {
      const { rows } = await tx.execute<DuePair & { is_valid: boolean }>(sql`
        WITH due AS (SELECT id FROM assets_account WHERE push_due LIMIT ${ROUND} FOR UPDATE SKIP LOCKED)
        UPDATE assets_account a SET push_due = false
        FROM due JOIN assets_account of ON of.id = due.id JOIN ${assetsListedAsset} t ON t.id = of.asset JOIN ${assetsListedPlatform} p ON p.name = t.platform
          JOIN assets_system_user s ON s.id = of.systemuser
        WHERE a.id = due.id
        RETURNING a.org_id, a.asset, a.systemuser, t.is_active AND p.base <> 'Other'
          AND t.protocols::text ~ 'ssh/' AND (s.protocol = 'ssh' OR p.base = 'Windows') AND assets_is_pushed(a.systemuser) AS is_valid`)
      // Started before what was due is forgotten: a push too many changes nothing, one too few would.
      const valid = rows.filter(({ is_valid }) => is_valid)
      const admins = await adminUsersOf(tx, [...new Set(valid.map(({ asset }) => asset))])
      for (const run of runsOf(valid.filter(({ asset }) => admins.has(asset)))) await startPush(kernel, undefined, run)
      return rows.length
    })
}

/** One run for all system users that are due on the same assets: a machine is logged in to once. */
function runsOf(pairs: readonly DuePair[]): { orgId: string; assets: string[]; systemUsers: string[] }[] {
  const users = [...Map.groupBy(pairs, ({ systemuser }) => systemuser)].map(([id, of]) => ({
    id,
    orgId: of[0]?.org_id ?? '',
    assets: of.map(({ asset }) => asset).sort(),
  }))
  return [...Map.groupBy(users, ({ orgId, assets }) => [orgId, ...assets].join()).values()].map((same) => ({
    orgId: same[0]?.orgId ?? '',
    assets: same[0]?.assets ?? [],
    systemUsers: same.map(({ id }) => id),
  }))
}
