import { randomInt } from 'node:crypto'
import { sessionSharing } from '@sallyport/contract/resources/terminal/session-sharing.ts'
import { SHARE_MINUTES_MAX } from '@sallyport/contract/socket/room.ts'
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { presentAll } from '../../../kernel/resource/read.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { usersAccount } from '../../users/index.ts'
import { keepFacts } from '../evidence/kept-values.ts'
import { isJoinable } from '../session.resource.ts'
import { terminalSession, terminalSessionSharing } from '../tables.ts'
import { mayJoin } from './who-may-join.ts'

/** Without characters that are easily confused. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz'
const DIGITS = '23456789'
const CODE_LENGTH = 4

export type StoredSharing = typeof terminalSessionSharing.$inferSelect

const draftSchema = z.object({
  session: z.guid(),
  expired_time: z.coerce.number().int().min(0).max(SHARE_MINUTES_MAX).default(0),
  action_permission: z.enum(['writable', 'readonly']).default('readonly'),
})

export default function mountSharing(kernel: Kernel): void {
  const resource = mountResource(kernel, sessionSharing, {
    table: terminalSessionSharing,
    rules: { beforeWrite: [keepTerms] },
  })
  kernel.app.route({
    method: 'POST',
    url: sessionSharing.path,
    config: {
      access: ['component'],
      summary: 'Session sharing: create',
      answerStatus: 201,
      rows: sessionSharing,
      takes: draftSchema,
    },
    handler: async (request, reply) => {
      if (!settingsOf(kernel).get('SECURITY_SESSION_SHARE')) throw sharingOff()
      const { session, ...draft } = draftSchema.parse(request.body ?? {})
      const inOrg = inOrganization(request.call, terminalSession.org_id)
      const [row] = await kernel.db
        .select()
        .from(terminalSession)
        .where(and(eq(terminalSession.id, session), inOrg))
      if (!row) throw invalid({ session: 'No such session.' })
      const sharing = await createSharing(kernel.db, row, draft)
      const [shown] = await presentAll(resource, [sharing], { ...contextOf(kernel, request), query: {} })
      return reply.status(201).send(shown)
    },
  })
}

/** A link that was given is withdrawn, never another one: what it let others do is evidence. */
const keepTerms = (writing: WriteContext<typeof sessionSharing, typeof terminalSessionSharing>) =>
  keepFacts(writing, ['expired_time', 'action_permission'], 'This never changes once a link was made')

const sharingOff = () => new AppError(405, 'method_not_allowed', 'Session sharing is switched off')

/**
 * Makes a link with a code; `expired_time` is in minutes. Throws when the session can't be shared.
 */
export async function createSharing(
  db: Database,
  session: typeof terminalSession.$inferSelect,
  { expired_time, action_permission }: { expired_time: number; action_permission: 'writable' | 'readonly' },
): Promise<StoredSharing> {
  if (!isJoinable(session)) throw invalid({ session: 'The session has ended, or its protocol is not supported' })
  const [row] = await db
    .insert(terminalSessionSharing)
    .values({
      org_id: session.org_id,
      session: session.id,
      creator: isUuid(session.user_id)
        ? sql`(SELECT id FROM ${usersAccount} WHERE id = ${session.user_id}::uuid)`
        : null,
      created_by: session.user.slice(0, 32),
      verify_code: makeCode(),
      action_permission,
      expired_time,
    })
    .returning()
  if (!row) throw new Error('sharing was not stored')
  return row
}

/** Letters and digits, at least one of each. */
function makeCode(): string {
  for (;;) {
    const all = LETTERS + DIGITS
    const code = Array.from({ length: CODE_LENGTH }, () => all[randomInt(all.length)]).join('')
    if (/[a-z]/.test(code) && /\d/.test(code)) return code
  }
}

/**
 * Whether somebody who joined by the link may stay: until it is withdrawn, and while they might join.
 * Its time limits joining alone.
 */
export async function mayStay(kernel: Kernel, id: string, person: string): Promise<boolean> {
  const [row] = await kernel.db
    .select({ active: terminalSessionSharing.is_active, orgId: terminalSessionSharing.org_id })
    .from(terminalSessionSharing)
    .where(eq(terminalSessionSharing.id, id))
  return row?.active === true && mayJoin(kernel, person, row.orgId)
}
