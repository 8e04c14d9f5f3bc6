import type { RuleReach } from '@sallyport/contract/resources/acls/rule-reach.ts'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { z } from 'zod'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { readInet } from '../../kernel/database/read-inet.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { applicationsListedApplication } from '../applications/index.ts'
import { assetsListedAsset } from '../assets/index.ts'
import { orgsMembership } from '../orgs/index.ts'
import { assetsListedSystemUser } from '../system-users/index.ts'
import { usersAccount } from '../users/index.ts'
import { addressesOf } from './ip-group.ts'

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
type Groups = z.infer<typeof body>

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
const count = () => sql<number>`count(*) OVER ()`.mapWith(Number)

/** Whether a value is named by a group; undefined where all are. */
const isAmong = (value: PgColumn | SQL, entries: readonly string[]): SQL | undefined =>
  entries.includes('*') ? undefined : inArray(value as SQL, [...entries])

const isMember = (org: string) =>
  sql`EXISTS (SELECT FROM ${orgsMembership} WHERE ${orgsMembership.user_id} = ${usersAccount.id}
    AND ${orgsMembership.org_id} = ${org})`

async function peopleOf(db: Database, org: string, { users }: Groups): Promise<Met> {
  const rows = await db
    .select({ count: count(), name: usersAccount.name, username: usersAccount.username })
    .from(usersAccount)
    .where(and(isMember(org), isAmong(usersAccount.username, users.username_group)))
    .orderBy(usersAccount.name, usersAccount.id)
    .limit(NAMED)
  return met(rows.map((row) => ({ count: row.count, name: displayName(row) })))
}

/** Machines and applications: rules hold for both, by name and address. */
async function targetsOf(db: Database, org: string, { assets }: Groups): Promise<Met> {
  const { attrs } = applicationsListedApplication
  const { rows } = await db.execute<{ name: string; count: string }>(sql`
    SELECT name || CASE address WHEN '' THEN '' ELSE '(' || address || ')' END AS name, count(*) OVER () AS count FROM (
      SELECT ${assetsListedAsset.id} AS id, ${assetsListedAsset.hostname} AS name, ${assetsListedAsset.ip} AS address
        FROM ${assetsListedAsset} WHERE ${assetsListedAsset.org_id} = ${org}
      UNION ALL
      SELECT ${applicationsListedApplication.id}, ${applicationsListedApplication.name},
        coalesce(${attrs}->>'host', ${attrs}->>'cluster', '')
        FROM ${applicationsListedApplication} WHERE ${applicationsListedApplication.org_id} = ${org}
    ) target
    WHERE ${and(isAmong(sql`target.name`, assets.hostname_group), isInAddresses(sql`address`, assets.ip_group)) ?? sql`true`}
    ORDER BY target.name, id LIMIT ${NAMED}`)
  return met(rows.map((row) => ({ name: row.name, count: Number(row.count) })))
}

/** As `isInIpGroup` decides, for a column; undefined where every address is in the group. */
function isInAddresses(address: SQL, entries: readonly string[]): SQL | undefined {
  if (entries.includes('*')) return undefined
  const { networks, ranges } = addressesOf(entries)
  const list = (values: readonly string[]) => sql`${sql.param([...values])}`
  const plain = sql`regexp_replace(${address}, '^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$', '\\1', 'i')`
  // A network is no address.
  const parsed = sql`(CASE WHEN ${address} NOT LIKE '%/%' THEN ${readInet(plain)} END)`
  return or(
    sql`${address} = ANY(${list(entries)}::text[])`,
    sql`${parsed} <<= ANY(${list(networks)}::inet[])`,
    sql`EXISTS (SELECT FROM unnest(${list(ranges.map(([first]) => first))}::inet[],
      ${list(ranges.map(([, last]) => last))}::inet[]) AS span (first, last)
      WHERE family(${parsed}) = family(first) AND ${parsed} BETWEEN first AND last)`,
  )
}

/** One with the person's own name, or a typed one, may come with any name of the group. */
async function systemUsersOf(db: Database, org: string, { system_users: wanted }: Groups): Promise<Met> {
  const { name, username, protocol, username_same_with_user, login_mode, org_id, type, id } = assetsListedSystemUser
  const hasAnyName = or(
    eq(username_same_with_user, true),
    and(eq(login_mode, 'manual'), eq(username, '')),
    isAmong(username, wanted.username_group),
  )
  const rows = await db
    .select({ count: count(), name })
    .from(assetsListedSystemUser)
    .where(
      and(
        eq(org_id, org),
        eq(type, 'common'),
        isAmong(name, wanted.name_group),
        isAmong(protocol, wanted.protocol_group),
        wanted.username_group.includes('*') ? undefined : hasAnyName,
      ),
    )
    .orderBy(name, id)
    .limit(NAMED)
  return met(rows)
}
