import { ACTION_BITS, ACTION_CHOICES, type ActionName, actionMask, actionNames } from '@sallyport/contract/actions.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { spoken } from '@sallyport/contract/names.ts'
import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import { readTimeZone } from '@sallyport/contract/time-zone.ts'
import { and, eq, sql } from 'drizzle-orm'
import { type Call, type CallOrg, displayName } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid, refused } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { formatDateTime, parseDateTime } from '../../kernel/resource/datetime.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { resolveReferences } from '../../kernel/resource/references.ts'
import { serverZone } from '../../kernel/server-zone.ts'
import { orgsListedOrganization, orgsMembership } from '../orgs/index.ts'
import { grantByTicket, isPermissionName } from '../perms/index.ts'
import { usersPerson } from '../users/index.ts'
import { type Applied, type RequestKind, SYSTEM_USERS } from './request-kinds.ts'
import type { ticketsTicket } from './tables.ts'

/**
 * `meta` of a request for targets as it is stored, and as approvals answer it
 * (docs/rules/tickets.md#meta_by_type). For each field of targets, and for system users, there are
 * `apply_<field>` with ids and `apply_<field>_display` with names besides.
 */
export interface AccessRequest extends Record<string, unknown> {
  apply_permission_name: string
  /** Bits of `ACTION_BITS`; absent where the kind has no actions. */
  apply_actions?: number
  /** `YYYY-MM-DD HH:MM:SS` in the zone of the ticket. */
  apply_date_start: string
  apply_date_expired: string
}

type StoredTicket = typeof ticketsTicket.$inferSelect

/** What people can apply for by id, by field of the permission. */
const appliedOf = ({ targets }: RequestKind): Readonly<Record<string, Applied>> => ({
  ...targets,
  system_users: SYSTEM_USERS,
})

/**
 * Checks the `meta` of a request that the form has accepted, for the ticket with this `title` and
 * `id`. Everything that is applied for must belong to the organization. Throws 400 with messages
 * under `meta`, or a general one when a permission of that name exists.
 */
export async function readAccessRequest(
  context: ReadContext,
  kind: RequestKind,
  org: CallOrg,
  { id, title, meta }: { id: string; title: string; meta: Record<string, unknown> },
): Promise<AccessRequest> {
  const { db } = context
  const call = { ...context.call, org }
  const wanted = { ...meta }
  const errors: FieldErrors = { ...kind.check?.(meta) }
  await resolveReferences(
    { definition: { name: 'ticket', fields: TICKET_META[kind.type] }, mount: {} },
    wanted,
    { ...context, call, parameters: {}, query: {} },
    errors,
  )
  const applied: Record<string, Map<string, string>> = {}
  for (const [name, rows] of Object.entries(appliedOf(kind)))
    applied[name] = await existing(db, rows, idsIn(wanted[`apply_${name}`]), org.id, meta)
  const fields = Object.keys(kind.targets)
  if (!fields.some((name) => errors[`apply_${name}`] || applied[name]?.size))
    for (const name of fields) errors[`apply_${name}`] = [kind.nothingChosen]
  if (!errors.apply_system_users && !applied.system_users?.size) errors.apply_system_users = ['Choose system users']
  const start = readMoment(meta.apply_date_start, call)
  const expired = readMoment(meta.apply_date_expired, call)
  for (const [name, moment] of Object.entries({ apply_date_start: start, apply_date_expired: expired }))
    if (!moment) errors[name] = [meta[name] === null ? 'This field may not be null.' : 'Datetime has wrong format.']
  if (start && expired && expired <= start) errors.apply_date_expired = ['Must be later than the start']
  if (Object.keys(errors).length || !start || !expired)
    throw invalid(Object.fromEntries(Object.entries(errors).map(([name, messages]) => [`meta.${name}`, messages])))
  const name = permissionName(title, id)
  if (await isPermissionName(db, org.id, name))
    throw refused('permission_exists', 'A permission with this name already exists')
  return {
    apply_permission_name: name,
    ...Object.fromEntries(Object.keys(kind.also).map((field) => [field, meta[field]])),
    ...Object.fromEntries(
      Object.entries(applied).flatMap(([field, rows]) => [
        [`apply_${field}`, [...rows.keys()]],
        [`apply_${field}_display`, [...rows.values()]],
      ]),
    ),
    // Without any action, connecting is applied for: less would be nothing.
    ...(kind.hasActions && {
      apply_actions: actionMask((meta.apply_actions as ActionName[] | null) ?? []) || actionMask(['connect']),
    }),
    apply_date_start: localTime(start, call.timeZone),
    apply_date_expired: localTime(expired, call.timeZone),
  }
}

const idsIn = (sent: unknown): string[] =>
  Array.isArray(sent) ? sent.map((one) => String(one).toLowerCase()).filter(isUuid) : []

const NAME_LENGTH = 128

/** The title, shortened so that the first four characters of the ticket's id fit behind it. */
function permissionName(title: string, id: string): string {
  const end = `(${id.slice(0, 4)})`
  return title.slice(0, NAME_LENGTH - end.length) + end
}

/**
 * A moment as people enter it; without an offset it is in the applicant's zone. Undefined when it
 * can't be read, and for the last hours of 9999, which in another zone may be 10000.
 */
export function readMoment(value: unknown, { timeZone }: Call): Date | undefined {
  const moment = value instanceof Date ? value : typeof value === 'string' ? parseDateTime(value, timeZone) : undefined
  return moment && parseDateTime(localTime(moment, timeZone), timeZone) && moment
}

