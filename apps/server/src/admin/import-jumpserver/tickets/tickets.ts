import { TICKET_TYPES, type TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { arriveTicketComments, arriveTickets } from '../../../domains/tickets/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { date, int, jsonObject, text, uuid } from '../values.ts'
import { MOST_LEVELS } from './flows.ts'
import { Requests } from './requests.ts'
import { TheirSteps } from './steps.ts'

const COLUMNS = [
  ...['org_id', 'title', 'type', 'meta', 'state', 'status', 'approval_step', 'applicant_id', 'applicant_display'],
  ...['process_map', 'comment', 'serial_num', 'rel_snapshot', 'date_created', 'date_updated'],
]
const FIRST = 'jumpserver'
const OUTCOMES = /^(?:approved|rejected)$/

/** Tickets that were decided, and what was said about them. Open ones are decided where they were opened. */
export async function importTickets(context: ImportContext): Promise<void> {
  const { source, report } = context
  const notes = report.kind('Past tickets')
  const steps = await TheirSteps.read(context)
  const requests = await Requests.read(context)
  const come = new Set<string>()
  for await (const batch of source.read({ table: 'tickets.ticket', columns: COLUMNS })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => ticketOf(context, row, { notes, steps, requests }))
    const outcomes = await bring(context, notes, arriveTickets, rows)
    for (const { key } of rows) if (outcomes.get(key) !== 'taken') come.add(key)
  }
  await importComments(context, come)
}

interface Reading {
  notes: KindNotes
  steps: TheirSteps
  requests: Requests
}

function ticketOf({ ids, run }: ImportContext, row: SourceRow, { notes, steps, requests }: Reading): ArrivingRow[] {
  const id = uuid(row.id)
  if (!id) return []
  const name = text(row.title, 256) || id
  const type = text(row.type, 64)
  const org = ids.organization(row.org_id)
  const isOpen = row.status ? row.status !== 'closed' : !/^(?:approved|rejected|closed)$/.test(row.state ?? '')
  if (!Object.hasOwn(TICKET_TYPES, type)) notes.staysBehind(name, 'Is of a type that there is not here')
  else if (!org) notes.staysBehind(name, ORGANIZATION_GONE)
  else if (isOpen) notes.staysBehind(name, 'Is open there: decide it there, and it comes with the next run')
  else {
    const created = date(row.date_created) ?? new Date(0).toISOString()
    const process_map = steps.of(id, row.process_map)
    if (process_map.length > MOST_LEVELS)
      notes.changes(name, 'Has {{count}} levels there: the first two come', { count: process_map.length })
    const { meta, timeZone } = requests.of(id, type as TicketType, row)
    const serial = text(row.serial_num, 100) || id
    const values = {
      ...{ org_id: org, title: text(row.title, 256), type, meta, time_zone: timeZone, status: 'closed' },
      state: OUTCOMES.test(row.state ?? '') ? row.state : 'closed',
      approval_step: int(row.approval_step, 1, MOST_LEVELS, 1),
      process_map: process_map.slice(0, MOST_LEVELS),
      applicant: ids.get('person', row.applicant_id) ?? null,
      applicant_display:
        text(row.applicant_display, 256) ||
        text(String(jsonObject(row.rel_snapshot).applicant ?? ''), 256) ||
        steps.nameOf(row.applicant_id),
      comment: text(row.comment, 10_000),
      // Numbers of here go on by day: theirs are told apart.
      serial_num: run.source === FIRST ? `JS-${serial}` : `JS-${serial}-${id.slice(0, 8)}`,
      ...{ date_created: created, date_updated: date(row.date_updated) ?? created },
    }
    return [{ key: id, id, name, values }]
  }
  return []
}

const COMMENT_COLUMNS = [
  'ticket_id',
  'user_id',
  'user_display',
  'body',
  'type',
  'state',
  'date_created',
  'date_updated',
]
const ACTIONS = /^(?:approved|rejected|closed|open)$/

async function importComments(context: ImportContext, come: ReadonlySet<string>): Promise<void> {
  const { source, report, ids } = context
  const notes = report.kind('Comments of tickets')
  for await (const batch of source.read({ table: 'tickets.comment', columns: COMMENT_COLUMNS })) {
    notes.read += batch.length
    let others = 0
    const rows = batch.flatMap((row): ArrivingRow[] => {
      const id = uuid(row.id)
      const ticket = uuid(row.ticket_id) ?? ''
      if (!id || !come.has(ticket)) others++
      if (!id || !come.has(ticket)) return []
      const created = date(row.date_created) ?? new Date(0).toISOString()
      const values = {
        ...{ ticket, user: ids.get('person', row.user_id) ?? null, user_display: text(row.user_display, 256) },
        body: text(row.body, 10_000),
        // The system noted it by itself: in words of here.
        action: row.type === 'state' && !row.body && ACTIONS.test(row.state ?? '') ? row.state : null,
        ...{ date_created: created, date_updated: date(row.date_updated) ?? created },
      }
      return [{ key: id, id, name: id, values }]
    })
    notes.behind += others
    notes.many(others, 'Of tickets that stay behind')
    await bring(context, notes, arriveTicketComments, rows)
  }
}
