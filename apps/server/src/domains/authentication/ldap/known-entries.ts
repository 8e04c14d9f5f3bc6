import { and, eq, ne, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { usersAccount } from '../../users/index.ts'
import { authenticationOutsideAccount } from '../tables.ts'

const OF_LDAP = eq(authenticationOutsideAccount.source, 'ldap')

/**
 * Which entry of the directory somebody is known by: where several bear their name, as people may write
 * it into their own entries, this is theirs.
 */
export type IsKnownEntry = (dn: string, username: string) => boolean

/** The entries of everybody of a directory, or of one user name in any case. */
export async function knownEntries(db: Database, directory: string | null, username?: string): Promise<IsKnownEntry> {
  const rows = await db
    .select({ username: usersAccount.username, dn: authenticationOutsideAccount.subject })
    .from(authenticationOutsideAccount)
    .innerJoin(usersAccount, eq(usersAccount.id, authenticationOutsideAccount.user_id))
    .where(
      and(
        OF_LDAP,
        eq(authenticationOutsideAccount.issuer, directory ?? ''),
        username === undefined ? undefined : eq(sql`lower(${usersAccount.username})`, username.toLowerCase()),
      ),
    )
  const entries = new Map(rows.map((row) => [row.username.toLowerCase(), row.dn]))
  return (dn, name) => entries.get(name.toLowerCase()) === keyOf(dn)
}

/** Somebody has proven to be this entry, which takes the place of the one before: entries are moved. */
export async function keepEntry(db: Database, directory: string | null, userId: string, dn: string): Promise<void> {
  await db.transaction(async (inside) => {
    await inside
      .delete(authenticationOutsideAccount)
      .where(
        and(
          OF_LDAP,
          eq(authenticationOutsideAccount.user_id, userId),
          ne(authenticationOutsideAccount.subject, keyOf(dn)),
        ),
      )
    await inside
      .insert(authenticationOutsideAccount)
      .values({ source: 'ldap', issuer: directory ?? '', subject: keyOf(dn), user_id: userId })
      .onConflictDoNothing()
  })
}

/** Keeps the entries of people who were imported and have none yet. */
export async function keepNewEntries(
  db: Database,
  directory: string | null,
  saved: readonly { id: string; username: string }[],
  people: readonly { username: string; dn: string }[],
): Promise<void> {
  const dns = new Map(people.map(({ username, dn }) => [username, dn]))
  const rows = saved.map(({ id, username }) => ({ id, dn: keyOf(dns.get(username) ?? '') })).filter(({ dn }) => dn)
  await db.execute(sql`
    INSERT INTO authentication_outside_account (source, issuer, subject, user_id)
    SELECT 'ldap', ${directory ?? ''}, r.dn, r.id FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r (id uuid, dn text)
    WHERE NOT EXISTS (SELECT 1 FROM authentication_outside_account a WHERE a.source = 'ldap' AND a.user_id = r.id)
    ON CONFLICT DO NOTHING`)
}

const keyOf = (dn: string) => dn.toLowerCase()
