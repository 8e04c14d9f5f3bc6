import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { takeGroups } from '../group-mapping/apply.ts'
import type { LdapPerson } from './person.ts'

const BATCH = 500

/**
 * Takes what groups of the directory have given from people whom it does not list any more. An empty
 * list takes nothing: it is rather the filter that is wrong. Says in the log what could not be known.
 */
export async function letGoOfMissing(
  kernel: Kernel,
  directory: string | null,
  listed: readonly LdapPerson[],
): Promise<void> {
  const { log } = kernel.app
  const crowded = listed.filter(({ groups }) => !groups).length
  if (crowded)
    log.warn(
      { directory, people: crowded },
      'people of the LDAP directory are in too many groups: what theirs gave before stays',
    )
  if (!listed.length) return
  const { rows } = await kernel.db.execute<{ id: string }>(sql`
    SELECT g.user_id AS id FROM authentication_outside_groups g JOIN users_person p ON p.id = g.user_id
    WHERE g.source = 'ldap' AND p.source = 'ldap'
      AND p.directory_id IS NOT DISTINCT FROM ${directory}::uuid AND NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements_text(${JSON.stringify(listed.map(({ username }) => username))}::jsonb) listed (username)
      WHERE lower(listed.username) = lower(p.username)) ORDER BY 1`)
  for (let from = 0; from < rows.length; from += BATCH) {
    const ids = rows.slice(from, from + BATCH).map(({ id }) => id)
    await kernel.db.transaction((db) => takeGroups(kernel, db, 'ldap', ids))
  }
  if (rows.length)
    log.info(
      { directory, people: rows.length },
      'people whom the LDAP directory lists no more lost what their groups gave',
    )
}
