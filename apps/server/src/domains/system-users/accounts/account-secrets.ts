import { inArray, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { openLogin, type SealedLogin } from '../../../kernel/secrets/login.ts'
import type { SecretOwner } from '../../../kernel/secrets/looks.ts'
import type { SecretOwnerKind } from '../../../kernel/secrets/tables.ts'
import { requireFreshMfa } from '../../users/index.ts'
import { assetsSystemUser } from '../tables.ts'
import { accountUserInWords } from './account-users.ts'

/** What all accounts have, of whatever they are. */
export interface AccountRow {
  id: string
  org_id: string
  systemuser: string | null
  username: string
}

/** The accounts of one family of targets. */
export interface Accounts<R extends AccountRow> {
  kind: Extract<SecretOwnerKind, 'asset_account' | 'application_account'>
  table: PgTable
  /** How accounts are called, in order. */
  inWords(rows: readonly R[], db: Database): Promise<readonly string[]>
}

type HeldSecrets = SealedLogin & { id: string; public_key: string; secret_source: string | null }

/** More secrets than a person reads; an export has all of them. */
const MAX_SHOWN = 1000

/**
 * What makes a list of accounts one with their secrets in clear: for people who have just proven
 * their second factor, with a row for each account and each system user whose secret it inherits.
 */
export function secretsOfAccounts<R extends AccountRow>(accounts: Accounts<R>) {
  return {
    computed: {
      fields: ['password', 'private_key', 'public_key'],
      load: (rows: readonly R[], context: ReadContext) => loadSecrets(accounts, rows, context),
    },
    rules: { beforeRead: ({ kernel, call }: ReadContext) => requireFreshMfa(kernel, call) },
  } as const
}

async function loadSecrets<R extends AccountRow>(
  { kind, table, inWords }: Accounts<R>,
  rows: readonly R[],
  { kernel, db, call, query }: ReadContext,
) {
  const isFile = query.format === 'csv' || query.format === 'xlsx'
  if (!isFile && rows.length > MAX_SHOWN)
    throw refused('too_large', 'At most 1000 secrets are shown at once: ask by pages, or export a file.')
  const own = await ownSecrets(db, table, rows)
  const users = await systemUsers(db, rows)
  const names = await inWords(rows, db)
  const owners = new Map<string, SecretOwner>()
  for (const [at, { id, org_id, systemuser }] of rows.entries()) {
    owners.set(id, { kind, id, name: names[at] ?? '', orgId: org_id })
    const user = users.get(systemuser ?? '')
    if (user && !hasSecrets(own.get(id)) && !own.get(id)?.secret_source)
      owners.set(user.id, { kind: 'system_user', id: user.id, name: accountUserInWords(user), orgId: user.org_id })
  }
  // By the pool: a file is made in a transaction that only reads, and what was looked at stays
  // written even if the answer fails.
  const open = await kernel.secrets.handOut(
    kernel.db,
    call,
    isFile ? 'export' : 'reveal',
    isFile ? 'file of accounts' : 'list of accounts',
    [...owners.values()],
  )
  return rows.map(({ id, systemuser }) => {
    const mine = own.get(id)
    const held = hasSecrets(mine) ? mine : users.get(systemuser ?? '')
    // The list says where it is that is kept outside.
    if (!held || mine?.secret_source) return { password: '', private_key: '', public_key: '' }
    const { password, privateKey } = openLogin(held, open)
    return { password, private_key: privateKey, public_key: held.public_key }
  })
}

const hasSecrets = (sealed: SealedLogin | undefined) => Boolean(sealed?.password_sealed || sealed?.private_key_sealed)

async function ownSecrets(
  db: Database,
  table: PgTable,
  rows: readonly AccountRow[],
): Promise<ReadonlyMap<string, HeldSecrets>> {
  const ids = rows.map(({ id }) => id)
  const { rows: found } = await db.execute<HeldSecrets & Record<string, unknown>>(sql`
    SELECT id, password_sealed, private_key_sealed, public_key, secret_source FROM ${table}
    WHERE id = ANY(${sql.param(ids)}::uuid[])`)
  return new Map(found.map((row) => [row.id, row]))
}

async function systemUsers(db: Database, rows: readonly AccountRow[]) {
  const ids = [...new Set(rows.flatMap(({ systemuser }) => systemuser ?? []))]
  const found = ids.length ? await db.select().from(assetsSystemUser).where(inArray(assetsSystemUser.id, ids)) : []
  return new Map(found.map((row) => [row.id, row]))
}
