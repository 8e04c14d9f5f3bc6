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

/** Active rules in the order in which they are tried. */
async function activeRules(db: Database, userId: string, isConfirm: boolean): Promise<StoredRule[]> {
  return db
    .select()
    .from(aclsLoginAcl)
    .where(
      and(
        eq(aclsLoginAcl.user, userId),
        eq(aclsLoginAcl.is_active, true),
        sql`(${aclsLoginAcl.action} = 'confirm') = ${isConfirm}`,
      ),
    )
    .orderBy(asc(aclsLoginAcl.priority), desc(aclsLoginAcl.date_updated), asc(aclsLoginAcl.name))
}

const matches = ({ rules }: StoredRule, { address, now }: SignInPlace) =>
  isInIpGroup(address, rules.ip_group) && isInPeriods(rules.time_period, now)

/**
 * Why this person may not sign in from here and now; undefined when they may. The first rule that
 * matches decides (contract/README.md). Where none matches, any allow rule of theirs still refuses:
 * it means "from there and then only".
 */
export async function loginRefusal(db: Database, place: SignInPlace): Promise<'ip' | 'time' | undefined> {
  const rules = await activeRules(db, place.userId, false)
  const decides = rules.find((rule) => matches(rule, place))
  if (decides) return decides.action === 'allow' ? undefined : 'ip'
  const allowing = rules.filter(({ action }) => action === 'allow')
  if (!allowing.length) return undefined
  return allowing.some((rule) => isInIpGroup(place.address, rule.rules.ip_group)) ? 'time' : 'ip'
}

/**
 * Ids of the people one of whom must confirm this sign-in; empty when no rule asks for it
 * (docs/rules/acls.md#login_acl).
 */
export async function loginReviewers(db: Database, place: SignInPlace): Promise<string[]> {
  for (const rule of await activeRules(db, place.userId, true)) {
    if (!matches(rule, place)) continue
    const reviewers = await db
      .select({ id: aclsLoginAclReviewer.user_id })
      .from(aclsLoginAclReviewer)
      .where(eq(aclsLoginAclReviewer.acl_id, rule.id))
    if (reviewers.length) return reviewers.map(({ id }) => id)
  }
  return []
}
