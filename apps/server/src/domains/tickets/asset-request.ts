import { ACTION_CHOICES, type ActionName, actionMask, actionNames } from '@sallyport/contract/actions.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { sql } from 'drizzle-orm'
import { type Call, type CallOrg, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid, refused } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime, parseDateTime } from '../../kernel/resource/datetime.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { resolveReferences } from '../../kernel/resource/references.ts'
import { grantByTicket, isPermissionName } from '../perms/index.ts'
import type { ticketsTicket } from './tables.ts'

/** `meta` of an asset request as stored, and as approvals answer it (contract/tickets.yaml `apply_asset`). */
export interface AssetRequest {
  apply_permission_name: string
  apply_nodes: string[]
  apply_nodes_display: string[]
  apply_assets: string[]
  apply_assets_display: string[]
  apply_system_users: string[]
  apply_system_users_display: string[]
  /** Bits, see `ACTION_BITS`. */
  apply_actions: number
  /** `YYYY-MM-DD HH:MM:SS` in the zone of the ticket. */
  apply_date_start: string
  apply_date_expired: string
}

type StoredTicket = typeof ticketsTicket.$inferSelect
type Applied = 'nodes' | 'assets' | 'system_users'

/** What can be applied for: its rows, and how one is written in a ticket. `t` is the table's alias. */
const APPLIED: Readonly<Record<Applied, { table: ReturnType<typeof sql>; words: ReturnType<typeof sql> }>> = {
  nodes: { table: sql`assets_node`, words: sql`t.full_value` },
  assets: { table: sql`assets_asset`, words: sql`t.hostname || '(' || t.ip || ')'` },
  system_users: {
    table: sql`assets_system_user`,
    words: sql`t.name || '(' || CASE WHEN t.username_same_with_user THEN '*' ELSE t.username END || ')'`,
  },
}

/**
 * Reads the `meta` of an asset request that the form has let through; `title` and `id` are those of the ticket to be. What is applied for must be of the
 * organisation. Throws 400s under `meta`, and a general one for a name that a permission bears already.
 */
export async function readAssetRequest(
  context: ReadContext,
  org: CallOrg,
  { id, title, meta }: { id: string; title: string; meta: Record<string, unknown> },
): Promise<AssetRequest> {
  const { db } = context
  const call = { ...context.call, org }
  const wanted = { ...meta }
  const errors: FieldErrors = {}
  await resolveReferences(
    { definition: { name: 'ticket', fields: TICKET_META.apply_asset }, mount: {} },
    wanted,
    { ...context, call, parameters: {}, query: {} },
    errors,
  )
  const ids = (name: Applied) => ((wanted[`apply_${name}`] as string[] | null | undefined) ?? []).map((one) => String(one).toLowerCase())
  if (!ids('nodes').length && !ids('assets').length)
    for (const name of ['apply_nodes', 'apply_assets']) errors[name] = ['Choose nodes or assets']
  const start = readMoment(meta.apply_date_start, call)
  const expired = readMoment(meta.apply_date_expired, call)
  for (const [name, moment] of Object.entries({ apply_date_start: start, apply_date_expired: expired }))
    if (!moment) errors[name] = [meta[name] === null ? 'This field may not be null.' : 'Datetime has wrong format.']
  if (start && expired && expired <= start) errors.apply_date_expired = ['Must be later than the start']
  if (Object.keys(errors).length || !start || !expired)
    throw invalid(Object.fromEntries(Object.entries(errors).map(([name, messages]) => [`meta.${name}`, messages])))
  const name = permissionName(title, id)
  if (await isPermissionName(db, org.id, name)) throw refused('permission_exists', 'A permission of this name exists already')
  return {
    apply_permission_name: name,
    apply_nodes: ids('nodes'),
    apply_nodes_display: await wordsOf(db, 'nodes', ids('nodes')),
    apply_assets: ids('assets'),
    apply_assets_display: await wordsOf(db, 'assets', ids('assets')),
    apply_system_users: ids('system_users'),
    apply_system_users_display: await wordsOf(db, 'system_users', ids('system_users')),
    // Nothing named: connecting is the least that anybody applies for.
    apply_actions: actionMask((meta.apply_actions as ActionName[] | null) ?? []) || actionMask(['connect']),
    apply_date_start: localTime(start, call.timeZone),
    apply_date_expired: localTime(expired, call.timeZone),
  }
}

const NAME_LENGTH = 128

/** The title, cut so that the first four characters of the ticket's id fit behind it. */
function permissionName(title: string, id: string): string {
  const end = `(${id.slice(0, 4)})`
  return title.slice(0, NAME_LENGTH - end.length) + end
}

