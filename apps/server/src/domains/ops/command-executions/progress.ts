import { and, asc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { opsCommandExecution, opsCommandExecutionHost } from '../tables.ts'

export type StoredExecution = typeof opsCommandExecution.$inferSelect
export type HostOutcome = Partial<
  Pick<
    typeof opsCommandExecutionHost.$inferSelect,
    'state' | 'code' | 'stdout' | 'stderr' | 'is_cut' | 'error' | 'milliseconds'
  >
>
export interface WaitingHost {
  asset: string
  name: string
}

const LOST = 'The node that ran this was stopped: whether the command ran is not known'

/**
 * A run that is not over, and the machines where it has not begun. Where it had begun, on a node
 * that was stopped since, it is not begun again.
 */
export async function beginExecution(
  db: Database,
  id: string,
): Promise<{ execution: StoredExecution; hosts: WaitingHost[] } | undefined> {
  const [execution] = await db
    .update(opsCommandExecution)
    .set({ date_start: sql`coalesce(date_start, now())` })
    .where(and(eq(opsCommandExecution.id, id), eq(opsCommandExecution.is_finished, false)))
    .returning()
  if (!execution) return undefined
  const { execution: of, state, asset, name } = opsCommandExecutionHost
  await db
    .update(opsCommandExecutionHost)
    .set({ state: 'failed', error: LOST })
    .where(and(eq(of, id), eq(state, 'running')))
  const hosts = await db
    .select({ asset, name })
    .from(opsCommandExecutionHost)
    .where(and(eq(of, id), eq(state, 'waiting')))
    .orderBy(asc(name), asc(asset))
  return { execution, hosts }
}

export async function storeOutcome(
  db: Database,
  execution: string,
  asset: string,
  outcome: HostOutcome,
): Promise<void> {
  await db
    .update(opsCommandExecutionHost)
    .set(outcome)
    .where(and(eq(opsCommandExecutionHost.execution, execution), eq(opsCommandExecutionHost.asset, asset)))
}

/** The end of a run; `error` where nothing ran anywhere. What still waits is skipped, with `reason`. */
export async function finishExecution(
  db: Database,
  id: string,
  { error = '', reason = '' }: { error?: string; reason?: string },
): Promise<void> {
  await db
    .update(opsCommandExecutionHost)
    .set({ state: 'skipped', error: error || reason })
    .where(and(eq(opsCommandExecutionHost.execution, id), eq(opsCommandExecutionHost.state, 'waiting')))
  await db
    .update(opsCommandExecution)
    .set({ is_finished: true, error, date_finished: sql`now()` })
    .where(eq(opsCommandExecution.id, id))
}

/** Ends the runs whose task ended without them: their worker died twice. */
export async function finishLostExecutions(db: Database): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    UPDATE ops_command_execution e SET is_finished = true, date_finished = now()
    FROM ops_background_task t WHERE t.id = e.id AND NOT e.is_finished AND t.state = 'FAILURE' RETURNING e.id`)
  if (!rows.length) return
  await db.execute(sql`
    UPDATE ops_command_execution_host SET state = 'failed', error = ${LOST}
    WHERE execution = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[]) AND state IN ('waiting', 'running')`)
}
