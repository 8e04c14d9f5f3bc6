import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { readInet } from '../../kernel/database/read-inet.ts'
import { orgsMembership } from '../orgs/index.ts'
import { permsTarget } from '../perms/index.ts'
import { assetsListedSystemUser } from '../system-users/index.ts'
import { usersAccount } from '../users/index.ts'
import { addressesOf } from './ip-group.ts'

/** Whom and what an asset access rule names. */
export interface RuleGroups {
  users: { username_group: readonly string[] }
  assets: { hostname_group: readonly string[]; ip_group: readonly string[] }
  system_users: {
    name_group: readonly string[]
    username_group: readonly string[]
    protocol_group: readonly string[]
  }
}

/** Whether a value is named by a group; undefined where all are. */
const isAmong = (value: PgColumn, entries: readonly string[]): SQL | undefined =>
  entries.includes('*') ? undefined : inArray(value, [...entries])

/** Query of the members of an organization whom a rule meets: id, name, username. */
export function peopleMet(org: string, { users }: RuleGroups): SQL {
  const { id, name, username } = usersAccount
  const isMember = sql`EXISTS (SELECT FROM ${orgsMembership} WHERE ${orgsMembership.user_id} = ${id}
    AND ${orgsMembership.org_id} = ${org})`
  return sql`SELECT ${id}, ${name}, ${username} FROM ${usersAccount} WHERE ${and(isMember, isAmong(username, users.username_group))}`
}

/** Query of the machines and applications that it meets, by name and address: id, name, address. */
export function targetsMet(org: string, { assets }: RuleGroups): SQL {
  const { id, name, address, org_id } = permsTarget
  const where = and(eq(org_id, org), isAmong(name, assets.hostname_group), isInAddresses(address, assets.ip_group))
  return sql`SELECT ${id}, ${name}, ${address} FROM ${permsTarget} WHERE ${where}`
}

/** As `isInIpGroup` decides, for a column; undefined where every address is in the group. */
function isInAddresses(address: PgColumn, entries: readonly string[]): SQL | undefined {
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

/**
 * Query of the system users that it meets: id, name. One with the person's own name, or a typed one,
 * may come with any name of the group.
 */
export function accountsMet(org: string, { system_users: wanted }: RuleGroups): SQL {
  const { name, username, protocol, username_same_with_user, login_mode, org_id, type, id } = assetsListedSystemUser
  const hasAnyName = or(
    eq(username_same_with_user, true),
    and(eq(login_mode, 'manual'), eq(username, '')),
    isAmong(username, wanted.username_group),
  )
  const where = and(
    eq(org_id, org),
    eq(type, 'common'),
    isAmong(name, wanted.name_group),
    isAmong(protocol, wanted.protocol_group),
    wanted.username_group.includes('*') ? undefined : hasAnyName,
  )
  return sql`SELECT ${id}, ${name} FROM ${assetsListedSystemUser} WHERE ${where}`
}
