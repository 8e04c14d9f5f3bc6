import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { session } from '../../session/session.ts'
import { stepsOf } from './Steps.tsx'
import { isRequest, metaOf } from './ticket-facts.tsx'

/** Text of a comment. */
export const MAX_CHARACTERS = 10_000

/** Whether the level that a ticket waits at is this person's to decide. */
export function decidesOn(row: Ticket): boolean {
  const current = stepsOf(row).find(({ approval_level }) => approval_level === row.approval_step)
  return row.status === 'open' && (current?.assignees.includes(session().profile.id) ?? false)
}

/** Whether there is something to allow: a request names machines and the users on them. */
export function isWhole(row: Ticket): boolean {
  const has = (...lists: string[]) => lists.some((name) => (metaOf(row, name) as unknown[] | undefined)?.length)
  return !isRequest(row) || (has('apply_nodes', 'apply_assets', 'apply_applications') && has('apply_system_users'))
}
