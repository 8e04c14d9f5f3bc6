import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ticketFlow } from '@sallyport/contract/resources/tickets/ticket-flow.ts'
import { DECIDERS } from '@sallyport/contract/resources/users/deciders.ts'
import { inArray, sql } from 'drizzle-orm'
import { displayName, isRoot } from '../../kernel/access/call.ts'
import { askAll } from '../../kernel/database/ask-all.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import type { ReadContext, StoredRow, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../kernel/resource/routes.ts'
import { createRow, updateRow } from '../../kernel/resource/write.ts'
import { approversOfFlows } from './approvers.ts'
import { ticketsFlow, ticketsFlowAssignee, ticketsFlowRule } from './tables.ts'

type Writing = WriteContext<typeof ticketFlow, typeof ticketsFlow>
type Written = WrittenContext<typeof ticketFlow, typeof ticketsFlow>

const STRATEGIES = ticketFlow.fields.rules.fields.strategy.choices

/**
 * Flows of approval: an organization's own, and the global ones for types that it has no flow for
 * (docs/rules/tickets.md#ticket_flow).
 */
export default function mountFlows(kernel: Kernel): void {
  const flows = mountResource(
    kernel,
    // Updates are handled by `registerUpdates`, which never changes a global flow.
    {
      ...ticketFlow,
      operations: ticketFlow.operations.filter((operation) => operation !== 'update' && operation !== 'partial_update'),
    },
    {
      table: ticketsFlow,
      sharesRootRows: true,
      scope: ({ call }) => (isRoot(call) ? undefined : notOverridden(call.org.id)),
      computed: [
        { fields: ['rules'], load: loadRules },
        {
          fields: ['org_name'],
          async load(rows) {
            const names = await kernel.orgNames()
            return rows.map(({ org_id }) => ({ org_name: names.get(org_id) ?? '' }))
          },
        },
      ],
      metadata(actions) {
        if (actions.POST) Object.assign(actions, { PUT: actions.POST, PATCH: actions.POST })
      },
      rules: { beforeWrite: [checkRules], afterWrite: [storeRules] },
    },
  )
  registerUpdates(kernel, flows)
}

/** An organization's own flows, and the global ones that none of them replaces. */
const notOverridden = (orgId: string) =>
  sql`(${ticketsFlow.org_id} <> ${ROOT_ORG_ID} OR NOT EXISTS (SELECT 1 FROM tickets_flow own WHERE own.org_id = ${orgId} AND own.type = ${ticketsFlow.type}))`

/**
 * PUT and PATCH of one flow. Updating a global flow leaves it as it is: the current organization
 * gets a flow of its own in its place, with a new id.
 */
function registerUpdates(kernel: Kernel, flows: MountedResource<typeof ticketsFlow>): void {
  for (const [method, mode] of [
    ['PUT', 'update'],
    ['PATCH', 'patch'],
  ] as const)
    kernel.app.route({
      method,
      url: `${ticketFlow.path}:id/`,
      config: {
        access: ticketFlow.permission.write,
        needsLicense: true,
        summary: `${ticketFlow.label}: ${mode}`,
        rows: ticketFlow,
        takes: ticketFlow,
      },
      handler: async (request) => {
        const context = contextOf(kernel, request)
        const { id = '' } = context.parameters
        const named = await getStored(flows, id, context)
        const stored =
          named.org_id === ROOT_ORG_ID && !isRoot(context.call)
            ? await createRow(flows, await asOwn(named, request.body, mode, context), context)
            : await updateRow(flows, id, mode, request.body, context)
        return presentOne(flows, stored, context)
      },
    })
}

/**
 * Draft of the organization's own flow in place of a global one: what was sent and, for a PATCH,
 * the rest of the global flow.
 */
