import { sql } from 'drizzle-orm'
import { type Look, orgOfLook } from '../../kernel/resource/preview/parts.ts'

/** Somebody whom a change touches, with the names of their groups. */
interface Placed extends Record<string, unknown> {
  id: string
  name: string
  groups: string[]
}

export type Places = ReadonlyMap<string, Placed>

/** The groups of the people who are touched, before the write. */
export const placesBefore = (look: Look): Promise<Places> => placesOf(look)

/** People who come into user groups by the write, or leave them. */
export async function placesAfter(look: Look, before: Places) {
  const after = await placesOf(look)
  const changed = [...after.values()].flatMap(({ id, name, groups }) => {
    const was = before.get(id)?.groups ?? []
    const gained = groups.filter((group) => !was.includes(group))
    const lost = was.filter((group) => !groups.includes(group))
    return gained.length + lost.length ? [{ person: { id, name }, gained, lost }] : []
  })
  const { limit, offset } = look.page
  return { places: { count: changed.length, rows: changed.slice(offset, offset + limit) } }
}

async function placesOf(look: Look): Promise<Places> {
  const org = orgOfLook(look)
  const { rows } = await look.db.execute<Placed>(sql`
    SELECT u.id, u.name || '(' || u.username || ')' AS name, coalesce((
      SELECT jsonb_agg(g.name ORDER BY g.name, g.id) FROM users_user_group_user m JOIN users_user_group g ON g.id = m.usergroup
      WHERE m."user" = u.id${org ? sql` AND g.org_id = ${org}::uuid` : sql``}), '[]') AS groups
    FROM users_user u WHERE u.id IN (SELECT other FROM preview_change WHERE kind = 'group_person') ORDER BY u.name, u.id`)
  return new Map(rows.map((row) => [row.id, row]))
}
