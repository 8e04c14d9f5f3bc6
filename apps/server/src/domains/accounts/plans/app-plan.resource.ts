import { appChangeAuthPlan } from '@sallyport/contract/resources/accounts/app-change-auth-plan.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeOf } from '../../../kernel/audit/named-change.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { updateRow } from '../../../kernel/resource/write.ts'
import { applicationsListedApplication } from '../../applications/index.ts'
import { assetsListedSystemUser } from '../../system-users/index.ts'
import { proveForRecipients } from '../mail-files.ts'
import { planTimes } from '../periodic.ts'
import { areSymbolsAllowed } from '../rotation/generate-password.ts'
import {
  accountsChangePlan,
  accountsChangePlanApp,
  accountsChangePlanRecipient,
  accountsChangePlanSystemUser,
} from '../tables.ts'
import { checkNewSecrets, ofFamily } from './plan-rules.ts'
import { planInWords } from './plan-words.ts'

type Plans = MountedResource<typeof accountsChangePlan>
type Plan = StoredRow<typeof accountsChangePlan>
type Writing = WriteContext<typeof appChangeAuthPlan, typeof accountsChangePlan>

/** Plans for accounts of applications (docs/rules/accounts.md#app_change_auth_plan). */
export default function mountAppPlans(kernel: Kernel): void {
  const plans = mountResource(kernel, appChangeAuthPlan, {
    table: accountsChangePlan,
    scope: () => eq(accountsChangePlan.family, 'application'),
    relations: {
      apps: { table: accountsChangePlanApp, owner: accountsChangePlanApp.plan, target: accountsChangePlanApp.app },
      system_users: {
        table: accountsChangePlanSystemUser,
        owner: accountsChangePlanSystemUser.plan,
        target: accountsChangePlanSystemUser.system_user,
      },
      recipients: {
        table: accountsChangePlanRecipient,
        owner: accountsChangePlanRecipient.plan,
        target: accountsChangePlanRecipient.user,
      },
    },
    sealed: ['password'],
    computed: [{ fields: ['systemuser_display'], load: systemUsersOf }, planInWords],
    rules: {
      beforeWrite: [
        ofFamily('application'),
        checkType,
        checkRules,
        checkTargets,
        checkNewSecrets,
        planTimes,
        proveForRecipients,
      ],
    },
  })
  registerSystemUsers(kernel, plans)
}

async function systemUsersOf(rows: readonly Plan[], { db }: ReadContext) {
  const { rows: found } = await db.execute<{ plan: string; names: string }>(sql`
    SELECT p.plan, string_agg(s.name || '(' || s.username || ')', ', ' ORDER BY s.name) AS names
    FROM accounts_change_plan_system_user p JOIN assets_listed_system_user s ON s.id = p."system_user"
    WHERE p.plan = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[]) GROUP BY p.plan`)
  const byPlan = new Map(found.map(({ plan, names }) => [plan, names]))
  return rows.map(({ id }) => ({ systemuser_display: byPlan.get(id) ?? '' }))
}

/** Only what can be changed and verified is planned; a plan keeps its type. */
function checkType({ draft, row }: Writing): void {
  if (row && draft.type !== undefined && draft.type !== row.type)
    throw invalid({ type: 'The type of a plan cannot be changed' })
  if ((draft.category ?? row?.category) !== 'db')
    throw invalid({ category: 'Only passwords of databases can be changed by a plan' })
}

function checkRules({ draft }: Writing): void {
  const { symbol_set: symbols } = (draft.password_rules ?? {}) as { symbol_set?: string | null }
  if (symbols && !areSymbolsAllowed(symbols))
    throw invalid({
      'password_rules.symbol_set': 'Quotes, backslashes, blanks, braces, $, % and letters are not possible here',
    })
}

/**
 * Applications and system users fit the type of the plan
 * (docs/rules/accounts.md#app_change_auth_plan).
 */
async function checkTargets({ db, draft, row }: Writing): Promise<void> {
  const type = String(draft.type ?? row?.type)
  if (draft.apps?.length) {
    const found = await db
      .select({ type: applicationsListedApplication.type })
      .from(applicationsListedApplication)
      .where(inArray(applicationsListedApplication.id, [...draft.apps]))
    if (found.some((one) => one.type !== type)) throw invalid({ apps: 'Applications of another type cannot be chosen' })
  }
  if (!draft.system_users?.length) return
  const { protocol, username_same_with_user, username } = assetsListedSystemUser
  const users = await db
    .select({ protocol, isDynamic: username_same_with_user, username })
    .from(assetsListedSystemUser)
    .where(inArray(assetsListedSystemUser.id, [...draft.system_users]))
  if (users.some((one) => one.protocol !== type))
    throw invalid({ system_users: 'System users of another protocol cannot be chosen' })
  if (users.some((one) => one.isDynamic || !one.username))
    throw invalid({ system_users: 'System users without a user name of their own have no account to change' })
}

const someUsers = z.object({ system_users: z.array(z.guid()).max(1000) })
const LISTED = { label: 'System user', fields: plainFields({ id: 'uuid', name: 'string', username: 'string' }) }

/** The system users of a plan, and adding and removing them. */
function registerSystemUsers(kernel: Kernel, plans: Plans): void {
  const { app, db } = kernel
  const url = `${appChangeAuthPlan.path}:id/systemusers/`
  const config = { access: ['org_admin'] as const, needsLicense: true }
  const planOf = (request: FastifyRequest) =>
    getStored(plans, (request.params as { id: string }).id, contextOf(kernel, request))
  app.route({
    method: 'GET',
    url,
    config: { ...config, summary: 'System users of a plan', answers: 'rows', rows: LISTED },
    handler: async (request) => {
      const { id } = await planOf(request)
      const { search = '' } = singleValues(request.query)
      const { rows } = await db.execute(sql`
        SELECT s.id, s.name, s.username FROM accounts_change_plan_system_user p
        JOIN assets_listed_system_user s ON s.id = p."system_user"
        WHERE p.plan = ${id} AND (${search} = '' OR strpos(lower(s.name || ' ' || s.username), lower(${search})) > 0)
        ORDER BY s.name, s.id`)
      return rows
    },
  })
  app.route({
    method: 'PATCH',
    url,
    config: { ...config, summary: 'Add system users to a plan, or remove them', takes: someUsers },
    handler: async (request, reply) => {
      const { action } = singleValues(request.query)
      if (action !== 'add' && action !== 'remove') throw refused('bad_request', 'The action is add or remove')
      const { system_users: given } = someUsers.parse(request.body)
      const { id } = await planOf(request)
      const before = await db
        .select({ id: accountsChangePlanSystemUser.system_user })
        .from(accountsChangePlanSystemUser)
        .where(eq(accountsChangePlanSystemUser.plan, id))
      const named = before.map((one) => one.id)
      const system_users =
        action === 'add' ? [...new Set([...named, ...given])] : named.filter((one) => !given.includes(one))
      await updateRow(plans, id, 'patch', { system_users }, { ...contextOf(kernel, request), change: changeOf(reply) })
      return { system_users }
    },
  })
}
