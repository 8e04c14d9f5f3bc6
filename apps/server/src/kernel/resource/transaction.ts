import type { ReadContext } from './mount.ts'

/** Work that waits for the commit, in order. */
export type AfterCommit = (() => Promise<void> | void)[]

/** Runs work in a transaction, and after its commit what has been waiting for that. */
export async function inTransaction<T>(
  context: ReadContext,
  work: (context: ReadContext, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const afterCommit: AfterCommit = []
  const answer = await context.db.transaction((db) => work({ ...context, db }, afterCommit))
  for (const one of afterCommit) await one()
  return answer
}
