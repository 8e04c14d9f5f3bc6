import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Look } from '../../kernel/resource/preview/parts.ts'
import { addRulesToPreviews, type Meeting, type MetRight, type Ruling } from '../perms/index.ts'
import { accountsMet, peopleMet, type RuleGroups, targetsMet } from './rule-meets.ts'
import { activeRules, ruleParts, type StoredRule } from './target-review.ts'

/** Says in previews who has to wait for a confirmation from then on, no longer, or by others. */
export function addAccessRulesToPreviews(kernel: Kernel): void {
  addRulesToPreviews(kernel, { name: 'confirmations', kinds: ['access_rule'], meets, judge })
}

const TOUCHED = sql`SELECT id FROM preview_change WHERE kind = 'access_rule'`

async function meets({ db }: Look): Promise<Meeting[]> {
  const { rows } = await db.execute<RuleGroups & { org_id: string } & Record<string, unknown>>(sql`
    SELECT org_id, users, assets, system_users FROM acls_login_asset_acl WHERE is_active AND id IN (${TOUCHED})`)
  const isAll = (...lists: readonly (readonly string[])[]) => lists.every((list) => list.includes('*'))
  return rows.map(({ org_id, ...groups }) => {
    const { users, assets, system_users: accounts } = groups
    return {
      people: isAll(users.username_group) ? undefined : peopleMet(org_id, groups),
      targets: isAll(assets.hostname_group, assets.ip_group) ? undefined : targetsMet(org_id, groups),
      accounts: isAll(accounts.name_group, accounts.username_group, accounts.protocol_group)
        ? undefined
        : accountsMet(org_id, groups),
    }
  })
}

interface Account {
  id: string
  name: string
  username: string
  protocol: string
  /** It has the name of the person. */
  is_own: boolean
  /** The name is typed when somebody connects: it may be any. */
  is_typed: boolean
}

/** As `targetReviewers` decides for each; what is the same for many is looked at once. */
async function judge({ db }: Look, rights: readonly MetRight[]): Promise<(Ruling | undefined)[]> {
  const { people, targets, accounts } = await partsOf(db, rights)
  const rules = await activeRules(db, [...new Set([...targets.values()].map(({ org_id }) => org_id))])
  const judging = rules.map((rule) => {
    const { person, target, account, username } = ruleParts(rule)
    return {
      rule,
      person: known((id: string) => person(people.get(id) ?? '')),
      target: known((id: string) => {
        const found = targets.get(id)
        return found?.org_id === rule.org_id && target(found)
      }),
      account: known((id: string) => {
        const found = accounts.get(id)
        return found !== undefined && account(found)
      }),
      username: known((name: string) => username(name)),
    }
  })
  const reviewers = await rulingsOf(db, rules)
  return rights.map((right) => {
    const account = accounts.get(right.account)
    const username = account?.is_own ? (people.get(right.person) ?? '') : (account?.username ?? '')
    const first = judging.find(
      (one) =>
        one.person(right.person) &&
        one.target(right.target) &&
        one.account(right.account) &&
        (account?.is_typed || one.username(username)),
    )
    return first && reviewers.get(first.rule.id)
  })
}

/** A question whose answers are kept. */
function known(ask: (value: string) => boolean): (value: string) => boolean {
  const answers = new Map<string, boolean>()
  return (value) => {
    const answer = answers.get(value) ?? ask(value)
    answers.set(value, answer)
    return answer
  }
}

async function partsOf(db: Database, rights: readonly MetRight[]) {
  const all = (part: 'person' | 'target' | 'account') =>
    sql`ANY(${sql.param([...new Set(rights.map((right) => right[part]))])}::uuid[])`
  const people = await db.execute<{ id: string; username: string }>(
    sql`SELECT id, username FROM users_account WHERE id = ${all('person')}`,
  )
  const targets = await db.execute<{ id: string; org_id: string; name: string; address: string }>(
    sql`SELECT id, org_id, name, address FROM perms_target WHERE id = ${all('target')}`,
  )
  const accounts = await db.execute<Account & Record<string, unknown>>(sql`
    SELECT id, name, username, protocol, username_same_with_user AS is_own,
      login_mode = 'manual' AND username = '' AND NOT username_same_with_user AS is_typed
    FROM assets_listed_system_user WHERE id = ${all('account')}`)
  return {
    people: new Map(people.rows.map(({ id, username }) => [id, username])),
    targets: new Map(targets.rows.map((row) => [row.id, row])),
    accounts: new Map(accounts.rows.map((row) => [row.id, row])),
  }
}

/** By whom each rule lets confirm. */
async function rulingsOf(db: Database, rules: readonly StoredRule[]): Promise<Map<string, Ruling>> {
  const { rows } = await db.execute<{ id: string; key: string; names: string[] }>(sql`
    SELECT rule.id, coalesce(string_agg(u.id::text, ' ' ORDER BY u.id), '') AS key,
      coalesce(array_agg(u.name || '(' || u.username || ')' ORDER BY u.name, u.id) FILTER (WHERE u.id IS NOT NULL), '{}') AS names
    FROM unnest(${sql.param(rules.map(({ id }) => id))}::uuid[]) AS rule (id)
    LEFT JOIN acls_login_asset_acl_reviewer r ON r.acl_id = rule.id LEFT JOIN users_account u ON u.id = r.user_id
    GROUP BY 1`)
  return new Map(rows.map(({ id, key, names }) => [id, { key, names }]))
}
