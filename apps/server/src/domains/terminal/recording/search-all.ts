import type { ReplaySearchAll, ReplaySearchFound } from '@sallyport/contract/replay.ts'
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isPassedOn } from '../../../kernel/nodes/link-listener.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import { dateRange } from '../../../kernel/resource/lists/date-range.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { DESKTOP, STATEMENTS } from '../replay-suffix.ts'
import type { StoredSession } from '../session.resource.ts'
import { terminalSession } from '../tables.ts'
import { searchMarks } from './desktop/mark-search.ts'
import { indexOf } from './indexing.ts'
import { lookUpReplays } from './look-up.ts'
import { type ReplayFile, recordingStore } from './replay-file.ts'
import { askedFor, type SearchOutcome, searchElsewhere } from './search-elsewhere.ts'
import { searchInThread, tooManyRead } from './threads.ts'
import { wantedText } from './wanted-text.ts'

/** Limits of one call; the next continues from there. */
const MAX_RECORDINGS = 200
const SECONDS = 8
/** Hits listed of each recording. */
const HITS_EACH = 3
const DATES = dateRange(terminalSession.date_start)

/**
 * GET /api/v1/terminal/sessions/replay-search/?q=&date_from=&date_to=&after=: recordings in which a
 * text stood on the screen or was noted beside a desktop, the latest first; logs of statements,
 * which have none, are not among them. Reads them one after the other, and has the other nodes read what lies on their disks;
 * `after` is the session where the last call stopped.
 */
export function registerReplaySearch(kernel: Kernel): void {
  kernel.app.route<{ Querystring: Record<string, unknown> }>({
    method: 'GET',
    url: '/api/v1/terminal/sessions/replay-search/',
    config: { access: ['org_auditor'], summary: 'Sessions: where a text stood on the screen', answers: 'anything' },
    handler: async (request) => {
      const wanted = wantedText(request.query.q)
      const ids = isPassedOn(request.raw) ? askedFor(request) : undefined
      if (!ids) return searchAll(kernel, request, wanted)
      const { here, later } = await whereTheyLie(kernel, request, await recorded(kernel, request, ids))
      return Object.fromEntries([...forLater(later), ...(await searchHere(request, here, wanted))])
    },
  })
}

async function searchAll(kernel: Kernel, request: FastifyRequest, wanted: string): Promise<ReplaySearchAll> {
  const sessions = await recorded(kernel, request)
  const { here, elsewhere, later } = await whereTheyLie(kernel, request, sessions)
  const [foundHere, foundElsewhere] = await Promise.all([
    searchHere(request, here, wanted),
    searchElsewhere(kernel, request, elsewhere),
  ])
  const outcomes = new Map([...forLater(later), ...foundHere, ...foundElsewhere])
  // The first that nobody got to, and all older ones, are left to the next call.
  const stopped = sessions.findIndex(({ id }) => outcomes.get(id) === 'later')
  if (stopped === 0) throw tooManyRead()
  const reached = stopped < 0 ? sessions : sessions.slice(0, stopped)
  const results: ReplaySearchFound[] = []
  let unread = 0
  for (const { id, user, asset, system_user, date_start } of reached) {
    const outcome = outcomes.get(id)
    if (typeof outcome !== 'object' || outcome.damaged) unread++
    if (typeof outcome === 'object' && outcome.hits.length)
      results.push({ id, user, asset, system_user, date_start: date_start.toISOString(), ...outcome })
  }
  const isOver = stopped < 0 && sessions.length < MAX_RECORDINGS
  return { results, searched: reached.length - unread, unread, next: isOver ? null : (reached.at(-1)?.id ?? null) }
}

/** A recording that this node can read. */
interface Found {
  id: string
  replay: ReplayFile
}

/**
 * Which recordings this node can read, which sessions other nodes have to be asked for, and which
 * nobody came to. What is in none of them can't be read.
 */
async function whereTheyLie(kernel: Kernel, request: FastifyRequest, sessions: readonly StoredSession[]) {
  const answers = await lookUpReplays(kernel, request, sessions)
  const here: Found[] = []
  const elsewhere: StoredSession[] = []
  const later: string[] = []
  for (const [n, session] of sessions.entries()) {
    const answer = answers[n]
    if (answer === 'later') later.push(session.id)
    else if (typeof answer === 'object') here.push({ id: session.id, replay: answer })
    // A store that all nodes share says the same to each of them.
    else if (answer === 'missing' && recordingStore(kernel.config).ofThisNode) elsewhere.push(session)
  }
  return { here, elsewhere, later }
}

/**
 * Searches one after the other while there is time, until one can't be searched now.
 */
async function searchHere(
  request: FastifyRequest,
  found: readonly Found[],
  wanted: string,
): Promise<Map<string, SearchOutcome>> {
  const outcomes = forLater(found.map(({ id }) => id))
  const until = performance.now() + SECONDS * 1000
  for (const { id, replay } of found) {
    const seconds = (until - performance.now()) / 1000
    // The caller has gone.
    if (seconds <= 0 || request.raw.destroyed) break
    const outcome = await searchOne(replay, wanted, seconds).catch((error: unknown) =>
      error instanceof AppError ? 'later' : 'unreadable',
    )
    if (outcome === 'later') break
    if (outcome === 'unreadable') outcomes.delete(id)
    else outcomes.set(id, outcome)
  }
  return outcomes
}

async function searchOne(replay: ReplayFile, wanted: string, seconds: number): Promise<SearchOutcome | 'unreadable'> {
  const { store, name, suffix } = replay
  if (suffix === DESKTOP) {
    const index = await indexOf(replay)
    // Its index is being made, or waits for others.
    if (index === 'running') return 'later'
    return index === 'unavailable' ? 'unreadable' : searchMarks(index.marks ?? [], wanted, HITS_EACH)
  }
  // A kind that can't be searched.
  if (suffix !== '.cast.gz') return 'unreadable'
  return store.withLocalFile(name, (path) => searchInThread(path, wanted, seconds, HITS_EACH))
}

const forLater = (ids: readonly string[]) => new Map<string, SearchOutcome>(ids.map((id) => [id, 'later']))

/**
 * The next sessions with a recording that shows text in the caller's organization, of `ids` alone
 * where they are given. Throws a field-keyed 400 for an `after` that is none.
 */
async function recorded(kernel: Kernel, request: FastifyRequest, ids?: readonly string[]): Promise<StoredSession[]> {
  const { call } = request
  const { date_from, date_to, after } = request.query as Record<string, unknown>
  const context = contextOf(kernel, request)
  const conditions: (SQL | undefined)[] = [
    eq(terminalSession.has_replay, true),
    sql`coalesce(${terminalSession.replay_suffix}, '') <> ${STATEMENTS}`,
    ids && inArray(terminalSession.id, [...ids]),
    inOrganization(call, terminalSession.org_id),
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
