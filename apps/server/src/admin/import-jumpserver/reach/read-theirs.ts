import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { sql } from 'drizzle-orm'
import { protocolsOf2 } from '../assets/asset-values.ts'
import { kindOf, readTargets, type TheirTargets } from '../assets/targets-of-3.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, jsonTexts, text, uuid } from '../values.ts'
import { cameAs, fill, type Proving, type TheirTable } from './their-tables.ts'

/** Reads their side: people, targets and permissions as they are there, not as the import has understood them. */
export async function readTheirs(proving: Proving): Promise<void> {
  await readPeople(proving)
  await readPlaces(proving)
  if (proving.version.model === 2) {
    await readTargetsOf2(proving)
    await readPermissions(proving, 'assetpermission', OF_2)
    await readPermissions(proving, 'applicationpermission', OF_2_APPLICATIONS)
  } else {
    const targets = await readTargets(proving)
    await readTargetsOf3(proving, targets)
    await readAccountsOf3(proving)
    await readPermissions(proving, 'assetpermission', OF_3)
  }
  await noteOurs(proving)
}

/** Rows of a table of theirs, each made into one of a temporary table; undefined: none. */
async function copy(
  { source, db }: Proving,
  table: string,
  columns: readonly string[],
  into: TheirTable,
  rowOf: (row: SourceRow) => object | undefined,
  key?: string,
): Promise<void> {
  for await (const batch of source.read({ table, columns, ...(key ? { key } : {}) }))
    await fill(
      db,
      into,
      batch.flatMap((row) => rowOf(row) ?? []),
    )
}

/** None is Default. */
const orgOf = (row: SourceRow) => uuid(row.org_id) ?? DEFAULT_ORG_ID

async function readPeople(proving: Proving): Promise<void> {
  await copy(proving, 'users.user', ['username', 'is_active', 'date_expired'], 'their_person', (row) => {
    const end = date(row.date_expired)
    const isValid = bool(row.is_active) && (end === null || Date.parse(end) > Date.now())
    return { id: uuid(row.id), username: text(row.username, 128), is_valid: isValid }
  })
  await copy(proving, 'users.usergroup', ['org_id'], 'their_group', (row) => ({ id: uuid(row.id), org: orgOf(row) }))
  await copy(proving, 'users.user_groups', ['user_id', 'usergroup_id'], 'their_member', (row) => ({
    person: uuid(row.user_id),
    grp: uuid(row.usergroup_id),
  }))
}

/** Keys of nodes are paths: `1:4:0`. */
const pathOf = (key: string | null | undefined) =>
  /^\d{1,9}(?::\d{1,9}){0,60}$/.test(key ?? '') ? (key ?? '').replaceAll(':', '.') : undefined

/** Their nodes by id, which are thousands at most. */
async function pathsOfNodes({ source }: Proving): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for await (const batch of source.read({ table: 'assets.node', columns: ['key'] }))
    for (const row of batch) {
      const path = pathOf(row.key)
      if (path) paths.set(uuid(row.id) ?? '', path)
    }
  return paths
}

async function readPlaces(proving: Proving): Promise<void> {
  const paths = await pathsOfNodes(proving)
  await copy(proving, 'assets.asset_nodes', ['asset_id', 'node_id'], 'their_place', (row) => {
    const path = paths.get(uuid(row.node_id) ?? '')
    return path ? { target: uuid(row.asset_id), path } : undefined
  })
  const table = 'perms.assetpermission_nodes'
  await copy(proving, table, ['assetpermission_id', 'node_id'], 'their_covering_node', (row) => {
    const path = paths.get(uuid(row.node_id) ?? '')
    return path ? { permission: uuid(row.assetpermission_id), path } : undefined
  })
}

async function readTargetsOf2(proving: Proving): Promise<void> {
  const machines = ['org_id', 'hostname', 'is_active', 'protocols', 'protocol', 'port']
  await copy(proving, 'assets.asset', machines, 'their_target', (row) => {
    const protocols = protocolsOf2(row).map(({ name }) => name)
    const is_active = bool(row.is_active)
    const name = text(row.hostname, 128)
    return { id: uuid(row.id), org: orgOf(row), family: 'asset', name, protocols, is_active }
  })
  await copy(proving, 'applications.application', ['org_id', 'name'], 'their_target', (row) => ({
    ...{ id: uuid(row.id), org: orgOf(row), family: 'application', name: text(row.name, 128), protocols: null },
    is_active: true,
  }))
  await copy(proving, 'assets.systemuser', ['name', 'protocol'], 'their_account', (row) => {
    const protocol = text(row.protocol, 16).toLowerCase()
    return { account: uuid(row.id), name: text(row.name, 128), protocol }
  })
}