/** Times without an offset are the applicant's own. Undefined also for the last hours of the year 9999, which may be of the next in another zone. */
function readMoment(value: unknown, { timeZone }: Call): Date | undefined {
  const moment = value instanceof Date ? value : typeof value === 'string' ? parseDateTime(value, timeZone) : undefined
  return moment && parseDateTime(localTime(moment, timeZone), timeZone) && moment
}

const localTime = (moment: Date, timeZone: string) => formatDateTime(moment, timeZone).slice(0, 19).replaceAll('/', '-')

async function wordsOf(db: Database, name: Applied, ids: readonly string[]): Promise<string[]> {
  const found = await existing(db, name, ids)
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Those rows that exist, by id, in words. */
async function existing(db: Database, name: Applied, ids: readonly string[], orgId?: string): Promise<Map<string, string>> {
  if (!ids.length) return new Map()
  const { table, words } = APPLIED[name]
  const inOrg = orgId ? sql`AND t.org_id = ${orgId}` : sql``
  const { rows } = await db.execute<{ id: string; words: string }>(
    sql`SELECT t.id, ${words} AS words FROM ${table} t WHERE t.id = ANY(${sql.param([...ids])}::uuid[]) ${inOrg}`,
  )
  return new Map(rows.map((row) => [row.id, row.words]))
}

/** How an asset request goes out: actions by their names, and in words of the reader's. */
export function presentAssetRequest(meta: Record<string, unknown>, language: Language): Record<string, unknown> {
  const names = actionNames(Number(meta.apply_actions))
  return { ...meta, apply_actions: names, apply_actions_display: names.map((name) => translate(language, ACTION_CHOICES[name])) }
}

/**
 * Grants what was applied for, in the name of who approves; what has been deleted since is left out. Throws 400 when nothing is left of it, or the applicant
 * no longer belongs to the organisation: such a ticket can only be rejected. `db` is the transaction of the approval.
 */
export async function grantAssetRequest(
  kernel: Kernel,
  db: Database,
  call: Call,
  ticket: StoredTicket,
  processors: readonly string[],
): Promise<void> {
  const { id, title, applicant, applicant_display, org_id, time_zone } = ticket
  const meta = ticket.meta as unknown as AssetRequest
  if (!applicant || !(await isMember(db, applicant, org_id)))
    throw new AppError(400, 'applicant_gone', 'The applicant no longer belongs to the organization: the ticket can only be rejected')
  const left = async (name: Applied) => [...(await existing(db, name, meta[`apply_${name}`], org_id)).keys()]
  const [nodes, assets, system_users] = [await left('nodes'), await left('assets'), await left('system_users')]
  if ((!nodes.length && !assets.length) || (meta.apply_system_users.length > 0 && !system_users.length))
    throw new AppError(400, 'nothing_left', 'What was applied for does not exist any more: the ticket can only be rejected')
  await grantByTicket(kernel, db, call, {
    family: 'asset',
    id,
    org: { id: org_id, name: await organizationName(db, org_id) },
    name: meta.apply_permission_name,
    comment: translate(call.language, 'By ticket {{title}} of {{applicant}}, approved by {{processors}} ({{id}})', {
      title,
      applicant: applicant_display,
      processors: processors.join(', '),
      id,
    }),
    user: applicant,
    targets: { nodes, assets },
    system_users,
    actions: meta.apply_actions,
    date_start: momentOf(meta.apply_date_start, time_zone),
    date_expired: momentOf(meta.apply_date_expired, time_zone),
  })
}

function momentOf(text: string, timeZone: string): Date {
  const moment = parseDateTime(text, timeZone)
  if (!moment) throw new Error('a stored ticket has a date that cannot be read')
  return moment
}

/** Asked in the transaction: a second connection held beside it could be the last one. */
async function organizationName(db: Database, id: string): Promise<string> {
  const { rows } = await db.execute<{ name: string }>(sql`SELECT name FROM orgs_organization WHERE id = ${id}`)
  return rows[0]?.name ?? ''
}

/** Whether a person, no component, belongs to the organisation. */
export async function isMember(db: Database, user: string, orgId: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM orgs_member m JOIN users_user u ON u.id = m."user" WHERE m.org = ${orgId} AND u.id = ${user} AND u.role <> 'App' LIMIT 1`)
  return rows.length > 0
}

/** `Name(username)` of everybody who approved, in the order of the levels. */
export const processorsOf = ({ process_map }: Pick<StoredTicket, 'process_map'>, last: { name: string; username: string }): string[] => [
  ...process_map.flatMap(({ processor_display }) => (processor_display ? [processor_display] : [])),
  displayName(last),
]
