import { TICKET_META } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { ImportContext } from '../context.ts'
import type { SourceRow } from '../source/source.ts'
import { date, int, jsonObject, jsonTexts, text, uuid } from '../values.ts'

/** Dates of version 2.19 are of the server's zone, which is this one where nobody has set another. */
const THEIR_ZONE = 'Asia/Shanghai'
const MOST_APPLIED = 500
const LONGEST = 4096

/** Tables, by type, of what was asked in tickets of 2.24 and later. Those of 2.19 have it in one column. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'tickets.applyassetticket': [
    ...['apply_permission_name', 'apply_actions', 'apply_date_start', 'apply_date_expired', 'apply_accounts'],
  ],
  'tickets.applyapplicationticket': [
    ...['apply_permission_name', 'apply_category', 'apply_type', 'apply_date_start', 'apply_date_expired'],
  ],
  'tickets.applyloginticket': ['apply_login_ip', 'apply_login_city', 'apply_login_datetime'],
  'tickets.applyloginassetticket': ['apply_login_account'],
  'tickets.applycommandticket': [
    ...['apply_run_asset', 'apply_run_command', 'apply_run_account', 'apply_from_session_id'],
  ],
}
/** Their name since version 3 for what people log in as. */
const RENAMED: Readonly<Record<string, string>> = {
  apply_login_account: 'apply_login_system_user',
  apply_run_account: 'apply_run_system_user',
  apply_accounts: 'apply_system_users',
}

/** The content of tickets, as the form of the type has it here. */
export class Requests {
  readonly #asked = new Map<string, Record<string, unknown>>()

  static async read({ source }: ImportContext): Promise<Requests> {
    const made = new Requests()
    for (const [table, columns] of Object.entries(TABLES))
      for await (const batch of source.read({ table, columns, key: 'ticket_ptr_id' }))
        for (const { ticket_ptr_id: id, ...row } of batch) {
          const asked: Record<string, unknown> = {}
          for (const [name, value] of Object.entries(row))
            asked[RENAMED[name] ?? name] = name === 'apply_accounts' ? jsonTexts(value) : value
          made.#asked.set(uuid(id) ?? '', asked)
        }
    return made
  }

  of(id: string, type: TicketType, row: SourceRow): { meta: Record<string, unknown>; timeZone: string } {
    const asked = this.#asked.get(id)
    // Names of what was asked for are beside it.
    const names = jsonObject(row.rel_snapshot)
    const before = jsonObject(row.meta)
    const all: Record<string, unknown> = { ...before, ...asked }
    const fields = Object.entries(TICKET_META[type] as Record<string, { type: string }>)
    const meta: Record<string, unknown> = {}
    for (const [name, { type: kind }] of fields) {
      const base = name.endsWith('_display') ? name.slice(0, -'_display'.length) : undefined
      const shown = base && (names[base] ?? asked?.[base])
      const value = readValue(kind, all[name] ?? shown ?? names[name])
      if (value !== undefined) meta[name] = value
    }
    const hasDates = fields.some(([name, { type: kind }]) => kind === 'datetime' && meta[name])
    return { meta, timeZone: !hasDates ? '' : asked ? 'UTC' : THEIR_ZONE }
  }
}

/** A value by the kind of its field; undefined where there is none. */
function readValue(kind: string, value: unknown): unknown {
  if (kind === 'refs') return listOf(value).flatMap((one) => uuid(one) ?? [])
  if (kind === 'strings') return listOf(value)
  if (kind === 'multichoice') return int(value === undefined ? undefined : String(value), 0, 255, 0) & 31
  if (value === undefined || value === null || typeof value === 'object') return undefined
  const written = text(String(value), LONGEST)
  if (kind === 'datetime') return date(written)?.replace('T', ' ').slice(0, 19)
  if (kind === 'uuid') return uuid(written)
  if (kind === 'integer') return undefined
  return written
}

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : typeof value === 'string' && value ? [value] : [])
    .slice(0, MOST_APPLIED)
    .map((one) => text(String(one), 256))