async function readTargetsOf3(proving: Proving, targets: TheirTargets): Promise<void> {
  const columns = ['org_id', 'name', 'is_active', 'platform_id', targets.networkColumn]
  await copy(proving, 'assets.asset', columns, 'their_target', (row) => {
    const kind = kindOf(targets, row)
    const id = uuid(row.id) ?? ''
    // Nobody opens sessions to a gateway.
    if (kind === 'gateway') return undefined
    const type = targets.platforms.get(row.platform_id ?? '')?.type ?? ''
    // A database speaks what its platform says, whatever its port is called. Nobody signs in by WinRM,
    // and files of SSH are part of it.
    const spoken = kind === 'database' || kind === 'cluster' ? [type] : protocolsOf(targets, id)
    const family = kind === 'machine' ? 'asset' : 'application'
    const is_active = bool(row.is_active)
    return { id, org: orgOf(row), family, name: text(row.name, 128), protocols: spoken, is_active }
  })
}

function protocolsOf({ protocols }: TheirTargets, id: string): string[] {
  const names = new Set((protocols.get(id) ?? []).map(({ name }) => name))
  names.delete('winrm')
  if (names.has('ssh')) names.delete('sftp')
  return [...names]
}

/** The protocol that a type of secret is for, null for all; others open no session. */
const PROTOCOLS_OF_SECRETS: Readonly<Record<string, string | null>> = { password: null, ssh_key: 'ssh', token: 'k8s' }

/** `protocol` is null where a secret is for all protocols of its target. */
async function readAccountsOf3(proving: Proving): Promise<void> {
  await copy(
    proving,
    'accounts.account',
    ['asset_id', 'username', 'secret_type', 'is_active'],
    'their_account',
    (row) => {
      const protocol = PROTOCOLS_OF_SECRETS[row.secret_type ?? '']
      if (!bool(row.is_active) || protocol === undefined) return undefined
      return { target: uuid(row.asset_id), account: text(row.username, 128), protocol }
    },
  )
}

interface Granting {
  targets: { table: string; column: string }
  /** System users; version 3 and 4 have words in a column. */
  accounts?: { table: string; column: string }
}

const OF_3: Granting = { targets: { table: 'assets', column: 'asset_id' } }
const accounts = { table: 'system_users', column: 'systemuser_id' }
const OF_2: Granting = { ...OF_3, accounts }
const OF_2_APPLICATIONS: Granting = { targets: { table: 'applications', column: 'application_id' }, accounts }

async function readPermissions(proving: Proving, model: string, granting: Granting): Promise<void> {
  const table = `perms.${model}`
  const id = `${model}_id`
  const columns = ['org_id', 'actions', 'is_active', 'date_start', 'date_expired', 'accounts', 'protocols']
  const now = Date.now()
  for await (const batch of proving.source.read({ table, columns })) {
    const valid = batch.filter(
      (row) =>
        bool(row.is_active) &&
        Date.parse(date(row.date_start) ?? '1970-01-01') < now &&
        Date.parse(date(row.date_expired) ?? '2099-12-31') > now,
    )
    await fill(
      proving.db,
      'their_permission',
      valid.map((row) => ({
        ...{ id: uuid(row.id), org: orgOf(row), actions: int(row.actions, 0, 65_535, 0) },
        protocols: namedProtocols(row),
      })),
    )
    if (granting.accounts) continue
    const words = valid.flatMap((row) =>
      jsonTexts(row.accounts).map((account) => ({ permission: uuid(row.id), account })),
    )
    await fill(proving.db, 'their_account_of', words)
  }
  const pairs = async (part: string, column: string, into: TheirTable, name: string) =>
    copy(proving, `${table}_${part}`, [id, column], into, (row) => ({
      ...{ permission: uuid(row[id]), [name]: uuid(row[column]) },
    }))
  await pairs('users', 'user_id', 'their_naming', 'person')
  await pairs('user_groups', 'usergroup_id', 'their_naming_group', 'grp')
  await pairs(granting.targets.table, granting.targets.column, 'their_covering', 'target')
  if (granting.accounts) await pairs(granting.accounts.table, granting.accounts.column, 'their_account_of', 'account')
}

/** Null: all. Versions without such a column give all. */
function namedProtocols({ protocols }: SourceRow): string[] | null {
  if (protocols === undefined) return null
  const names = jsonTexts(protocols)
  return names.includes('all') ? null : names
}

/** Ids here of what has come. */
async function noteOurs(proving: Proving): Promise<void> {
  const { db } = proving
  const set = async (table: TheirTable, kind: string, more = sql``) =>
    db.execute(
      sql`UPDATE ${sql.raw(table)} t SET ours = ${cameAs(proving, kind, sql`t.id`)} WHERE t.ours IS NULL ${more}`,
    )
  await db.execute(sql`INSERT INTO their_came
    SELECT a.id::uuid FROM kernel_arrival a WHERE a.source = ${proving.name} AND a.kind = 'permission'`)
  await set('their_person', 'person')
  // Version 3 and 4 have databases among their assets, and the import may have taken one for the other.
  await set('their_target', 'asset')
  await set('their_target', 'application')
  if (proving.version.model === 2)
    await db.execute(sql`UPDATE their_account t SET ours = ${cameAs(proving, 'system_user', sql`t.account`)}`)
}
