import type { Target } from '@sallyport/contract/target.ts'
import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { isInIpGroup } from './ip-group.ts'
import { aclsLoginAssetAcl, aclsLoginAssetAclReviewer } from './tables.ts'

/** What somebody connects to, as rules name it: for an asset, its host name and IP. */
export interface ReviewedTarget extends Target {
  org_id: string
  name: string
  /** Empty where the family has no addresses: then only rules for every address apply. */
  address: string
}

/** Somebody about to connect to a target. */
export interface TargetLogin {
  username: string
  target: ReviewedTarget
  /** `username`: the one to log in with, typed or stored. */
  systemUser: { name: string; username: string; protocol: string }
}

export type StoredRule = typeof aclsLoginAssetAcl.$inferSelect

/**
 * Ids of the people one of whom must confirm it; empty when no rule asks for it. The first rule
 * that applies decides (docs/rules/acls.md#login_asset_acl). Rules hold for targets of every
 * family: what the contract calls host name and IP are the target's name and address.
 */
export async function targetReviewers(db: Database, login: TargetLogin): Promise<string[]> {
  const rules = await activeRules(db, [login.target.org_id])
  const rule = rules.find((one) => applies(one, login))
  if (!rule) return []
  const reviewers = await db
    .select({ id: aclsLoginAssetAclReviewer.user_id })
    .from(aclsLoginAssetAclReviewer)
    .where(eq(aclsLoginAssetAclReviewer.acl_id, rule.id))
  // All reviewers may have left since: then nobody can confirm, and nobody gets in.
  return reviewers.length ? reviewers.map(({ id }) => id) : [NOBODY]
}

/** The active rules of organizations, in the order in which they are tried. */
export function activeRules(db: Database, orgs: readonly string[]): Promise<StoredRule[]> {
  const { org_id, is_active, priority, date_updated, name } = aclsLoginAssetAcl
  return db
    .select()
    .from(aclsLoginAssetAcl)
    .where(and(inArray(org_id, [...orgs]), eq(is_active, true)))
    .orderBy(asc(priority), desc(date_updated), asc(name))
}

/** Nobody's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

const isAmong = (group: readonly string[], value: string) => group.includes('*') || group.includes(value)

/** The conditions of a rule on each part of a login, all of which must be met. */
export const ruleParts = ({ users, assets, system_users }: StoredRule) => ({
  person: (username: string) => isAmong(users.username_group, username),
  target: ({ name, address }: Pick<ReviewedTarget, 'name' | 'address'>) =>
    isAmong(assets.hostname_group, name) && isInIpGroup(address, assets.ip_group),
  account: ({ name, protocol }: Pick<TargetLogin['systemUser'], 'name' | 'protocol'>) =>
    isAmong(system_users.name_group, name) && isAmong(system_users.protocol_group, protocol),
  username: (username: string) => isAmong(system_users.username_group, username),
})

function applies(rule: StoredRule, { username, target, systemUser }: TargetLogin): boolean {
  const { person, target: place, account, username: name } = ruleParts(rule)
  return person(username) && place(target) && account(systemUser) && name(systemUser.username)
}
