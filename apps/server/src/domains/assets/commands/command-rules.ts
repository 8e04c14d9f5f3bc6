import { commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { listRows } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { usersGroupMember, usersListedGroup } from '../../users/index.ts'
import { assetsAsset, assetsCommandFilter, assetsCommandFilterRule, assetsSystemUser } from '../tables.ts'
import { commandPattern } from './command-pattern.ts'

/** Who types where; what is not known is left out. */
export interface CommandSituation {
  userId?: string | undefined
  userGroupId?: string | undefined
  systemUserId?: string | undefined
  target?: Target | undefined
}

/**
 * What filters can be bound to besides people and system users, by family: the view of its targets,
 * and the pairs (`filter_id`, `target`) that name them.
 */
interface BoundTargets {
  targets: SQL
  pairs: SQL
}

const boundTargets: Partial<Record<TargetFamily, BoundTargets>> = {
  asset: {
    targets: sql`${assetsAsset}`,
    pairs: sql`SELECT filter_id, asset_id AS target FROM assets_command_filter_asset`,
  },
}

/** Lets filters be bound to targets of one more family. */
export function addBoundTargets(family: TargetFamily, bound: BoundTargets): void {
  boundTargets[family] = bound
}

/** A rule as the command guard uses it. */
export interface CommandRule {
  id: string
  /** The effective regular expression. */
  pattern: string
  ignore_case: boolean
  /** 0 deny, 2 confirm, 9 allow. */
  action: number
  priority: number
}

/**
 * Ids of the active filters that apply, for which any one binding is enough (contract/assets.yaml
 * command_filter rules). Only filters of one organisation: that of the target, else of the system
 * user, else of the group. Without any of these, none applies.
 */
async function appliesTo(
  db: Database,
  { userId, userGroupId, systemUserId, target }: CommandSituation,
): Promise<SQL | undefined> {
  const bound = target && boundTargets[target.family]
  const { rows } = await db.execute<{ org_id: string }>(sql`
    SELECT org_id FROM (
      ${bound ? sql`SELECT 1 AS rank, org_id FROM ${bound.targets} WHERE id = ${target.id}::uuid UNION ALL ` : sql``}
      SELECT 2 AS rank, org_id FROM ${assetsSystemUser} WHERE id = ${systemUserId ?? null}::uuid
      UNION ALL SELECT 3, org_id FROM ${usersListedGroup} WHERE id = ${userGroupId ?? null}::uuid
    ) known ORDER BY rank LIMIT 1`)
  const [known] = rows
  if (!known) return undefined
  const filter = assetsCommandFilter.id
  const bindings = [
    userId &&
      sql`EXISTS (SELECT 1 FROM assets_command_filter_user b WHERE b.filter_id = ${filter} AND b.user_id = ${userId})`,
    userId &&
      sql`EXISTS (SELECT 1 FROM assets_command_filter_user_group b JOIN ${usersGroupMember} m ON m.group_id = b.group_id WHERE b.filter_id = ${filter} AND m.user_id = ${userId})`,
    userGroupId &&
      sql`EXISTS (SELECT 1 FROM assets_command_filter_user_group b WHERE b.filter_id = ${filter} AND b.group_id = ${userGroupId})`,
    systemUserId &&
      sql`EXISTS (SELECT 1 FROM assets_command_filter_system_user b WHERE b.filter_id = ${filter} AND b.system_user_id = ${systemUserId})`,
    bound && sql`EXISTS (SELECT 1 FROM (${bound.pairs}) b WHERE b.filter_id = ${filter} AND b.target = ${target.id})`,
  ].filter((binding) => typeof binding === 'object')
  return and(eq(assetsCommandFilter.org_id, known.org_id), eq(assetsCommandFilter.is_active, true), or(...bindings))
}

/**
 * The rules that apply, in the order in which they are tried: by ascending priority number and,
 * where equal, deny before confirm before allow.
 */
export async function commandRulesFor(db: Database, situation: CommandSituation): Promise<CommandRule[]> {
  const applies = await appliesTo(db, situation)
  if (!applies) return []
  const rules = await db
    .select({ rule: assetsCommandFilterRule })
    .from(assetsCommandFilterRule)
    .innerJoin(assetsCommandFilter, eq(assetsCommandFilter.id, assetsCommandFilterRule.filter))
    .where(applies)
    .orderBy(
      asc(assetsCommandFilterRule.priority),
      asc(assetsCommandFilterRule.action),
      asc(assetsCommandFilterRule.id),
    )
  return rules.map(({ rule: { id, type, content, ignore_case, action, priority } }) => ({
    id,
    pattern: commandPattern(type, content),
    ignore_case,
    action,
    priority,
  }))
}

/** Answers the rules for a situation: to components, and to administrators who want to know. */
export function registerCommandRules(kernel: Kernel, rules: MountedResource): void {
  const answer = async (request: FastifyRequest, situation: CommandSituation) => {
    const applies = await appliesTo(kernel.db, situation)
    if (!applies) return []
    const scope = inArray(
      assetsCommandFilterRule.filter,
      kernel.db.select({ id: assetsCommandFilter.id }).from(assetsCommandFilter).where(applies),
    )
    const { parameters: _, ...mount } = rules.mount
    return listRows(
      { ...rules, mount: { ...mount, scope: () => scope } },
      contextOf(kernel, request),
      `${request.protocol}://${request.host}${request.url}`,
    )
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
    },
    handler: (request) => answer(request, named(request)),
  })
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/assets/system-users/:id/cmd-filter-rules/',
    config: {
      access: ['org_admin', 'component'],
      summary: 'Command rules that apply to a system user',
      rows: commandFilterRule,
    },
    handler: (request) => {
      const { id } = request.params as { id: string }
      return answer(request, { ...named(request), ...(isUuid(id) ? { systemUserId: id } : {}) })
    },
  })
}
