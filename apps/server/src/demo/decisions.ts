import { openTicket } from '../domains/tickets/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { GRANTS, GROUPS } from './company.ts'
import { seedNodes } from './machines.ts'
import type { Person } from './past.ts'
import { contextOf, ensure, ensureAll, idsBy, namesIn } from './rows.ts'
import {
  ACCESS_REQUESTS,
  COMMAND_FILTER,
  COMMAND_RULES,
  CONNECTION_RULE,
  DATABASE_REQUEST,
  SIGN_IN_RULES,
} from './rules.ts'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** Grants of the company, with their ends. */
export async function seedGrants(context: ReadContext): Promise<void> {
  const nodes = namesIn(await seedNodes(context))
  const groups = namesIn(await idsBy(context, 'user_group', 'name'))
  const people = namesIn(await idsBy(context, 'user', 'username'))
  const systemUsers = namesIn(await idsBy(context, 'system_user', 'name'))
  await ensureAll(
    context,
    'asset_permission',
    'name',
    GRANTS.map(({ name, actions, days, forwarding, ...grant }) => ({
      name,
      user_groups: groups(grant.groups ?? []),
      users: people(grant.people ?? []),
      nodes: nodes(grant.nodes),
      system_users: systemUsers(grant.systemUsers),
      ...(actions ? { actions } : {}),
      ...(forwarding ? { forwarding: 'listed', forwarding_destinations: forwarding } : {}),
      ...(days ? { date_start: inDays(days - 90), date_expired: inDays(days) } : {}),
    })),
  )
}

/** Rules about signing in, connecting and commands. */
export async function seedRules(context: ReadContext): Promise<void> {
  const reviewers = context.call.user ? [context.call.user.id] : []
  const people = namesIn(await idsBy(context, 'user', 'username'))
  for (const { person, ...rule } of SIGN_IN_RULES)
    await ensure(context, 'login_acl', 'name', { ...rule, user: people([person])[0], reviewers })
  await ensure(context, 'login_asset_acl', 'name', { ...CONNECTION_RULE, reviewers })
  const groups = namesIn(await idsBy(context, 'user_group', 'name'))
  const filter = await ensure(context, 'command_filter', 'name', {
    name: COMMAND_FILTER,
    user_groups: groups(Object.keys(GROUPS)),
  })
  const rules = { ...context, parameters: { filter_id: filter } }
  for (const rule of COMMAND_RULES)
    await ensure(rules, 'command_filter_rule', 'content', { ...rule, ...(rule.action === 2 ? { reviewers } : {}) })
}

/** Requests that wait for an administrator, written by the people who need something. */
export async function openRequests(context: ReadContext, people: readonly Person[]): Promise<void> {
  const { kernel, call } = context
  const nodes = namesIn(await seedNodes(context))
  const assets = namesIn(await idsBy(context, 'asset', 'hostname'))
  const systemUsers = namesIn(await idsBy(context, 'system_user', 'name'))
  for (const request of ACCESS_REQUESTS) {
    const person = people.find(({ username }) => username === request.username)
    if (!person) continue
    await openTicket(contextOf(kernel, { ...person, role: 'User' }, call.org), {
      type: 'apply_asset',
      title: request.title,
      comment: request.comment,
      org_id: call.org.id,
      meta: {
        apply_assets: assets(request.assets ?? []),
        apply_nodes: nodes(request.nodes ?? []),
        apply_system_users: systemUsers(request.systemUsers),
        apply_actions: request.actions,
        apply_date_start: inDays(0),
        apply_date_expired: inDays(request.days),
      },
    })
  }
  const wanted = DATABASE_REQUEST
  const person = people.find(({ username }) => username === wanted.username)
  const applications = namesIn(await idsBy(context, 'application', 'name'))
  if (!person) return
  await openTicket(contextOf(kernel, { ...person, role: 'User' }, call.org), {
    type: 'apply_application',
    title: wanted.title,
    comment: wanted.comment,
    org_id: call.org.id,
    meta: {
      ...{ apply_category: 'db', apply_type: 'mysql' },
      apply_applications: applications([wanted.application]),
      apply_system_users: systemUsers([wanted.systemUser]),
      apply_date_start: inDays(0),
      apply_date_expired: inDays(wanted.days),
    },
  })
}
