import { and, eq, inArray, isNotNull, isNull, lt, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { answersAtLink } from '../../kernel/nodes/answers-at-link.ts'
import { LEASE_SECONDS } from './session-lifecycle.ts'
import { terminalSession } from './tables.ts'

/** A node that is lost has renewed nothing for longer: what is younger was begun by its next run. */
const NEXT_RUN_SECONDS = 20
/** A node that says nothing to the database is given so long to answer at its link. */
const ANSWER_MS = 5_000

/**
 * Ends sessions that nobody carries any more: those of nodes that tell the database nothing and don't
 * answer at their link either, and those of other components whose lease ran out. A node that is
 * merely cut off from the database goes on. They end at their last heartbeat, until their recording
 * says more (`endSessionAtRecordingEnd`). Answers their ids.
 */
export async function endLostSessions({ db, nodes, app }: Pick<Kernel, 'db' | 'nodes' | 'app'>): Promise<string[]> {
  const { rows: found } = await db.execute<{ any: boolean }>(sql`SELECT ${anySilent()} AS any`)
  if (!found[0]?.any) return []
  const carriers = await nodes.ofTerminals(await terminalsInUse(db))
  // Asked afterwards: a node that has come back meanwhile runs.
  const running = new Set((await nodes.running()).map(({ id }) => id))
  const silent = carriers.filter(({ id }) => id !== nodes.id && !running.has(id))
  const lost = await unanswering(silent)
  const { terminal } = terminalSession
  const ended = await endSilentSince(
    db,
    LEASE_SECONDS,
    or(isNull(terminal), notInArray(terminal, terminalsOf(carriers))),
  )
  if (!lost.length) return ended
  const left = await endSilentSince(db, NEXT_RUN_SECONDS, inArray(terminal, terminalsOf(lost)))
  if (left.length)
    app.log.warn({ nodes: lost.map(({ name }) => name), sessions: left.length }, 'sessions of lost nodes were ended')
  return [...ended, ...left]
}

/** Whether there may be any such session, as a condition: one that was not renewed for a while. */
export const anySilent = (): SQL =>
  sql`EXISTS (SELECT 1 FROM ${terminalSession} WHERE NOT ${terminalSession.is_finished}
    AND ${terminalSession.date_last_active} < now() - make_interval(secs => ${NEXT_RUN_SECONDS}))`

/**
 * Ends rows that say this terminal carries them although it does not, as after an answer of the
 * database that never came. `carried`: what it does carry.
 */
export async function endNotCarried(db: Database, terminalId: string, carried: readonly string[]): Promise<string[]> {
  const { terminal, id } = terminalSession
  return endSilentSince(db, LEASE_SECONDS, and(eq(terminal, terminalId), notInArray(id, [...carried])))
}

type Carrier = Awaited<ReturnType<Kernel['nodes']['ofTerminals']>>[number]

const terminalsOf = (nodes: readonly Carrier[]) => nodes.flatMap(({ terminal }) => terminal ?? [])

/** The terminals of sessions that are not over. */
async function terminalsInUse(db: Database): Promise<string[]> {
  const rows = await db
    .selectDistinct({ terminal: terminalSession.terminal })
    .from(terminalSession)
    .where(and(eq(terminalSession.is_finished, false), isNotNull(terminalSession.terminal)))
  return rows.flatMap(({ terminal }) => terminal ?? [])
}

async function unanswering(nodes: readonly Carrier[]): Promise<Carrier[]> {
  const answers = await Promise.all(nodes.map((node) => answersAtLink(node, ANSWER_MS)))
  return nodes.filter((_, n) => !answers[n])
}

async function endSilentSince(db: Database, seconds: number, which: SQL | undefined): Promise<string[]> {
  const { id, is_finished, date_last_active } = terminalSession
  const rows = await db
    .update(terminalSession)
    .set({ is_finished: true, date_end: sql`${date_last_active}` })
    .where(and(eq(is_finished, false), lt(date_last_active, sql`now() - make_interval(secs => ${seconds})`), which))
    .returning({ id })
  return rows.map((row) => row.id)
}
