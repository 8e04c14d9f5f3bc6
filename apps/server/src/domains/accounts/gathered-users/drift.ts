import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { accountsGatheredUser } from './tables.ts'

type GatheredRow = StoredRow<typeof accountsGatheredUser>

/**
 * Logins of this gathered user from here: by its name, or by the name of the person who connects.
 */
const LOGINS = sql`SELECT l.* FROM assets_account_login l
  WHERE l.asset = ${accountsGatheredUser.asset} AND (l.username = ${accountsGatheredUser.username} OR l.username_same_with_user
    AND EXISTS (SELECT 1 FROM users_account p WHERE p.username = ${accountsGatheredUser.username}))`

/** Whether anybody logs in to it from here. */
export const isOwned = (wanted: boolean): SQL => sql`EXISTS (${LOGINS}) = ${wanted}`

/** Whether it lets keys in that no account here has; of unread keys nobody knows. */
export const hasUnexplainedKeys = (wanted: boolean): SQL => sql`(${accountsGatheredUser.keys} IS NOT NULL AND EXISTS (
    SELECT 1 FROM jsonb_array_elements(${accountsGatheredUser.keys}) one
    WHERE NOT EXISTS (SELECT 1 FROM (${LOGINS}) login WHERE login.public_key = one ->> 'key'))) = ${wanted}`

/** A sign-in there is one from here where a session began about then: clocks differ, and signing in takes its time. */
const FROM_HERE = sql`EXISTS (SELECT 1 FROM terminal_listed_session s
  WHERE s.asset_id = ${accountsGatheredUser.asset}::text AND s.target_family = 'asset'
    AND s.date_start BETWEEN ${accountsGatheredUser.date_last_login} - interval '5 minutes'
      AND ${accountsGatheredUser.date_last_login} + interval '5 minutes')`

/** Whether the last sign-in there came from here; those without any are neither. */
export const isLastLoginKnown = (wanted: boolean): SQL =>
  sql`(${accountsGatheredUser.date_last_login} IS NOT NULL AND ${FROM_HERE} = ${wanted})`

/** Whether the last sign-in of each came from here; null where nobody has signed in. */
export async function loadLastLogins(rows: readonly GatheredRow[], { db }: Pick<ReadContext, 'db'>) {
  const { rows: found } = await db.execute<{ id: string; is_known: boolean }>(sql`
    SELECT ${accountsGatheredUser.id} AS id, ${FROM_HERE} AS is_known FROM ${accountsGatheredUser}
    WHERE ${accountsGatheredUser.date_last_login} IS NOT NULL
      AND ${accountsGatheredUser.id} = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])`)
  const known = new Map(found.map(({ id, is_known }) => [id, is_known]))
  return rows.map(({ id }) => ({ is_last_login_known: known.get(id) ?? null }))
}

interface FoundLogin extends Record<string, unknown> {
  id: string
  /** Name of the system user; empty for an account of its own. */
  name: string
  key: string | null
}

/** The people here who use these accounts, and which of their keys that explains. */
export async function loadDrift(rows: readonly GatheredRow[], { db }: Pick<ReadContext, 'db'>) {
  const logins = await loginsOf(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map(({ id, username, keys }) => {
    const mine = logins.get(id) ?? []
    const known = new Set(mine.flatMap(({ key }) => key ?? []))
    const shown = keys?.map(({ key, comment }) => ({ ...inWords(key), comment, is_explained: known.has(key) })) ?? null
    return {
      owners: [...new Set(mine.map(({ name }) => name || username))].sort(),
      keys: shown,
      unexplained_keys: shown === null ? null : shown.filter(({ is_explained }) => !is_explained).length,
    }
  })
}

async function loginsOf(db: Database, ids: readonly string[]): Promise<Map<string, FoundLogin[]>> {
  const { rows } = await db.execute<FoundLogin>(sql`
    SELECT ${accountsGatheredUser.id} AS id, login.systemuser_name AS name, login.public_key AS key
    FROM ${accountsGatheredUser} CROSS JOIN LATERAL (${LOGINS}) login
    WHERE ${accountsGatheredUser.id} = ANY(${sql.param([...ids])}::uuid[])`)
  return Map.groupBy(rows, ({ id }) => id)
}

/** As `ssh-keygen -l` names it. */
function inWords(key: string): { type: string; fingerprint: string } {
  const [type = '', body = ''] = key.split(' ')
  const hash = createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '')
  return { type, fingerprint: `SHA256:${hash}` }
}
