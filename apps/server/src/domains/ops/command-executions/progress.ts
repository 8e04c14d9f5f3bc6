import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { opsCommandExecution, opsCommandExecutionHost, opsCommandOutput } from '../tables.ts'
import { forgetOutput, publishRunNews } from './live-output.ts'

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
  /** What runs there. */
  command: string
}

/** The outcome of the command is not known yet; a known one stays as it is. */
const isOpen = inArray(opsCommandExecutionHost.state, ['waiting', 'held', 'running'])

const LOST = 'The node that ran this was stopped: whether the command ran is not known'

/** A run that is to be carried out. */
export interface BegunExecution {
  execution: StoredExecution
  /** The machines where it has not begun. */
  hosts: WaitingHost[]
  /** The same, where a node that was stopped since has asked others to confirm it, by ticket. */
  held: { ticket: string; hosts: WaitingHost[] }[]
}

/**
 * A run that is not over, and the machines where it has not begun. Where it had begun, on a node
 * that was stopped since, it is not begun again.
 */
export async function beginExecution(db: Database, id: string): Promise<BegunExecution | undefined> {
  const [execution] = await db
    .update(opsCommandExecution)
    .set({ date_start: sql`coalesce(date_start, now())` })
    .where(and(eq(opsCommandExecution.id, id), eq(opsCommandExecution.is_finished, false)))
    .returning()
  if (!execution) return undefined
  const { commandexecution: of, state, asset, name, ticket, command } = opsCommandExecutionHost
  await db
    .update(opsCommandExecutionHost)
    .set({ state: 'failed', error: LOST })
    .where(and(eq(of, id), eq(state, 'running')))
  const waiting = await db
    .select({ asset, name, ticket, command: sql<string>`coalesce(${command}, ${execution.command})` })
    .from(opsCommandExecutionHost)
    .where(and(eq(of, id), inArray(state, ['waiting', 'held'])))
    .orderBy(asc(name), asc(asset))
  const byTicket = Map.groupBy(waiting, (host) => host.ticket)
  const hosts = byTicket.get(null) ?? []
  byTicket.delete(null)
  return { execution, hosts, held: [...byTicket].map(([one, some]) => ({ ticket: String(one), hosts: some })) }
}

/**
 * Stores the state of the run on a machine, unless that is over there: another node may have found
 * this one lost.
 */
export async function storeOutcome(
  db: Database,
  execution: string,
  asset: string,
  outcome: HostOutcome,
): Promise<void> {
  await db
    .update(opsCommandExecutionHost)
    .set(outcome)
    .where(
      and(eq(opsCommandExecutionHost.commandexecution, execution), eq(opsCommandExecutionHost.asset, asset), isOpen),
    )
}

/** The command does not run on these machines, for that reason. */
export const skipHosts = (db: Database, execution: string, assets: readonly string[], error: string): Promise<void> =>
  storeTogether(db, execution, assets, { state: 'skipped', error })

/** These machines wait until others have decided on a ticket; `error` says so to people. */
export const holdHosts = (
  db: Database,
  execution: string,
  assets: readonly string[],
  held: { ticket: string; error: string },
): Promise<void> => storeTogether(db, execution, assets, { state: 'held', ...held })

/** Others have approved it: these machines wait for their turn. */
export const releaseHosts = (db: Database, execution: string, assets: readonly string[]): Promise<void> =>
  storeTogether(db, execution, assets, { state: 'waiting', error: '' })

async function storeTogether(
  db: Database,
  execution: string,
  assets: readonly string[],
  values: Partial<typeof opsCommandExecutionHost.$inferInsert>,
): Promise<void> {
  if (!assets.length) return
  await db
    .update(opsCommandExecutionHost)
    .set(values)
    .where(
      and(
        eq(opsCommandExecutionHost.commandexecution, execution),
        inArray(opsCommandExecutionHost.asset, [...assets]),
        isOpen,
      ),
    )
}

/** The end of a run, which ends once; with an error where nothing ran anywhere. */
export async function finishExecution(kernel: Pick<Kernel, 'db' | 'events'>, id: string, error = ''): Promise<void> {
  const { commandexecution: execution, state } = opsCommandExecutionHost
  // Together: a reader meanwhile sees a run that goes on, or one that is over everywhere.
  await kernel.db.transaction(async (tx) => {
    await tx
      .update(opsCommandExecutionHost)
      .set({ state: 'skipped', error })
      .where(and(eq(execution, id), inArray(state, ['waiting', 'held'])))
    await tx
      .update(opsCommandExecution)
      .set({ is_finished: true, error, date_finished: sql`now()` })
      .where(and(eq(opsCommandExecution.id, id), eq(opsCommandExecution.is_finished, false)))
    await forgetOutput(tx, id)
  })
  await publishRunNews(kernel, id, { changed: true })
}

/** Those of these runs that go on. */
export async function unfinishedExecutions(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { id, is_finished } = opsCommandExecution
  const rows = await db
    .select({ id })
    .from(opsCommandExecution)
    .where(and(inArray(id, [...ids]), eq(is_finished, false)))
  return new Set(rows.map((row) => row.id))
}

/** Ends the runs whose task ended without them: their worker died twice. */
export async function finishLostExecutions(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      SELECT e.id FROM ops_command_execution e JOIN ops_background_task t ON t.id = e.id
      WHERE NOT e.is_finished AND t.state = 'FAILURE' FOR UPDATE OF e`)
    if (!rows.length) return
    const ids = rows.map(({ id }) => id)
    // The machines first: nothing becomes part of a run that is over.
    await tx
      .update(opsCommandExecutionHost)
      .set({ state: 'failed', error: LOST })
      .where(and(inArray(opsCommandExecutionHost.commandexecution, ids), isOpen))
    await tx
      .update(opsCommandExecution)
      .set({ is_finished: true, date_finished: sql`now()` })
      .where(inArray(opsCommandExecution.id, ids))
    await tx.delete(opsCommandOutput).where(inArray(opsCommandOutput.execution, ids))
  })
}