async function asOwn(
  global: StoredRow<typeof ticketsFlow>,
  body: unknown,
  mode: 'update' | 'patch',
  { db }: ReadContext,
): Promise<unknown> {
  if (mode === 'update' || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const rules = await rulesOf(db, [global.id])
  return {
    type: global.type,
    approval_level: global.approval_level,
    rules: rules.map(({ strategy }) => ({ strategy })),
    ...body,
  }
}

/**
 * A flow has one rule or two; people chosen by name must belong to the organization or administer
 * the system.
 */
async function checkRules({ db, call, draft, row }: Writing): Promise<void> {
  if (draft.rules === undefined) return
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const { rules } = draft
  const known = await people(
    db,
    row?.org_id ?? call.org.id,
    rules.flatMap(({ assignees = [] }) => assignees),
  )
  const errors: Record<string, string> = {}
  for (const [at, { strategy, assignees = [] }] of rules.entries()) {
    if (strategy !== 'custom_user') continue
    if (!assignees.length) errors[`rules.${at}.assignees`] = 'Choose who decides'
    const unknown = assignees.findIndex((id) => !known.has(id.toLowerCase()))
    const machine = assignees.findIndex((id) => known.get(id.toLowerCase()) === 'service')
    if (machine >= 0) errors[`rules.${at}.assignees.${machine}`] = say(DECIDERS.except.why)
    if (unknown >= 0)
      errors[`rules.${at}.assignees.${unknown}`] = say('Invalid pk "{{id}}" - object does not exist.', {
        id: assignees[unknown],
      })
  }
  if (Object.keys(errors).length) throw invalid(errors)
  // Only the rules of a flow may change, and they are rows of their own: its date is set all the
  // same.
  draft.date_updated = new Date()
}

/** The sources of those of these people who may be named, by their ids. */
async function people(db: Database, orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.execute<{ id: string; source: string }>(sql`
    SELECT u.id, u.source FROM users_person u WHERE u.id = ANY(${sql.param(ids.filter(isUuid))}::uuid[])
    AND (u.role = 'Admin' OR EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = u.id AND m.org_id = ${orgId}))`)
  return new Map(rows.map(({ id, source }) => [id, source]))
}

/** Replaces the rules by those that were sent. */
async function storeRules({ db, draft, stored }: Written): Promise<void> {
  if (draft.rules === undefined) return
  const flow_id = stored.id
  await db.delete(ticketsFlowRule).where(inArray(ticketsFlowRule.flow_id, [flow_id]))
  const rules = draft.rules.map((rule, at) => ({ ...rule, flow_id, level: at + 1 }))
  await db.insert(ticketsFlowRule).values(rules.map(({ level, strategy }) => ({ flow_id, level, strategy })))
  const chosen = rules.flatMap(({ strategy, level, assignees = [] }) =>
    strategy === 'custom_user' ? assignees.map((id) => ({ flow_id, level, user_id: id })) : [],
  )
  if (chosen.length) await db.insert(ticketsFlowAssignee).values(chosen).onConflictDoNothing()
}

async function rulesOf(db: Database, flowIds: readonly string[]) {
  return db
    .select()
    .from(ticketsFlowRule)
    .where(inArray(ticketsFlowRule.flow_id, [...flowIds]))
    .orderBy(ticketsFlowRule.level)
}

async function loadRules(
  rows: readonly StoredRow<typeof ticketsFlow>[],
  { db, call }: ReadContext,
): Promise<{ rules: Record<string, unknown>[] }[]> {
  const ids = rows.map(({ id }) => id)
  const [rules, approvers, chosen] = await askAll(db, [
    () => rulesOf(db, ids),
    () => approversOfFlows(db, ids),
    async () => db.select().from(ticketsFlowAssignee).where(inArray(ticketsFlowAssignee.flow_id, ids)),
  ])
  return ids.map((id) => ({
    rules: rules
      .filter(({ flow_id }) => flow_id === id)
      .map(({ level, strategy }) => ({
        level,
        strategy,
        assignees_read_only: chosen
          .filter((one) => one.flow_id === id && one.level === level)
          .map(({ user_id }) => user_id),
        assignees_display: approvers(id, level).map(displayName),
        strategy_display: translate(call.language, STRATEGIES[strategy]),
      })),
  }))
}
