import { and, asc, desc, eq } from 'drizzle-orm'
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
async function activeRules(db: Database, userId: string): Promise<StoredRule[]> {
  return db
    .select()
    .from(aclsLoginAcl)
    .where(and(eq(aclsLoginAcl.user, userId), eq(aclsLoginAcl.is_active, true)))
    .orderBy(asc(aclsLoginAcl.priority), desc(aclsLoginAcl.date_updated), asc(aclsLoginAcl.name))
}

/** Names of the active rules that judge a person's sign-ins, in the order in which they are tried. */
export async function signInRules(db: Database, userId: string): Promise<string[]> {
  return (await activeRules(db, userId)).map(({ name }) => name)
}

const matches = ({ rules }: StoredRule, { address, now }: SignInPlace) =>
  isInIpGroup(address, rules.ip_group) && isInPeriods(rules.time_period, now)

/** The judgement of the login rules on a sign-in (docs/rules/acls.md#login_acl). */
export interface LoginRuling {
  /** Why this person may not sign in from here and now; undefined when they may. */
  refusal: 'ip' | 'time' | undefined
  /** Ids of the people one of whom must confirm it; empty when no rule asks for it, or one refuses. */
  reviewers: string[]
}

/** Judges a sign-in by the rules as they are now, which are read once. */
export async function judgeLogin(db: Database, place: SignInPlace): Promise<LoginRuling> {
  const rules = await activeRules(db, place.userId)
  const refusal = refusalOf(
    rules.filter(({ action }) => action !== 'confirm'),
    place,
  )
  if (refusal) return { refusal, reviewers: [] }
  const asking = rules.filter((rule) => rule.action === 'confirm' && matches(rule, place))
  return { refusal, reviewers: await reviewersOf(db, asking) }
}

/**
 * The first rule that matches decides (contract/README.md). Where none matches, any allow rule still
 * refuses: it means "from there and then only".
 */
function refusalOf(rules: readonly StoredRule[], place: SignInPlace): LoginRuling['refusal'] {
  const decides = rules.find((rule) => matches(rule, place))
  if (decides) return decides.action === 'allow' ? undefined : 'ip'
  const allowing = rules.filter(({ action }) => action === 'allow')
  if (!allowing.length) return undefined
  return allowing.some((rule) => isInIpGroup(place.address, rule.rules.ip_group)) ? 'time' : 'ip'
}

/** Those of the first rule that has any. */
async function reviewersOf(db: Database, rules: readonly StoredRule[]): Promise<string[]> {
  for (const rule of rules) {
    const reviewers = await db
      .select({ id: aclsLoginAclReviewer.user_id })
      .from(aclsLoginAclReviewer)
      .where(eq(aclsLoginAclReviewer.acl_id, rule.id))
    if (reviewers.length) return reviewers.map(({ id }) => id)
  }
  return []
}
