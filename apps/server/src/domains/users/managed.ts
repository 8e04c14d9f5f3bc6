import { eq, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { isOtherValue } from './shared-person.ts'
import { usersUser, usersUserGroup } from './tables.ts'

const MANAGED = 'This comes from {{provider}} and is changed there'

/** Fields of people that their provider keeps; an administrator may still disable them here. */
const KEPT = ['username', 'name', 'email'] as const

interface Managed {
  managed_by: string
}

/** The provider whose call this is; people and groups that it writes are its own. */
const providerOf = (call: Call): string | undefined => (call.via === 'scim' ? call.user?.name : undefined)

const textOf = (call: Call, { managed_by }: Managed) => translate(call.language, MANAGED, { provider: managed_by })

/**
 * People of a provider are changed there. One whose source becomes another one here is no longer of
 * the provider. Throws 400 by field.
 */
export function keepPersonOfProvider({
  call,
  draft,
  row,
}: {
  call: Call
  draft: Record<string, unknown> & { source?: unknown }
  row: (Managed & Record<string, unknown>) | undefined
}): void {
  const provider = providerOf(call)
  if (provider !== undefined) draft.managed_by = provider
  else if (row?.managed_by) {
    if (draft.source !== undefined && draft.source !== row.source) {
      draft.managed_by = ''
      return
    }
    const changed = KEPT.filter((name) => name in draft && isOtherValue(draft[name], row[name]))
    if (changed.length) throw invalid(Object.fromEntries(changed.map((name) => [name, textOf(call, row)])))
  }
}

/** The name and the members of a provider's group are changed there. Throws 400 by field. */
export async function keepGroupOfProvider({
  call,
  db,
  draft,
  row,
}: {
  call: Call
  db: Database
  draft: { name?: unknown; users?: unknown; managed_by?: unknown }
  row: (Managed & { id: string; name: string }) | undefined
}): Promise<void> {
  const provider = providerOf(call)
  if (provider !== undefined) draft.managed_by = provider
  else if (row?.managed_by) {
    const { name, users } = draft
    if (name !== undefined && name !== row.name) throw invalid({ name: textOf(call, row) })
    if (Array.isArray(users) && !(await isMembership(db, row.id, users))) throw invalid({ users: textOf(call, row) })
  }
}

async function isMembership(db: Database, group: string, users: readonly unknown[]): Promise<boolean> {
  const { rows } = await db.execute<{ same: boolean }>(
    sql`SELECT ARRAY(SELECT "user" FROM users_user_group_user WHERE usergroup = ${group} ORDER BY "user")
      = ARRAY(SELECT DISTINCT u::uuid FROM unnest(${sql.param([...users])}::text[]) u ORDER BY 1) AS same`,
  )
  return rows[0]?.same === true
}

/** Throws 400 where one of the groups belongs to a provider, unless the call is that provider's. */
export async function refuseManagedGroups(db: Database, call: Call, groups: readonly string[]): Promise<void> {
  if (!groups.length || providerOf(call) !== undefined) return
  const { rows } = await db.execute<{ name: string; managed_by: string }>(
    sql`SELECT name, managed_by FROM users_user_group WHERE managed_by <> '' AND id = ANY(${sql.param([...groups])}::uuid[]) LIMIT 1`,
  )
  const [row] = rows
  if (row)
    throw new AppError(400, 'managed_by_provider', MANAGED_GROUP, {
      values: { name: row.name, provider: row.managed_by },
    })
}

const MANAGED_GROUP = 'The members of {{name}} come from {{provider}} and are changed there'

/** A provider has another name now; with an empty one its people and groups are changed here again. */
export async function renameProvider(db: Database, from: string, to: string): Promise<void> {
  for (const table of [usersUser, usersUserGroup])
    await db.update(table).set({ managed_by: to }).where(eq(table.managed_by, from))
}
