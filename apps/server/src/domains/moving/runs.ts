import type { MoveState, MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { publishIn } from '../../kernel/events/events.ts'
import type { Fault, MoveOutcome } from './order.ts'
import { movingRun } from './tables.ts'

/** Told to all nodes: the one that is at it ends the run. */
export const STOPPED = 'moving.stopped'

/** A node says so often that it is still at it, and is lost after so long. */
export const BEAT_MS = 2_000
const LOST_SECONDS = 60
const KEPT = 20

export const LOST = {
  sentence: 'The node stopped meanwhile. What had come by then is here: run it again.',
} satisfies Fault

/** Runs that nobody is at any more, as a condition. */
export const isLost = sql`date_finished IS NULL AND date_seen < now() - make_interval(secs => ${LOST_SECONDS}::int)`

interface Begun {
  task: MoveTask
  source: string
  askedBy: string
  node: { id: string; name: string }
}

/** Begins a run, in the transaction of the caller. Answers its id; undefined while another goes on anywhere. */
export async function beginRun(within: Database, { task, source, askedBy, node }: Begun): Promise<string | undefined> {
  await within.execute(sql`UPDATE ${movingRun} SET state = 'failed', fault = ${JSON.stringify(LOST)}::jsonb,
    date_finished = now() WHERE ${isLost}`)
  await within.execute(sql`DELETE FROM ${movingRun} WHERE id NOT IN (
    SELECT id FROM ${movingRun} ORDER BY date_started DESC LIMIT ${KEPT - 1})`)
  const { rows } = await within.execute<{ id: string }>(sql`
    INSERT INTO ${movingRun} (task, source, asked_by, node, node_name)
    VALUES (${task}, ${source}, ${askedBy}, ${node.id}, ${node.name}) ON CONFLICT DO NOTHING RETURNING id`)
  return rows[0]?.id
}

/** How far a run is. */
export interface Progress {
  source: string
  version: string
  stage: string
  stagesDone: number
  stages: number
  rows: number
}

const own = (id: string) => sql`id = ${id} AND date_finished IS NULL`

/** Keeps how far a run is. Answers whether it is to go on: others may have stopped it, or taken it for lost. */
export async function keepProgress(db: Database, id: string, { stagesDone, ...rest }: Progress): Promise<boolean> {
  const [kept] = await db
    .update(movingRun)
    .set({ ...rest, stages_done: stagesDone, date_seen: sql`now()` })
    .where(own(id))
    .returning({ isStopped: movingRun.is_stopped })
  return kept !== undefined && !kept.isStopped
}

export interface Ended {
  state: MoveState
  fault: Fault | null
  result: MoveOutcome
  report: Buffer | null
  differences: Buffer | null
}

export async function endRun(db: Database, id: string, ended: Ended): Promise<void> {
  await db
    .update(movingRun)
    .set({ ...ended, date_seen: sql`now()`, date_finished: sql`now()` })
    .where(own(id))
}

/** Stops the run that goes on, in the transaction of the caller. Answers what it was at. */
export async function stopRun(within: Database): Promise<{ task: MoveTask; source: string } | undefined> {
  const [run] = await within
    .update(movingRun)
    .set({ is_stopped: true })
    .where(sql`date_finished IS NULL`)
    .returning({ id: movingRun.id, task: movingRun.task, source: movingRun.source })
  if (run) await publishIn(within, STOPPED, { id: run.id })
  return run
}

/** A packed file of a run; undefined where it has none. */
export async function fileOfRun(db: Database, id: string, file: 'report' | 'differences'): Promise<Buffer | undefined> {
  const [run] = await db.select({ packed: movingRun[file] }).from(movingRun).where(eq(movingRun.id, id))
  return run?.packed ?? undefined
}
