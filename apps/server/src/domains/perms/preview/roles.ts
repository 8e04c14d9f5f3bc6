import { sql } from 'drizzle-orm'
import { type Look, orgOfLook as orgOf } from '../../../kernel/resource/preview/parts.ts'

/** What somebody is, in one state: their role in the installation, and those in organizations. */
interface Standing {
  id: string
  name: string
  role: string
  can_sign_in: boolean
  organizations: { id: string; name: string; roles: string[] }[]
}

/** Organizations that a touched person administers, the installation itself as `''`. */
interface Before {
  people: Map<string, Standing>
  administered: Set<string>
}

/** The people who are touched, and what they administer, before the write. */
export async function rolesBefore(look: Look): Promise<Before> {
  const people = await standings(look)
  const administered = new Set<string>()
  for (const one of people.values()) {
    if (!one.can_sign_in) continue
    if (one.role === 'Admin') administered.add('')
    for (const { id, roles } of one.organizations) if (roles.includes('Admin')) administered.add(id)
  }
  return { people, administered }
}

/** People whose roles change, and organizations that have no administrator any more. */
export async function rolesAfter(look: Look, before: Before) {
  const after = await standings(look)
  const changed = [...new Set([...before.people.keys(), ...after.keys()])].flatMap((id) => {
    const [was, is] = [before.people.get(id), after.get(id)]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    const { name = '' } = was ?? is ?? {}
    return [{ person: { id, name }, before: wordsOf(was), after: wordsOf(is) }]
  })
  const { limit, offset } = look.page
  return {
    roles: { count: changed.length, rows: changed.slice(offset, offset + limit) },
    last_administrator: await unadministered(look, before),
  }
}

const wordsOf = (one: Standing | undefined) =>
  one ? { role: one.role, can_sign_in: one.can_sign_in, organizations: one.organizations } : null

async function standings(look: Look): Promise<Map<string, Standing>> {
  const org = orgOf(look)
  const { rows } = await look.db.execute<Standing & Record<string, unknown>>(sql`
    SELECT u.id, u.name || '(' || u.username || ')' AS name, u.role, u.is_valid AS can_sign_in,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', one.org_id, 'name', o.name, 'roles', one.roles) ORDER BY o.name)
        FROM (SELECT m.org_id, array_agg(m.role ORDER BY m.role) AS roles FROM orgs_membership m
          WHERE m.user_id = u.id${org ? sql` AND m.org_id = ${org}::uuid` : sql``} GROUP BY m.org_id) one
        JOIN orgs_listed_organization o ON o.id = one.org_id), '[]') AS organizations
    FROM users_account u WHERE u.id IN (
      SELECT id FROM preview_change WHERE kind = 'person' UNION SELECT other FROM preview_change WHERE kind = 'member')`)
  return new Map(rows.map((row) => [row.id, row]))
}

async function unadministered({ db }: Look, { administered }: Before) {
  const orgs = [...administered].filter(Boolean)
  const { rows } = await db.execute<{ system: boolean; organizations: { id: string; name: string }[] | null }>(sql`
    SELECT NOT EXISTS (SELECT 1 FROM users_account WHERE role = 'Admin' AND is_valid) AS system,
      (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name) ORDER BY o.name) FROM orgs_listed_organization o
       WHERE o.id = ANY(${sql.param(orgs)}::uuid[]) AND NOT EXISTS (
         SELECT 1 FROM orgs_membership m JOIN users_account u ON u.id = m.user_id AND u.is_valid
         WHERE m.org_id = o.id AND m.role = 'Admin')) AS organizations`)
  return {
    system: administered.has('') && rows[0]?.system === true,
    organizations: rows[0]?.organizations ?? [],
  }
}
