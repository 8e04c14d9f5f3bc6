import type { Client } from '@sallyport/client'
import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import { type Ticket, ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { type Command, type Context, type Given, textOf } from '../command.ts'
import { EXIT, Failure } from '../exit.ts'
import { splitTarget } from '../targets.ts'
import { ssh } from './ssh.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
/** How long is asked for where nothing is said. */
const STANDARD = '8h'
/** How often a request that waits is looked at. */
const LOOK_MS = 3000

export const request: Command = {
  does: 'ask for access to a machine or a database, wait for it, connect',
  usage: '[ACCOUNT@]TARGET --reason TEXT [--for 8h] [--database] [--wait | --connect] [--timeout 30m]',
  options: {
    reason: { type: 'string', short: 'r', does: 'why you need it' },
    for: { type: 'string', does: 'how long, such as 90m, 8h or 3d' },
    database: { type: 'boolean', short: 'd', does: 'the target is a database' },
    wait: { type: 'boolean', short: 'w', does: 'wait until it is decided' },
    connect: { type: 'boolean', short: 'c', does: 'wait, then open a shell' },
    timeout: { type: 'string', does: 'how long to wait at most' },
  },
  async run(context, given) {
    const { say } = context
    const [word] = given.words
    if (!word) throw new Failure('usage', say('Name what you ask for'))
    const client = context.client()
    const opened = await client.post<Ticket>(
      '/api/v1/tickets/tickets/open/',
      await draftOf(context, client, word, given),
    )
    const mustWait = given.values.wait || given.values.connect
    if (!mustWait) {
      context.answer(opened, () => say('Request {{number}} is open', { number: opened.serial_num }))
      return undefined
    }
    context.tell(say('Request {{number}} is open; waiting for a decision', { number: opened.serial_num }))
    const decided = await decisionOf(context, client, opened.id, textOf(given, 'timeout'))
    if (!decided) throw new Failure('late', say('Request {{number}} is not decided yet', { number: opened.serial_num }))
    if (decided.state !== 'approved')
      throw new Failure('rejected', say('Request {{number}} was not approved', { number: opened.serial_num }))
    if (given.values.connect && !given.values.database) return ssh.run(context, { values: {}, words: [word] })
    context.answer(decided, () => say('Request {{number}} is approved', { number: opened.serial_num }))
    return EXIT.done
  },
}

/** The ticket as it is opened: an organization's people may ask for what they can find there. */
async function draftOf(context: Context, client: Client, word: string, given: Given): Promise<Record<string, unknown>> {
  const { say } = context
  const { account, target } = splitTarget(word)
  const { id: org } = await client.get<{ id: string }>('/api/v1/orgs/orgs/current/')
  const now = new Date()
  const meta = {
    apply_date_start: now.toISOString(),
    apply_date_expired: new Date(now.getTime() + durationOf(context, textOf(given, 'for') ?? STANDARD)).toISOString(),
  }
  const draft = { org_id: org, comment: textOf(given, 'reason') ?? '' }
  if (given.values.database) {
    const found = await suggested<{ id: string; name: string; category: string; type: string }>(
      client,
      '/api/v1/applications/applications/',
      target,
    )
    const row = one(context, target, found, ({ id, name }) => [id, name])
    return {
      ...draft,
      type: 'apply_application',
      title: say('Access to {{name}}', { name: row.name }),
      meta: {
        ...meta,
        apply_category: row.category,
        apply_type: row.type,
        apply_applications: [row.id],
        apply_system_users: [await systemUserOf(context, client, account, [row.type])],
      },
    }
  }
  const found = await suggested<Pick<Asset, 'id' | 'hostname' | 'ip' | 'protocols'>>(
    client,
    '/api/v1/assets/assets/',
    target,
  )
  const row = one(context, target, found, ({ id, hostname, ip }) => [id, hostname, ip])
  const protocols = (row.protocols ?? []).map((text) => text.split('/')[0] ?? '')
  return {
    ...draft,
    type: 'apply_asset',
    title: say('Access to {{name}}', { name: row.hostname }),
    meta: {
      ...meta,
      apply_assets: [row.id],
      apply_actions: ['connect', 'updownload'],
      apply_system_users: [await systemUserOf(context, client, account, protocols)],
    },
  }
}

const suggested = <T>(client: Client, path: string, search: string): Promise<T[]> =>
  client.get<T[]>(`${path}suggestions/`, { query: { search } })

function one<T>({ say }: Context, name: string, found: readonly T[], namesOf: (row: T) => string[]): T {
  const exact = found.filter((row) => namesOf(row).includes(name))
  const [row, other] = exact.length ? exact : found
  if (!row) throw new Failure('notFound', say('There is nothing called {{name}} to ask for', { name }))
  if (!other) return row
  const names = (exact.length ? exact : found).map((one) => namesOf(one)[1]).join(', ')
  throw new Failure('notFound', say('{{name}} may be one of several: {{names}}', { name, names }))
}

async function systemUserOf(
  context: Context,
  client: Client,
  wanted: string | undefined,
  protocols: readonly string[],
): Promise<string> {
  const rows = await suggested<{ id: string; name: string; username: string; protocol: string }>(
    client,
    '/api/v1/assets/system-users/',
    wanted ?? '',
  )
  const usable = rows.filter(({ protocol }) => protocols.includes(protocol))
  const exact = wanted ? usable.filter((row) => [row.id, row.username, row.name].includes(wanted)) : usable
  const [row, other] = exact
  if (row && !other) return row.id
  const names = usable.map(({ username, name }) => username || name).join(', ')
  const { say } = context
  throw new Failure(
    'notFound',
    names ? say('Choose one of these accounts: {{names}}', { names }) : say('There is no account to ask for'),
  )
}

function durationOf({ say }: Context, text: string): number {
  const [, amount, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (!amount) throw new Failure('usage', say('A time is written 90m, 8h or 3d, not {{text}}', { text }))
  return Number(amount) * (UNITS[unit] ?? 0)
}

/** The ticket once it is decided; undefined when that takes too long. */
async function decisionOf(
  context: Context,
  client: Client,
  id: string,
  limit: string | undefined,
): Promise<Ticket | undefined> {
  const until = limit ? Date.now() + durationOf(context, limit) : Number.POSITIVE_INFINITY
  for (;;) {
    const row = await client.resource(ticket).get(id)
    if (row.status === 'closed') return row
    if (Date.now() >= until) return undefined
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
