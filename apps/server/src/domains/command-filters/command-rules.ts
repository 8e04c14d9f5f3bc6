import { commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../kernel/database/database.ts'
import { PREPARED } from '../../kernel/database/preparing-client.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { listRows } from '../../kernel/resource/lists/list.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { assetsListedAsset } from '../assets/index.ts'
import { assetsListedSystemUser } from '../system-users/index.ts'
import { usersGroupMember, usersListedGroup } from '../users/index.ts'
import { commandPattern } from './command-pattern.ts'
import { assetsCommandFilterRule } from './tables.ts'

/** The person, the account and the target of a command; unknown ones are left out. */
export interface CommandSituation {
  userId?: string | undefined
  userGroupId?: string | undefined
  systemUserId?: string | undefined
  target?: Target | undefined
}

/**
 * The pairs (`filter_id`, `target`) by which filters are bound to targets of a family. Their tables
 * have the trigger `command_rules_changed`.
 */
export const PAIRS: Readonly<Record<TargetFamily, SQL>> = {
  asset: sql`SELECT filter_id, asset_id AS target FROM assets_command_filter_asset`,
  application: sql`SELECT filter_id, application_id AS target FROM assets_command_filter_application`,
}

/** The view of the targets of each family. */
const boundTargets: Partial<Record<TargetFamily, SQL>> = { asset: sql`${assetsListedAsset}` }

/** Lets filters be bound to targets of a family of a later domain. `targets` has `id` and `org_id`. */
export function addBoundTargets(family: TargetFamily, targets: SQL): void {
  boundTargets[family] = targets
}

/** A rule as the command guard uses it. */
export interface CommandRule {
  id: string
  /** Id and name of its filter. */
  filter: string
  filter_name: string
  /** As it was written, by which people know it. */
  content: string
  /** The effective regular expression. */
  pattern: string
  ignore_case: boolean
  /** 0 deny, 2 confirm, 9 allow. */
  action: number
  priority: number
}

/**
 * Told, in the transaction of the change, whenever filters, their rules, what they are bound to, or
 * the members of groups change (a trigger; without payload).
 */
export const COMMAND_RULES_CHANGED = 'assets.command_rules_changed'

const column = (values: readonly (string | undefined)[]) => sql.param(values.map((value) => value ?? null))

/**
 * The situations as rows `s`, numbered from 1, with the organization whose filters apply: that of the
 * target, else of the system user, else of the group. Where none of these is known there is no row.
 */
function situated(situations: readonly CommandSituation[]): SQL {
  const targets = Object.entries(boundTargets).map(
    ([family, bound]) => sql`SELECT 1 AS rank, t.org_id FROM ${bound} t WHERE g.family = ${family} AND t.id = g.target`,
  )
  return sql`(
    SELECT g.*, known.org_id FROM unnest(
      ${column(situations.map(({ userId }) => userId))}::uuid[],
      ${column(situations.map(({ userGroupId }) => userGroupId))}::uuid[],
      ${column(situations.map(({ systemUserId }) => systemUserId))}::uuid[],
      ${column(situations.map(({ target }) => target?.family))}::text[],
      ${column(situations.map(({ target }) => target?.id))}::uuid[]
    ) WITH ORDINALITY AS g (user_id, group_id, system_user_id, family, target, n)
    CROSS JOIN LATERAL (SELECT org_id FROM (
      ${sql.join(targets, sql` UNION ALL `)}
      UNION ALL SELECT 2, u.org_id FROM ${assetsListedSystemUser} u WHERE u.id = g.system_user_id
      UNION ALL SELECT 3, l.org_id FROM ${usersListedGroup} l WHERE l.id = g.group_id
    ) found ORDER BY rank LIMIT 1) known) s`
}

/**
 * Pairs (`n`, `filter_id`) of situations and the active filters that apply, for which any one
 * binding is enough (docs/rules/assets.md#command_filter). Never filters of another
 * organization.
 */
function applyingFilters(situations: readonly CommandSituation[]): SQL {
  const targets = Object.entries(PAIRS).map(
    ([family, pairs]) =>
      sql`UNION ALL SELECT b.filter_id FROM (${pairs}) b WHERE s.family = ${family} AND b.target = s.target`,
  )
  return sql`SELECT DISTINCT s.n, f.id AS filter_id FROM ${situated(situations)}
    CROSS JOIN LATERAL (
      SELECT b.filter_id FROM assets_command_filter_user b WHERE b.user_id = s.user_id
      UNION ALL SELECT b.filter_id FROM assets_command_filter_user_group b JOIN ${usersGroupMember} m ON m.group_id = b.group_id
        WHERE m.user_id = s.user_id
      UNION ALL SELECT b.filter_id FROM assets_command_filter_user_group b WHERE b.group_id = s.group_id
      UNION ALL SELECT b.filter_id FROM assets_command_filter_system_user b WHERE b.system_user_id = s.system_user_id
      ${sql.join(targets, sql` `)}
    ) bound
    JOIN assets_command_filter f ON f.id = bound.filter_id AND f.org_id = s.org_id AND f.is_active`
}

/**
 * The rules of each situation, in the order in which they are tried: by ascending priority number
 * and, where equal, deny before confirm before allow. One query, however many situations.
 */
export async function commandRulesOf(db: Database, situations: readonly CommandSituation[]): Promise<CommandRule[][]> {
  const answers = situations.map((): CommandRule[] => [])
  if (!situations.length) return answers
  const { rows } = await db.execute<Omit<CommandRule, 'pattern'> & { n: string; type: string }>(sql`${PREPARED}
    SELECT a.n, r.id, r.filter, f.name AS filter_name, r.type, r.content, r.ignore_case, r.action, r.priority
    FROM (${applyingFilters(situations)}) a
    JOIN assets_command_filter_rule r ON r.filter = a.filter_id
    JOIN assets_command_filter f ON f.id = a.filter_id
    ORDER BY r.priority, r.action, r.id`)
  for (const { n, type, ...rule } of rows)
    answers[Number(n) - 1]?.push({ ...rule, pattern: commandPattern(type, rule.content) })
  return answers
}

/** The rules of one situation; see `commandRulesOf`. */
export async function commandRulesFor(db: Database, situation: CommandSituation): Promise<CommandRule[]> {
  const [rules = []] = await commandRulesOf(db, [situation])
  return rules
}

/** Answers the rules for a situation: to components, and to administrators who want to know. */
export function registerCommandRules(kernel: Kernel, rules: MountedResource): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, situation: CommandSituation) => {
    const scope = sql`${assetsCommandFilterRule.filter} IN (SELECT a.filter_id FROM (${applyingFilters([situation])}) a)`
    const { parameters: _, ...mount } = rules.mount
    return listRows({ ...rules, mount: { ...mount, scope: () => scope } }, contextOf(kernel, request), request, reply)
  }
  const named = (request: FastifyRequest): CommandSituation => {
    const { user_id, user_group_id, system_user_id, asset_id, application_id } = singleValues(request.query)
    const known = (id: string | undefined) => (isUuid(id) ? id : undefined)
    const target = (family: TargetFamily, id: string | undefined) => (isUuid(id) ? { family, id } : undefined)
    return {
      userId: known(user_id),
      userGroupId: known(user_group_id),
      systemUserId: known(system_user_id),
      target: target('asset', asset_id) ?? target('application', application_id),
    }
  }
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/assets/cmd-filter-rules/',
    config: {
      access: ['org_admin', 'component'],
      summary: 'Command rules that apply to a person on a target',
      rows: commandFilterRule,
      answers: 'rows or page',
    },
    handler: (request, reply) => answer(request, reply, named(request)),
  })
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/assets/system-users/:id/cmd-filter-rules/',
    config: {
      access: ['org_admin', 'component'],
      summary: 'Command rules that apply to a system user',
      rows: commandFilterRule,
      answers: 'rows or page',
    },
    handler: (request, reply) => {
      const { id } = request.params as { id: string }
      return answer(request, reply, { ...named(request), ...(isUuid(id) ? { systemUserId: id } : {}) })
    },
  })
}
