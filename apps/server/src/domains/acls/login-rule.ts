import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { isInIpGroup } from './ip-group.ts'
import { aclsLoginAcl, aclsLoginAclReviewer } from './tables.ts'
import { isInPeriods } from './time-period.ts'

type StoredRule = typeof aclsLoginAcl.$inferSelect

/** Where and when somebody signs in. */
export interface SignInPlace {
  userId: string
  address: string
  now: Date
}

async function firstRule(db: Database, userId: string, isConfirm: boolean): Promise<StoredRule | undefined> {
  const [rule] = await db
    .select()
    .from(aclsLoginAcl)
    .where(and(eq(aclsLoginAcl.user, userId), eq(aclsLoginAcl.is_active, true), sql`(${aclsLoginAcl.action} = 'confirm') = ${isConfirm}`))
    .orderBy(asc(aclsLoginAcl.priority), desc(aclsLoginAcl.date_updated), asc(aclsLoginAcl.name))
    .limit(1)
  return rule
}

/**
 * Why this person may not sign in from here and now; undefined when they may. Only the first rule counts: an allow rule refuses everything outside it,
 * a reject rule what is inside it (contract/acls.yaml "Sign-in check 1").
 */
export async function loginRefusal(db: Database, { userId, address, now }: SignInPlace): Promise<'ip' | 'time' | undefined> {
  const rule = await firstRule(db, userId, false)
  if (!rule) return undefined
  const inGroup = isInIpGroup(address, rule.rules.ip_group)
  const matched = inGroup && isInPeriods(rule.rules.time_period, now)
  if (rule.action === 'allow') return matched ? undefined : inGroup ? 'time' : 'ip'
  return matched ? 'ip' : undefined
}

/** Ids of those of whom one must confirm this sign-in; empty when it needs nobody (contract/acls.yaml "Sign-in check 2"). */
export async function loginReviewers(db: Database, { userId, address, now }: SignInPlace): Promise<string[]> {
  const rule = await firstRule(db, userId, true)
  if (!rule || !isInIpGroup(address, rule.rules.ip_group) || !isInPeriods(rule.rules.time_period, now)) return []
  const reviewers = await db
    .select({ id: aclsLoginAclReviewer.user_id })
    .from(aclsLoginAclReviewer)
    .where(eq(aclsLoginAclReviewer.acl_id, rule.id))
  return reviewers.map(({ id }) => id)
}
