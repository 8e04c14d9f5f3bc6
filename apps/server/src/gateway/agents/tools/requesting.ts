import { ACTION_BITS, type ActionName } from '@sallyport/contract/actions.ts'
import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { visibleText } from '@sallyport/contract/visible-text.ts'
import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Agent } from '../agent.ts'
import { line, picked, targetFields, tool } from './tool.ts'
import { WAIT, waitUntil } from './waiting.ts'

const HOUR_MS = 3_600_000

export const findRequestable = tool({
  name: 'find_requestable',
  title: 'Find what to ask for',
  does: 'Lists targets of the organization, and accounts, that you may ask for by request_access: at most ten of each.',
  acts: false,
  input: z.strictObject({
    kind: targetFields.kind,
    search: line(128).describe('Part of the name of a target'),
    account: line(128).default('').describe('Part of the name of an account'),
  }),
  asks: () => 20,
  async work(agent, { kind, search, account }) {
    const [targets, accounts] = await Promise.all([
      suggested(agent, kind, { search }),
      suggested(agent, 'account', { search: account }),
    ])
    return { data: { targets, accounts }, rows: targets.length + accounts.length }
  },
})

export const requestAccess = tool({
  name: 'request_access',
  title: 'Ask for access',
  does: 'Opens a request for access to a target, which people decide. It gives nothing by itself: call wait_for_request with the ticket, and tell your user who decides. Ask for no more than the task needs.',
  acts: true,
  input: z.strictObject({
    target: z.guid().describe('Id of the target, as find_requestable answers it'),
    name: line(128).describe('Name of the target, as find_requestable answers it'),
    kind: targetFields.kind,
    account: z.guid().describe('Id of the account'),
    reason: z.string().trim().min(1).max(2000).describe('For the people who decide'),
    hours: z.number().min(0.25).max(72).default(8).describe('How long it is needed'),
    actions: z
      .array(z.enum(Object.keys(ACTION_BITS) as [ActionName, ...ActionName[]]))
      .min(1)
      .max(8)
      .default(['connect'])
      .describe('Actions on a machine'),
  }),
  async work(agent, { target, name, kind, account, reason, hours, actions }) {
    const { call } = agent
    // The people who decide read the name that the target has, whatever the agent calls it.
    const found = (await suggested(agent, kind, { search: name })).find(({ id }) => id === target)
    if (!found) throw new AppError(404, 'object_does_not_exist', NO_TARGET)
    const now = Date.now()
    const dates = {
      apply_date_start: new Date(now).toISOString(),
      apply_date_expired: new Date(now + hours * HOUR_MS).toISOString(),
    }
    const body = {
      org_id: call.org.id,
      title: `Access to ${found.name}, by agent ${call.agent}`.slice(0, 256),
      comment: visibleText(reason),
      ...(kind === 'machine'
        ? {
            type: 'apply_asset',
            meta: {
              ...dates,
              apply_assets: [target],
              apply_system_users: [account],
              apply_actions: actions,
            },
          }
        : {
            type: 'apply_application',
            meta: {
              ...dates,
              apply_category: found.category,
              apply_type: found.type,
              apply_applications: [target],
              apply_system_users: [account],
            },
          }),
    }
    return { data: ticketOf(await agent.ask('request', { body })), rows: 1 }
  },
})

export const waitForTicket = tool({
  name: 'wait_for_request',
  title: 'Wait for a decision',
  does: 'Waits until people have decided your request, for some seconds at most. Call it again while it is open.',
  acts: false,
  isWait: true,
  input: z.strictObject({ ticket: z.guid(), seconds: WAIT }),
  async work(agent, { ticket, seconds }) {
    const ask = (): Promise<Ticket> => agent.ask('ticket', { in: { id: ticket } })
    return { data: ticketOf(await waitUntil(agent, seconds, ask, ({ status }) => status === 'closed')), rows: 1 }
  },
})

const ticketOf = (row: Ticket) => ({
  ...picked(row as never, { ticket: 'id', number: 'serial_num', title: 'title', state: 'state' }),
  is_decided: row.status === 'closed',
  decide: ((row.process_map ?? []) as { assignees_display?: string[] }[]).flatMap(
    ({ assignees_display = [] }) => assignees_display,
  ),
})

const SUGGESTED = {
  machine: ['machinesToAskFor', { id: 'id', name: 'hostname', address: 'ip', protocols: 'protocols' }],
  application: ['applicationsToAskFor', { id: 'id', name: 'name', category: 'category', type: 'type' }],
  account: ['accountsToAskFor', { id: 'id', name: 'name', username: 'username', protocol: 'protocol' }],
} as const

async function suggested({ ask }: Agent, kind: keyof typeof SUGGESTED, query: Record<string, string>) {
  const [route, fields] = SUGGESTED[kind]
  const rows = (await ask(route, { query })) as Record<string, unknown>[]
  return rows.map((row) => picked(row, fields))
}

const NO_TARGET = 'There is no such target to ask for: find_requestable lists them'
