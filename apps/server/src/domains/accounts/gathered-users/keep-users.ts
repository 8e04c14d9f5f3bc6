import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import type { FoundUser } from './read-host.ts'

/** How many accounts of a machine are different from the run before. */
export interface Changes {
  new: number
  changed: number
  vanished: number
}

/**
 * Stores the accounts that were found on an asset: one that is not there any more is marked, not
 * removed, and each row has the differences from the run before. In the first run of an asset
 * nothing is new.
 */
export async function keepUsers(
  database: Database,
  asset: { id: string; org_id: string },
  users: readonly FoundUser[],
): Promise<Changes> {
  return database.transaction(async (db) => {
    await lockUntilCommit(db, `accounts_gathered_user ${asset.id}`)
    const names = users.map(({ username }) => username)
    await db.execute(sql`
      UPDATE accounts_gathered_user SET present = false, change = CASE WHEN present THEN 'vanished' ELSE '' END,
        date_changed = CASE WHEN present THEN now() ELSE date_changed END, date_updated = now()
      WHERE asset = ${asset.id} AND username <> ALL(${sql.param(names)}::text[])`)
    await db.execute(sql`
      INSERT INTO accounts_gathered_user AS u (org_id, asset, username, uid, home, shell, is_admin, keys,
        date_last_login, ip_last_login, change, date_changed)
      SELECT ${asset.org_id}, ${asset.id}, f.username, f.uid, f.home, f.shell, f.is_admin, f.keys,
        f.date_last_login, f.ip_last_login, CASE WHEN before.was_read THEN 'new' ELSE '' END,
        CASE WHEN before.was_read THEN now() END
      FROM jsonb_to_recordset(${JSON.stringify(users)}::jsonb) AS f (username text, uid bigint, home text, shell text,
        is_admin boolean, keys jsonb, date_last_login timestamptz, ip_last_login text),
        (SELECT EXISTS (SELECT 1 FROM accounts_gathered_user WHERE asset = ${asset.id}) AS was_read) before
      ON CONFLICT (asset, username) DO UPDATE SET present = true, uid = excluded.uid, home = excluded.home,
        shell = excluded.shell, is_admin = excluded.is_admin, keys = coalesce(excluded.keys, u.keys),
        date_last_login = coalesce(excluded.date_last_login, u.date_last_login),
        ip_last_login = coalesce(nullif(excluded.ip_last_login, ''), u.ip_last_login),
        change = CASE WHEN NOT u.present THEN 'new' WHEN ${IS_DIFFERENT} THEN 'changed' ELSE '' END,
        date_changed = CASE WHEN NOT u.present OR ${IS_DIFFERENT} THEN now() ELSE u.date_changed END,
        date_updated = now()`)
    const { rows } = await db.execute<{ change: keyof Changes; count: number }>(sql`
      SELECT change, count(*)::int AS count FROM accounts_gathered_user
      WHERE asset = ${asset.id} AND change <> '' GROUP BY change`)
    return { new: 0, changed: 0, vanished: 0, ...Object.fromEntries(rows.map(({ change, count }) => [change, count])) }
  })
}

const IS_DIFFERENT = sql`((u.uid, u.home, u.shell, u.is_admin) IS DISTINCT FROM
  (excluded.uid, excluded.home, excluded.shell, excluded.is_admin)
  OR excluded.keys IS NOT NULL AND u.keys IS NOT NULL AND u.keys <> excluded.keys)`
