import { gatheredUser } from '@sallyport/contract/resources/accounts/gathered-user.ts'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readableBoolean, readableId } from '../../../kernel/resource/conditions.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { countedRows } from '../../../kernel/row-counts.ts'
import { assetsListedAsset, nodeFilters } from '../../assets/index.ts'
import { peopleOfAccounts } from '../../perms/index.ts'
import { hasUnexplainedKeys, isLastLoginKnown, isOwned, loadDrift, loadLastLogins } from './drift.ts'
import { accountsGatheredUser } from './tables.ts'

/** Accounts of machines as their last run found them, beside who should have to do with them. */
export default function mountGatheredUsers(kernel: Kernel): void {
  const { asset } = accountsGatheredUser
  mountResource(kernel, gatheredUser, {
    table: accountsGatheredUser,
    filters: {
      ...nodeFilters(asset),
      asset_id: (value) => eq(asset, readableId('asset_id', value)),
      is_owned: whether(isOwned),
      has_unexplained_keys: whether(hasUnexplainedKeys),
      is_last_login_known: whether(isLastLoginKnown),
      asset__ip: (value) => ofAssets(sql`a.ip = ${value}`),
      asset__hostname: (value) => ofAssets(sql`a.hostname = ${value}`),
    },
    search: (pattern) => ofAssets(sql`a.hostname ILIKE ${pattern} OR a.ip ILIKE ${pattern}`),
    computed: [
      { fields: ['hostname', 'ip'], load: loadMachines },
      { fields: ['owners', 'keys', 'unexplained_keys'], load: loadDrift },
      { fields: ['people', 'people_amount'], load: loadPeople },
      { fields: ['is_last_login_known'], load: loadLastLogins },
    ],
    count: async (context, isNarrowed) => (isNarrowed ? undefined : countedRows(context, accountsGatheredUser)),
  })
}

/** Beside who does use them, who should be able to. */
async function loadPeople(rows: readonly StoredRow<typeof accountsGatheredUser>[], { db }: ReadContext) {
  const people = await peopleOfAccounts(db, rows)
  return people.map(({ names, count }) => ({ people: names, people_amount: count }))
}

const whether =
  (condition: (wanted: boolean) => SQL) =>
  (value: string, _context: ReadContext, name: string): SQL =>
    condition(readableBoolean(name, value))

const ofAssets = (condition: SQL): SQL =>
  sql`${accountsGatheredUser.asset} IN (SELECT a.id FROM assets_listed_asset a WHERE ${condition})`

async function loadMachines(rows: readonly { asset: string }[], { db }: ReadContext) {
  const { id, hostname, ip } = assetsListedAsset
  const found = await db
    .select({ id, hostname, ip })
    .from(assetsListedAsset)
    .where(inArray(id, [...new Set(rows.map((row) => row.asset))]))
  const machines = new Map(found.map((machine) => [machine.id, machine]))
  return rows.map((row) => ({
    hostname: machines.get(row.asset)?.hostname ?? '',
    ip: machines.get(row.asset)?.ip ?? '',
  }))
}
