import type { ReplaySearchAll, ReplaySearchFound } from '@sallyport/contract/replay.ts'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { isRoot } from '../../../kernel/access/call.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { dateRange } from '../../../kernel/resource/date-range.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { terminalSession } from '../tables.ts'
import { findReplay } from './replay-file.ts'
import { searchInThread } from './threads.ts'
import { wantedText } from './wanted-text.ts'

/** A call looks at so many recordings at most, for about so long; the next goes on from there. */
const MAX_RECORDINGS = 200
const SECONDS = 8
/** Places named of each recording. */
const HITS_EACH = 3
const DATES = dateRange(terminalSession.date_start)

/**
 * GET /api/v1/terminal/sessions/replay-search/?q=&date_from=&date_to=&after=: recordings in which a
 * text stood on the screen, the latest first. Reads them one after the other; `after` is the
 * session where the last call stopped.
 */
export function registerReplaySearch(kernel: Kernel): void {
  kernel.app.route<{ Querystring: Record<string, unknown> }>({
    method: 'GET',
    url: '/api/v1/terminal/sessions/replay-search/',
    config: { access: ['org_auditor'], summary: 'Sessions: where a text stood on the screen' },
    handler: (request) => searchAll(kernel, request, wantedText(request.query.q)),
  })
}

async function searchAll(kernel: Kernel, request: FastifyRequest, wanted: string): Promise<ReplaySearchAll> {
  const sessions = await recorded(kernel, request)
  const until = performance.now() + SECONDS * 1000
  const results: ReplaySearchFound[] = []
  let searched = 0
  for (const session of sessions) {
    const seconds = (until - performance.now()) / 1000
    // Who has gone away needs no answer.
    if (seconds <= 0 || request.raw.destroyed) break
    const replay = await findReplay(kernel, session)
    if (replay?.suffix === '.cast.gz') {
      const found = await replay.store
        .withLocalFile(replay.name, (path) => searchInThread(path, wanted, seconds, HITS_EACH))
        .catch((error: unknown) => {
          if (searched > 0 && error instanceof AppError) return undefined
          throw error
        })
      if (!found) break
      const { id, user, asset, system_user, date_start } = session
      if (found.hits.length)
        results.push({ id, user, asset, system_user, date_start: date_start.toISOString(), ...found })
    }
    searched++
  }
  const last = sessions[searched - 1]
  const isOver = searched === sessions.length && sessions.length < MAX_RECORDINGS
  return { results, searched, next: isOver ? null : (last?.id ?? null) }
}

/**
 * The next sessions with a recording in the caller's organisation. Throws a field-keyed 400 for an
 * `after` that is none.
 */
async function recorded(kernel: Kernel, request: FastifyRequest) {
  const { call } = request
  const { date_from, date_to, after } = request.query as Record<string, unknown>
  const context = contextOf(kernel, request)
  const conditions: (SQL | undefined)[] = [
    eq(terminalSession.has_replay, true),
    isRoot(call) ? undefined : eq(terminalSession.org_id, call.org.id),
    typeof date_from === 'string' ? DATES.date_from(date_from, context) : undefined,
    typeof date_to === 'string' ? DATES.date_to(date_to, context) : undefined,
  ]
  if (after !== undefined) {
    if (typeof after !== 'string' || !isUuid(after)) throw invalid({ after: 'No such session.' })
    const { date_start, id } = terminalSession
    conditions.push(sql`(${date_start}, ${id}) < (SELECT date_start, id FROM terminal_session WHERE id = ${after})`)
  }
  return kernel.db
    .select()
    .from(terminalSession)
    .where(and(...conditions))
    .orderBy(desc(terminalSession.date_start), desc(terminalSession.id))
    .limit(MAX_RECORDINGS)
}
