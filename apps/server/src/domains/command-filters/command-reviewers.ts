import { and, eq, inArray } from 'drizzle-orm'
import { displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { usersAccount } from '../users/index.ts'
import { assetsCommandFilter, assetsCommandFilterRule, assetsCommandFilterRuleReviewer } from './tables.ts'

/** docs/rules/assets.md#command_filter_rule */
const CONFIRM = 2

/** A rule that has commands confirmed. */
export interface ConfirmingRule {
  id: string
  org_id: string
  /** Id and name of its filter. */
  filter: string
  filter_name: string
  priority: number
  /** Those of its reviewers who can sign in; `display`: Name(username). */
  reviewers: { id: string; display: string }[]
}

/**
 * Those of these rules that have commands confirmed now, by id: what was deleted, turned off or
 * given another action is left out.
 */
export async function confirmingRules(db: Database, ids: readonly string[]): Promise<Map<string, ConfirmingRule>> {
  if (!ids.length) return new Map()
  const rule = assetsCommandFilterRule
  const rows = await db
    .select({
      id: rule.id,
      org_id: rule.org_id,
      filter: rule.filter,
      filter_name: assetsCommandFilter.name,
      priority: rule.priority,
      person: usersAccount.id,
      name: usersAccount.name,
      username: usersAccount.username,
    })
    .from(rule)
    .innerJoin(assetsCommandFilter, eq(assetsCommandFilter.id, rule.filter))
    .leftJoin(assetsCommandFilterRuleReviewer, eq(assetsCommandFilterRuleReviewer.rule_id, rule.id))
    .leftJoin(
      usersAccount,
      and(eq(usersAccount.id, assetsCommandFilterRuleReviewer.user_id), eq(usersAccount.is_valid, true)),
    )
    .where(and(inArray(rule.id, [...ids]), eq(rule.action, CONFIRM), eq(assetsCommandFilter.is_active, true)))
    .orderBy(usersAccount.name, usersAccount.id)
  const found = new Map<string, ConfirmingRule>()
  for (const { person, name, username, ...asking } of rows) {
    const { id } = asking
    const known = found.get(id) ?? { ...asking, reviewers: [] }
    if (person)
      known.reviewers.push({ id: person, display: displayName({ name: name ?? '', username: username ?? '' }) })
    found.set(id, known)
  }
  return found
}

/** The filters of those of these rules that are there still, by the rule's id. */
export async function filtersOfRules(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (!ids.length) return new Map()
  const { id, filter } = assetsCommandFilterRule
  const rows = await db
    .select({ id, filter })
    .from(assetsCommandFilterRule)
    .where(inArray(id, [...ids]))
  return new Map(rows.map((row) => [row.id, row.filter]))
}
