import { assetAccount } from '@sallyport/contract/resources/assets/asset-account.ts'
import { assetAccountSecret } from '@sallyport/contract/resources/assets/asset-account-secret.ts'
import { inArray, type SQL, sql } from 'drizzle-orm'
import { isRoot } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Mount, ReadContext, StoredRow, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { countedRows } from '../../../kernel/row-counts.ts'
import { checkSecrets, keepReplaced } from '../../../kernel/secrets/secret-fields.ts'
import { assetsAssetInNode, assetsListedAsset, belowNode, findNode, subtreeIds } from '../../assets/index.ts'
import { keepOutside } from '../../assets/secret-sources/index.ts'
import { linkSwitchSource } from '../linking.ts'
import { assetsAccount } from '../tables.ts'
import { registerAccountHistory } from './account-history.ts'
import { clearAdminUser, copyToLinked, countVersion, inheritUsername, staysWith } from './account-rules.ts'
import { secretsOfAccounts } from './account-secrets.ts'
import { accountUserInWords, accountUsers, hasUsername, loginName } from './account-users.ts'
import { keptWhere } from './kept-where.ts'

type Account = StoredRow<typeof assetsAccount>

/** The account list and the same list with secrets (docs/rules/accounts.md#asset_account). */
export default function mountAssetAccounts(kernel: Kernel): void {
  const secrets = secretsOfAccounts({ kind: 'asset_account', table: assetsAccount, inWords })
  mountResource(kernel, assetAccountSecret, {
    ...shared,
    computed: [facts, keptWhere(assetsAccount), secrets.computed],
    rules: secrets.rules,
  })
  const accounts = mountResource(kernel, assetAccount, {
    ...shared,
    computed: [facts, keptWhere(assetsAccount)],
    sealed: ['password', 'private_key'],
    inWords,
    rules: {
      beforeWrite: [
        staysWith('asset', 'systemuser'),
        inheritUsername,
        keepOutside('asset_account', assetsAccount),
        checkSecrets,
        countVersion,
        keepReplaced('asset_account', assetsAccount),
      ],
      afterWrite: [copyToLinked, linkSource],
      afterDelete: [clearAdminUser],
    },
  })
  registerAccountHistory(kernel, accounts, 'asset_account', assetAccountSecret)
}

const facts = {
  fields: ['username', 'ip', 'hostname', 'platform', 'protocols', 'systemuser_display'],
  load: loadFacts,
} as const

const shared = {
  table: assetsAccount,
  search: (pattern) => sql`${assetsAccount.id} IN (
    SELECT id FROM ${assetsAccount} WHERE username <> '' AND username ILIKE ${pattern}
    UNION ALL SELECT c.id FROM ${assetsAccount} c JOIN ${assetsListedAsset} a ON a.id = c.asset WHERE a.hostname ILIKE ${pattern} OR a.ip ILIKE ${pattern}
    UNION ALL SELECT c.id FROM ${assetsAccount} c JOIN assets_system_user s ON s.id = c.systemuser WHERE s.username ILIKE ${pattern})`,
  filters: {
    username: (value, context) => hasUsername(assetsAccount, value, context),
    ip: (value) => ofAssets(sql`ip = ${value}`),
    hostname: (value) => ofAssets(sql`hostname = ${value}`),
    node: belowKnownNode,
  },
  readByOrg: true,
  count: (context, isNarrowed) => (isNarrowed ? countBelowNode(context) : countedRows(context, assetsAccount)),
  present: withoutZone,
} satisfies Partial<Mount<typeof assetAccount, typeof assetsAccount>> & { table: typeof assetsAccount }

const ofAssets = (condition: SQL): SQL =>
  sql`${assetsAccount.asset} IN (SELECT id FROM ${assetsListedAsset} WHERE ${condition})`

async function belowKnownNode(value: string, { db, call }: ReadContext): Promise<SQL | undefined> {
  const node = await findNode(db, value, isRoot(call) ? undefined : call.org.id)
  if (!node) throw notFound()
  return belowNode(assetsAccount.asset, node, { db, call })
}

/**
 * Accounts below a node and nothing else, as the tree asks for them: asset by asset, by an index that has all there is to
 * know. As a filter among others, PostgreSQL would read all accounts of the organization.
 */
async function countBelowNode({ db, call, query }: ReadContext): Promise<number | undefined> {
  const narrowing = [...assetAccount.filters.map(filterName), 'search', 'ids', 'spm'].filter((name) => query[name])
  if (!query.node || narrowing.length > 1) return undefined
  const node = await findNode(db, query.node, isRoot(call) ? undefined : call.org.id)
  if (!node?.parent_key) return undefined
  const { rows } = await db.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM ${assetsAccount}
    WHERE org_id = ${node.org_id} AND asset = ANY(ARRAY(
      SELECT asset_id FROM ${assetsAssetInNode} WHERE node_id = ANY(${sql.param(await subtreeIds(db, node))}::uuid[])))`)
  return rows[0]?.count
}

const filterName = (filter: (typeof assetAccount.filters)[number]): string =>
  typeof filter === 'string' ? filter : filter.name

/** The contract has the times of accounts without their zone, which is the client's. */
export function withoutZone(row: Record<string, unknown>): Record<string, unknown> {
  for (const name of ['date_created', 'date_updated']) {
    const text = row[name]
    if (typeof text === 'string') row[name] = text.slice(0, 'YYYY/MM/DD HH:MM:SS'.length)
  }
  return row
}

async function loadFacts(rows: readonly Account[], { db }: ReadContext) {
  const machines = await machinesOf(db, rows)
  const users = await accountUsers(db, rows)
  return rows.map(({ asset, systemuser, username }) => {
    const machine = machines.get(asset)
    const user = users.get(systemuser ?? '')
    return {
      username: username || user?.username || '',
      ip: machine?.ip ?? '',
      hostname: machine?.hostname ?? '',
      platform: machine?.platform ?? '',
      protocols: machine?.protocols.join(', ') ?? '',
      systemuser_display: user ? accountUserInWords(user) : '',
    }
  })
}

async function machinesOf(db: Database, rows: readonly Account[]) {
  const { id, hostname, ip, platform, protocols } = assetsListedAsset
  const machines = await db
    .select({ id, hostname, ip, platform, protocols })
    .from(assetsListedAsset)
    .where(inArray(id, [...new Set(rows.map(({ asset }) => asset))]))
  return new Map(machines.map((machine) => [machine.id, machine]))
}

/** `root@web-1`, with `*` for the person who connects. */
async function inWords(rows: readonly Account[], db: Database): Promise<string[]> {
  const machines = await machinesOf(db, rows)
  const users = await accountUsers(db, rows)
  return rows.map(
    ({ asset, systemuser, username }) =>
      `${loginName(username, users.get(systemuser ?? ''))}@${machines.get(asset)?.hostname ?? asset}`,
  )
}

async function linkSource({ db, stored }: WrittenContext<typeof assetAccount, typeof assetsAccount>): Promise<void> {
  if (stored.systemuser) await linkSwitchSource(db, stored.systemuser)
}
