import type { RuleReach } from '@sallyport/contract/resources/acls/rule-reach.ts'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { accountsMet, peopleMet, type RuleGroups, targetsMet } from './rule-meets.ts'

const MAX_ENTRIES = 1000
/** So many are named. */
const NAMED = 5

const group = (length: number) => z.array(z.string().max(length)).max(MAX_ENTRIES).default(['*'])
const body = z.object({
  users: z.object({ username_group: group(128) }).prefault({}),
  assets: z.object({ hostname_group: group(128), ip_group: group(1024) }).prefault({}),
  system_users: z
    .object({ name_group: group(128), username_group: group(128), protocol_group: group(16) })
    .prefault({}),
})

/**
 * POST login-asset-acls/reach/: the people, targets and system users of the current organization that
 * a rule with these groups would meet now, saved or not. Nothing is stored.
 */
export function registerRuleReach(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/acls/login-asset-acls/reach/',
    config: {
      access: ['org_admin'],
      needsLicense: true,
      summary: 'Whom and what an asset access rule would meet now',
      takes: body,
      answers: { fields: plainFields({ users: 'object', assets: 'object', system_users: 'object' }) },
    },
    handler: async (request): Promise<RuleReach> => {
      const groups = body.parse(request.body ?? {})
      const org = request.call.org.id
      const [users, assets, system_users] = await Promise.all([
        peopleOf(kernel.db, org, groups),
        targetsOf(kernel.db, org, groups),
        systemUsersOf(kernel.db, org, groups),
      ])
      return { users, assets, system_users }
    },
  })
}

type Met = RuleReach['users']

/** The rows of a query that counts all that it found in each of its first ones. */
const met = (rows: readonly { count: number; name: string }[]): Met => ({
  count: rows[0]?.count ?? 0,
  names: rows.map(({ name }) => name),
})

async function peopleOf(db: Database, org: string, groups: RuleGroups): Promise<Met> {
  const { rows } = await db.execute<{ name: string; username: string; count: string }>(sql`
    SELECT name, username, count(*) OVER () AS count FROM (${peopleMet(org, groups)}) met ORDER BY name, id LIMIT ${NAMED}`)
  return met(rows.map((row) => ({ count: Number(row.count), name: displayName(row) })))
}

async function targetsOf(db: Database, org: string, groups: RuleGroups): Promise<Met> {
  const { rows } = await db.execute<{ name: string; count: string }>(sql`
    SELECT name || CASE address WHEN '' THEN '' ELSE '(' || address || ')' END AS name, count(*) OVER () AS count
    FROM (${targetsMet(org, groups)}) met ORDER BY met.name, id LIMIT ${NAMED}`)
  return met(rows.map((row) => ({ name: row.name, count: Number(row.count) })))
}

async function systemUsersOf(db: Database, org: string, groups: RuleGroups): Promise<Met> {
  const { rows } = await db.execute<{ name: string; count: string }>(sql`
    SELECT name, count(*) OVER () AS count FROM (${accountsMet(org, groups)}) met ORDER BY name, id LIMIT ${NAMED}`)
  return met(rows.map((row) => ({ name: row.name, count: Number(row.count) })))
}
