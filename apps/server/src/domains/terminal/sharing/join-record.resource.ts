import { sessionJoinRecord } from '@sallyport/contract/resources/terminal/session-join-record.ts'
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { displayName, isRoot } from '../../../kernel/access/call.ts'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import { AppError, notFound } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { presentAll } from '../../../kernel/resource/read.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { usersAccount } from '../../users/index.ts'
import { keepFacts, keepStored } from '../evidence/kept-values.ts'
import { isJoinable } from '../session.resource.ts'
import { terminalSession, terminalSessionJoinRecord, terminalSessionSharing } from '../tables.ts'
import { mayJoin } from './who-may-join.ts'

/**
 * Wrong codes that one link accepts, from anybody together; then it is closed, so that its four
 * characters can't be guessed.
 */
const MAX_WRONG_CODES = 10

type StoredRecord = typeof terminalSessionJoinRecord.$inferSelect

export interface JoinRequest {
  sharing: string
  code: string
  joiner: { id: string; name: string; username: string }
  remote_addr: string | null
  login_from?: 'ST' | 'RT' | 'WT'
}

/** The result of a request to join: its record and, in English, why it was refused. */
export type JoinAnswer = { record: StoredRecord; refusal: string | undefined; writable: boolean }

/**
 * Records an attempt to join and decides it. Attempts at one link are handled one after the other.
 * Undefined: there is no such link.
 */
export function joinSharing(
  kernel: Kernel,
  { sharing: id, code, joiner, remote_addr, login_from = 'WT' }: JoinRequest,
): Promise<JoinAnswer | undefined> {
  return kernel.db.transaction(async (db) => {
    const [sharing] = await db
      .select()
      .from(terminalSessionSharing)
      .where(eq(terminalSessionSharing.id, id))
      .for('update')
    if (!sharing) return undefined
    const [session] = await db.select().from(terminalSession).where(eq(terminalSession.id, sharing.session))
    const refusal = await why()
    const [record] = await db
      .insert(terminalSessionJoinRecord)
      .values({
        org_id: sharing.org_id,
        session: sharing.session,
        sharing: id,
        joiner: joiner.id,
        joiner_display: displayName(joiner).slice(0, 128),
        verify_code: code.slice(0, 16),
        remote_addr,
        login_from,
        is_success: refusal === undefined,
        reason: refusal ?? '-',
        is_finished: refusal !== undefined,
        created_by: joiner.name.slice(0, 30),
      })
      .returning()
    if (!record) throw new Error('join record was not stored')
    return { record, refusal, writable: sharing.action_permission === 'writable' }

    async function why(): Promise<string | undefined> {
      if (!sharing || !session || !isJoinable(session)) return 'The session has ended, or its protocol is not supported'
      if (!settingsOf(kernel).get('SECURITY_SESSION_SHARE')) return 'Session sharing is switched off'
      if (!sharing.is_active) return 'This link is no longer active'
      if (Date.now() >= sharing.date_created.getTime() + sharing.expired_time * 60_000) return 'This link has expired'
      // Before the code: those outside neither try codes nor close the link.
      if (!(await mayJoin(kernel, joiner.id, sharing.org_id)))
        return 'This session is shared within its organization alone'
      if (isSameSecret(code.trim().toLowerCase(), sharing.verify_code)) return undefined
      const { rows } = await db.execute<{ wrong: number }>(
        sql`SELECT count(*)::int AS wrong FROM terminal_session_join_record WHERE sharing = ${id}::uuid AND reason = 'The code is wrong'`,
      )
      if ((rows[0]?.wrong ?? 0) + 1 >= MAX_WRONG_CODES)
        await db.update(terminalSessionSharing).set({ is_active: false }).where(eq(terminalSessionSharing.id, id))
      return 'The code is wrong'
    }
  })
}

/** Stores that the participant has left; later calls change nothing. */
export async function finishJoin({ db }: Pick<Kernel, 'db'>, recordId: string): Promise<void> {
  await db
    .update(terminalSessionJoinRecord)
    .set({ is_finished: true, date_left: new Date() })
    .where(and(eq(terminalSessionJoinRecord.id, recordId), eq(terminalSessionJoinRecord.is_finished, false)))
}

/** How somebody joined never changes, and how they left is said once. */
function keepJoin(writing: WriteContext<typeof sessionJoinRecord, typeof terminalSessionJoinRecord>): void {
  keepFacts(writing, ['remote_addr', 'login_from'], 'This never changes once somebody has joined')
  const { draft, row } = writing
  if (row?.is_finished) keepStored(draft, row, ['is_finished', 'reason', 'date_left'])
}

const draftSchema = z.object({
  sharing: z.guid(),
  verify_code: z.string().min(1).max(16),
  joiner: z.guid(),
  remote_addr: z.string().max(128).nullable().optional(),
  login_from: z.enum(['ST', 'RT', 'WT']).optional(),
})

export default function mountJoinRecord(kernel: Kernel): void {
  const resource = mountResource(kernel, sessionJoinRecord, {
    table: terminalSessionJoinRecord,
    unaudited: true,
    rules: { beforeWrite: [keepJoin] },
  })
  kernel.app.route({
    method: 'POST',
    url: sessionJoinRecord.path,
    config: {
      access: ['component'],
      summary: 'Session join record: create',
      answerStatus: 201,
      rows: sessionJoinRecord,
      takes: draftSchema,
    },
    handler: async (request, reply) => {
      const { call } = request
      const say = (text: string) => translate(call.language, text)
      const read = draftSchema.safeParse(request.body ?? {})
      const refused = (text: string) => new AppError(400, 'join_refused', text, { body: { error: say(text) } })
      if (!read.success) throw refused('The request to join is incomplete')
      const { sharing, verify_code: code, joiner: joinerId, remote_addr = null, login_from } = read.data
      const { rows } = await kernel.db.execute<{ id: string; name: string; username: string }>(
        sql`SELECT u.id, u.name, u.username FROM ${usersAccount} u, terminal_session_sharing s
            WHERE u.id = ${joinerId}::uuid AND u.is_active AND s.id = ${sharing}::uuid AND (${isRoot(call)} OR s.org_id = ${call.org.id}::uuid)`,
      )
      const [joiner] = rows
      const answer =
        joiner &&
        (await joinSharing(kernel, { sharing, code, joiner, remote_addr, ...(login_from ? { login_from } : {}) }))
      if (!answer) throw refused('There is no such link, or no such person')
      if (answer.refusal) throw refused(answer.refusal)
      const [shown] = await presentAll(resource, [answer.record], { ...contextOf(kernel, request), query: {} })
      return reply.status(201).send(shown)
    },
  })
  kernel.app.route({
    method: 'PATCH',
    url: `${sessionJoinRecord.path}:id/finished/`,
    config: {
      access: ['component'],
      summary: 'Session join record: the joiner has left',
      answers: { fields: plainFields({ msg: 'string' }) },
    },
    handler: async ({ params, call }) => {
      const { id } = z.object({ id: z.guid() }).parse(params)
      const inOrg = inOrganization(call, terminalSessionJoinRecord.org_id)
      const [found] = await kernel.db
        .select({ id: terminalSessionJoinRecord.id })
        .from(terminalSessionJoinRecord)
        .where(and(eq(terminalSessionJoinRecord.id, id), inOrg))
      if (!found) throw notFound()
      await finishJoin(kernel, id)
      return { msg: 'ok' }
    },
  })
}
