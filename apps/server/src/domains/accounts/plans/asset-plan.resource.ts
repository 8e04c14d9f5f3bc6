import { changeAuthPlan } from '@sallyport/contract/resources/accounts/change-auth-plan.ts'
import { eq, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeOf } from '../../../kernel/audit/named-change.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { sendRows } from '../../../kernel/resource/lists/rows.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { updateRow } from '../../../kernel/resource/write.ts'
import { proveForRecipients } from '../mail-files.ts'
import { planTimes } from '../periodic.ts'
import {
  accountsChangePlan,
  accountsChangePlanAsset,
  accountsChangePlanNode,
  accountsChangePlanRecipient,
} from '../tables.ts'
import { checkNewSecrets, checkUsername, ofFamily } from './plan-rules.ts'
import { planInWords } from './plan-words.ts'

type Plans = MountedResource<typeof accountsChangePlan>
type Plan = StoredRow<typeof accountsChangePlan>

/** Plans for accounts of assets (docs/rules/accounts.md#change_auth_plan). */
export default function mountAssetPlans(kernel: Kernel): void {
  const plans = mountResource(kernel, changeAuthPlan, {
    table: accountsChangePlan,
    scope: () => eq(accountsChangePlan.family, 'asset'),
    relations: {
      assets: {
        table: accountsChangePlanAsset,
        owner: accountsChangePlanAsset.plan,
        target: accountsChangePlanAsset.asset,
      },
      nodes: { table: accountsChangePlanNode, owner: accountsChangePlanNode.plan, target: accountsChangePlanNode.node },
      recipients: {
        table: accountsChangePlanRecipient,
        owner: accountsChangePlanRecipient.plan,
        target: accountsChangePlanRecipient.user,
      },
    },
    sealed: ['password', 'private_key'],
    computed: [{ fields: ['assets_amount', 'nodes_amount'], load: countTargets }, planInWords],
    rules: { beforeWrite: [ofFamily('asset'), checkUsername, checkNewSecrets, planTimes, proveForRecipients] },
  })
  registerTargets(kernel, plans)
}

/** How many assets and nodes plans name themselves. */
async function countTargets(rows: readonly Plan[], { db }: ReadContext) {
  const { rows: counts } = await db.execute<{ assets: number; nodes: number }>(sql`
    SELECT (SELECT count(*)::int FROM accounts_change_plan_asset a WHERE a.plan = p.id) AS assets,
      (SELECT count(*)::int FROM accounts_change_plan_node n WHERE n.plan = p.id) AS nodes
    FROM unnest(${sql.param(rows.map(({ id }) => id))}::uuid[]) WITH ORDINALITY AS p (id, place) ORDER BY place`)
  return counts.map(({ assets, nodes }) => ({ assets_amount: assets, nodes_amount: nodes }))
}

const ids = z.array(z.guid()).max(10_000)
const someAssets = z.object({ assets: ids })
const someNodes = z.object({ nodes: ids })
const LISTED = { label: 'Asset', fields: plainFields({ id: 'uuid', hostname: 'string', ip: 'string' }) }

/** The assets of a plan, and adding and removing what it names. */
function registerTargets(kernel: Kernel, plans: Plans): void {
  const { app, db } = kernel
  const { path } = changeAuthPlan
  const config = { access: ['org_admin'] as const, needsLicense: true }
  const idOf = (request: FastifyRequest) => (request.params as { id: string }).id
  const change = async (
    request: FastifyRequest,
    reply: FastifyReply,
    field: 'assets' | 'nodes',
    { how, given }: { how: 'add' | 'remove'; given: string[] },
  ) => {
    const context = { ...contextOf(kernel, request), change: changeOf(reply) }
    const { id } = await getStored(plans, idOf(request), context)
    const before = await (field === 'assets'
      ? db
          .select({ id: accountsChangePlanAsset.asset })
          .from(accountsChangePlanAsset)
          .where(eq(accountsChangePlanAsset.plan, id))
      : db
          .select({ id: accountsChangePlanNode.node })
          .from(accountsChangePlanNode)
          .where(eq(accountsChangePlanNode.plan, id)))
    const named = before.map((one) => one.id)
    const after = how === 'add' ? [...new Set([...named, ...given])] : named.filter((one) => !given.includes(one))
    await updateRow(plans, id, 'patch', { [field]: after }, context)
    return { [field]: after }
  }
  app.route({
    method: 'GET',
    url: `${path}:id/assets/`,
    config: {
      ...config,
      summary: 'Assets of a plan, with those below its nodes',
      answers: 'rows or page',
      rows: LISTED,
    },
    handler: async (request, reply) => {
      const context = contextOf(kernel, request)
      const { id } = await getStored(plans, idOf(request), context)
      const { search = '' } = context.query
      return sendRows<{ id: string; hostname: string; ip: string }>(context, request, reply, {
        columns: sql`id, hostname, ip`,
        from: sql`assets_listed_asset WHERE id IN (${assetsOfPlan(id)})
          AND (${search} = '' OR strpos(lower(hostname || ' ' || ip), lower(${search})) > 0)`,
        order: sql`hostname, id`,
        item: (asset) => asset,
      })
    },
  })
  for (const how of ['add', 'remove'] as const)
    app.route({
      method: 'PATCH',
      url: `${path}:id/asset/${how}/`,
      config: {
        ...config,
        summary: `${how === 'add' ? 'Add assets to' : 'Remove assets from'} a plan`,
        takes: someAssets,
      },
      handler: (request, reply) =>
        change(request, reply, 'assets', { how, given: someAssets.parse(request.body).assets }),
    })
  app.route({
    method: 'PATCH',
    url: `${path}:id/nodes/`,
    config: { ...config, summary: 'Add nodes to a plan, or remove them', takes: someNodes },
    handler: (request, reply) => {
      const { action } = singleValues(request.query)
      if (action !== 'add' && action !== 'remove') throw refused('bad_request', 'The action is add or remove')
      return change(request, reply, 'nodes', { how: action, given: someNodes.parse(request.body).nodes })
    },
  })
}

/** SQL: the ids of a plan's assets, with those below its nodes. */
export const assetsOfPlan = (plan: string) => sql`
  SELECT asset FROM accounts_change_plan_asset WHERE plan = ${plan}
  UNION SELECT u.asset_id FROM assets_asset_under_node u JOIN accounts_change_plan_node n ON n.node = u.node_id WHERE n.plan = ${plan}`
