import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ticket as ticketDefinition } from '@sallyport/contract/resources/tickets/ticket.ts'
import { eq } from 'drizzle-orm'
import type { Call, CallUser } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { usersAccount } from '../users/index.ts'
import type { StoredTicket } from './settle.ts'

/**
 * The operate log's row of a confirmation that its applicant asked for or gave up, without a request
 * of theirs. What reviewers decide is logged by their own request.
 */
export async function logConfirmation(
  kernel: Kernel,
  db: Database,
  { id, type, title, applicant, org_id }: StoredTicket,
  what: 'open' | 'closed',
  remoteAddress = '',
): Promise<void> {
  const call = applicant ? await callOf(db, applicant, remoteAddress) : undefined
  if (!call) return
  await kernel.audit.record(db, call, [
    {
      action: what === 'open' ? 'create' : 'update',
      resourceType: ticketDefinition.label,
      resource: what === 'open' ? title : `${title}: ${what}`,
      orgId: org_id,
      object: { type: ticketDefinition.name, id },
      changes: [what === 'open' ? { field: 'type', after: type } : { field: 'state', before: 'open', after: what }],
    },
  ])
}

async function callOf(db: Database, userId: string, remoteAddress: string): Promise<Call | undefined> {
  const { id, name, username, role } = usersAccount
  const [user] = await db.select({ id, name, username, role }).from(usersAccount).where(eq(id, userId))
  if (!user) return undefined
  return {
    user: { ...user, role: user.role as CallUser['role'] },
    via: undefined,
    sessionId: undefined,
    org: { id: ROOT_ORG_ID, name: '' },
    orgRoles: [],
    language: 'en',
    timeZone: 'UTC',
    remoteAddress,
  }
}
