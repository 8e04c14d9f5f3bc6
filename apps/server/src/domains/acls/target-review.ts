import type { Target } from '@sallyport/contract/target.ts'
import { and, asc, desc, eq } from 'drizzle-orm'
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

type StoredRule = typeof aclsLoginAssetAcl.$inferSelect

/**
 * Ids of the people one of whom must confirm it; empty when no rule asks for it. The first rule
 * that applies decides (docs/rules/acls.md#login_asset_acl). Rules hold for targets of every
 * family: what the contract calls host name and IP are the target's name and address.
 */
export async function targetReviewers(db: Database, login: TargetLogin): Promise<string[]> {
  const rules = await db
    .select()
    .from(aclsLoginAssetAcl)
    .where(and(eq(aclsLoginAssetAcl.org_id, login.target.org_id), eq(aclsLoginAssetAcl.is_active, true)))
    .orderBy(asc(aclsLoginAssetAcl.priority), desc(aclsLoginAssetAcl.date_updated), asc(aclsLoginAssetAcl.name))
  const rule = rules.find((one) => applies(one, login))
  if (!rule) return []
  const reviewers = await db
    .select({ id: aclsLoginAssetAclReviewer.user_id })
    .from(aclsLoginAssetAclReviewer)
    .where(eq(aclsLoginAssetAclReviewer.acl_id, rule.id))
  // All reviewers may have left since: then nobody can confirm, and nobody gets in.
  return reviewers.length ? reviewers.map(({ id }) => id) : [NOBODY]
}

/** Nobody's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

const isAmong = (group: readonly string[], value: string) => group.includes('*') || group.includes(value)

function applies({ users, assets, system_users }: StoredRule, { username, target, systemUser }: TargetLogin): boolean {
  return (
    isAmong(users.username_group, username) &&
    isAmong(assets.hostname_group, target.name) &&
    isInIpGroup(target.address, assets.ip_group) &&
    isAmong(system_users.name_group, systemUser.name) &&
    isAmong(system_users.username_group, systemUser.username) &&
    isAmong(system_users.protocol_group, systemUser.protocol)
  )
}