const localTime = (moment: Date, timeZone: string) => formatDateTime(moment, timeZone).slice(0, 19).replaceAll('/', '-')

/**
 * The rows of these that exist in the organization and fit the form, as `Name(…)` by id, in the order
 * of the ids.
 */
async function existing(
  db: Database,
  { from, words, fitting }: Applied,
  ids: readonly string[],
  orgId: string,
  meta: Readonly<Record<string, unknown>>,
): Promise<Map<string, string>> {
  if (!ids.length) return new Map()
  const { rows } = await db.execute<{ id: string; words: string }>(
    sql`SELECT t.id, ${words} AS words FROM ${from} t WHERE t.id = ANY(${sql.param([...ids])}::uuid[]) AND t.org_id = ${orgId}${fitting ? sql` AND ${fitting(meta)}` : sql``}`,
  )
  const found = new Map(rows.map((row) => [row.id, row.words]))
  return new Map(ids.flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? '']] : [])))
}

/** A request on the wire: choices and actions by their names too, in the reader's language. */
export function presentAccessRequest(
  { hasActions, also }: RequestKind,
  stored: Record<string, unknown>,
  language: Language,
): Record<string, unknown> {
  const labels = Object.entries(also).map(([name, { labels }]) => [
    `${name}_display`,
    translate(language, labels[String(stored[name])] ?? ''),
  ])
  const meta = { ...stored, ...Object.fromEntries(labels) }
  if (!hasActions) return meta
  const names = actionNames(Number(meta.apply_actions))
  return {
    ...meta,
    apply_actions: names,
    apply_actions_display: names.map((name) => translate(language, ACTION_CHOICES[name])),
  }
}

/**
 * Grants what was applied for, in the approver's name; what has been deleted since is left out.
 * Throws 400 when nothing is left, or the applicant no longer belongs to the organization: such a
 * ticket can only be rejected. `db` is the transaction of the approval.
 * @param options `beginsNow`: whenever it is to begin, for a preview
 */
export async function grantAccessRequest(
  kernel: Kernel,
  db: Database,
  call: Call,
  kind: RequestKind,
  ticket: StoredTicket,
  processors: readonly string[],
  { beginsNow = false } = {},
): Promise<void> {
  const { id, title, applicant, applicant_display, org_id, time_zone } = ticket
  const meta = (ticket.amended ?? ticket.meta) as AccessRequest
  if (!applicant || !(await isMember(db, applicant, org_id)))
    throw new AppError(
      400,
      'applicant_gone',
      'The applicant no longer belongs to the organization: the ticket can only be rejected',
    )
  const left: Record<string, string[]> = {}
  for (const [name, rows] of Object.entries(appliedOf(kind)))
    left[name] = [...(await existing(db, rows, idsIn(meta[`apply_${name}`]), org_id, meta)).keys()]
  const { system_users = [], ...targets } = left
  if (
    Object.values(targets).every((ids) => !ids.length) ||
    // A permission without a system user lets nobody do anything.
    !system_users.length
  )
    throw new AppError(
      400,
      'nothing_left',
      'The requested targets do not exist any more: the ticket can only be rejected',
    )
  await grantByTicket(kernel, db, call, {
    family: kind.family,
    id,
    org: { id: org_id, name: await organizationName(db, org_id) },
    name: meta.apply_permission_name,
    comment: translate(call.language, 'By ticket {{title}} of {{applicant}}, approved by {{processors}} ({{id}})', {
      title,
      applicant: spoken(applicant_display),
      processors: processors.map(spoken).join(', '),
      id,
    }),
    user: applicant,
    targets: {
      ...targets,
      ...Object.fromEntries(Object.entries(kind.also).map(([name, { field }]) => [field, meta[name]])),
    },
    system_users,
    actions: meta.apply_actions ?? ACTION_BITS.all,
    date_start: beginsNow ? new Date(0) : momentOf(meta.apply_date_start, time_zone),
    date_expired: momentOf(meta.apply_date_expired, time_zone),
  })
}

/** A moment that a ticket keeps. */
export function momentOf(text: string, timeZone: string): Date {
  // Not every client says in which zone it is.
  const moment = parseDateTime(text, readTimeZone(timeZone) ?? serverZone())
  if (!moment) throw new Error('a stored ticket has a date that cannot be read')
  return moment
}

/**
 * Read within the transaction: waiting for a second connection while holding one could deadlock the
 * pool.
 */
export async function organizationName(db: Database, id: string): Promise<string> {
  const [row] = await db
    .select({ name: orgsListedOrganization.name })
    .from(orgsListedOrganization)
    .where(eq(orgsListedOrganization.id, id))
  return row?.name ?? ''
}

/** Whether a person (not a component) belongs to the organization. */
export async function isMember(db: Database, user: string, orgId: string): Promise<boolean> {
  const rows = await db
    .select({ id: usersPerson.id })
    .from(orgsMembership)
    .innerJoin(usersPerson, eq(usersPerson.id, orgsMembership.user_id))
    .where(and(eq(orgsMembership.org_id, orgId), eq(usersPerson.id, user)))
    .limit(1)
  return rows.length > 0
}

/** `Name(username)` of everybody who approved, in the order of the levels. */
export const processorsOf = (
  { process_map }: Pick<StoredTicket, 'process_map'>,
  last: { name: string; username: string },
): string[] => [
  ...process_map.flatMap(({ processor_display }) => (processor_display ? [processor_display] : [])),
  displayName(last),
]
