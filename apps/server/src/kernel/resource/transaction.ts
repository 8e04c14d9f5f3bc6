import type { ReadContext } from './mount.ts'

/** What waits for the commit, in order. */
export type AfterCommit = (() => Promise<void> | void)[]

/** Runs work in one transaction, then what waits for its commit. */
export async function inTransaction<T>(
  context: ReadContext,
  work: (context: ReadContext, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const afterCommit: AfterCommit = []
  const answer = await context.db.transaction((db) => work({ ...context, db }, afterCommit))
  for (const one of afterCommit) await one()
  return answer
}
