import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { orgsMembership } from '../../orgs/index.ts'
import { usersAccount } from '../../users/index.ts'
import { isJoinable, type StoredSession } from '../session.resource.ts'
import { terminalSession } from '../tables.ts'

/**
 * Whether a person may watch sessions of an organization: system administrators and auditors
 * everywhere, others where they administer or audit. Stricter than the old platform, where auditing
 * any organization opened the sessions of all.
 */
export async function mayWatch(db: Database, userId: string, orgId: string): Promise<boolean> {
  const { rows } = await db.execute<{ allowed: boolean }>(sql`
    SELECT u.role IN ('Admin', 'Auditor') OR EXISTS (
      SELECT 1 FROM ${orgsMembership} m WHERE m.user_id = u.id AND m.org_id = ${orgId}::uuid AND m.role IN ('Admin', 'Auditor')
    ) AS allowed
    FROM ${usersAccount} u WHERE u.id = ${userId}::uuid AND u.is_valid`)
  return rows[0]?.allowed === true
}

/**
 * Adds a reason of another domain for which people may watch a session, whatever its organization.
 */
export type WatchRule = (db: Database, userId: string, sessionId: string) => Promise<boolean>
const watchRules: WatchRule[] = []
export function alsoWatchedBy(rule: WatchRule): void {
  if (!watchRules.includes(rule)) watchRules.push(rule)
}

/** Why a person can't watch a session, in English; undefined when they can. */
async function joinRefusal(
  db: Database,
  userId: string,
  session: StoredSession | undefined,
): Promise<string | undefined> {
  if (!session) return 'Session does not exist.'
  if (session.is_finished) return 'The session has ended, or its protocol is not supported'
  if (!isJoinable(session)) return 'The session has ended, or its protocol is not supported'
  if (await mayWatch(db, userId, session.org_id)) return undefined
  for (const rule of watchRules) if (await rule(db, userId, session.id)) return undefined
  return 'You do not have permission'
}

/**
 * Whether the caller may watch this session now. A service identity that is limited to some targets
 * sees sessions of nobody else, whatever its roles.
 */
export async function canJoin(
  db: Database,
  { user, scope }: Pick<Call, 'user' | 'scope'>,
  session: StoredSession,
): Promise<boolean> {
  if (!user || scope?.limitsTargets) return false
  return (await joinRefusal(db, user.id, session)) === undefined
}

const questionSchema = z.object({ user_id: z.guid(), session_id: z.guid() })

/** POST sessions/join/validate/: a component asks whether a person may watch. */
export function registerJoinValidation({ app, db }: Kernel): void {
  app.route({
    method: 'POST',
    url: '/api/v1/terminal/sessions/join/validate/',
    config: {
      access: ['component'],
      rootOrg: true,
      summary: 'Session: may this person watch it',
      answers: { fields: plainFields({ ok: 'boolean', msg: 'string' }) },
    },
    handler: async (request, reply) => {
      const { user_id, session_id } = questionSchema.parse(request.body ?? {})
      const [session] = await db.select().from(terminalSession).where(eq(terminalSession.id, session_id))
      const refusal = await joinRefusal(db, user_id, session)
      if (refusal)
        throw new AppError(401, 'join_refused', refusal, {
          body: { ok: false, msg: translate(request.call.language, refusal) },
        })
      return reply.send({ ok: true, msg: '' })
    },
  })
}
