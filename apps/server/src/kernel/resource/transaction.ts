import { isKept, nameChange } from '../audit/named-change.ts'
import { isPreviewing } from '../database/previewing.ts'
import type { ReadContext } from './mount.ts'

/** Work that waits for the commit, in order. */
export type AfterCommit = (() => Promise<void> | void)[]

/**
 * Runs work in a transaction, and after its commit what has been waiting for that. What it changes
 * is kept for undo. Work within the transaction of another call belongs to its change, and waits for its
 * commit; in a preview there is none.
 */
export async function inTransaction<T>(
  context: ReadContext,
  work: (context: ReadContext, afterCommit: AfterCommit) => Promise<T>,
): Promise<T> {
  const { change, call, outer } = context
  const afterCommit: AfterCommit = []
  let kept = false
  const answer = await context.db.transaction(async (db) => {
    if (!outer) await nameChange(db, call, change)
    const done = await work({ ...context, db, outer: afterCommit }, afterCommit)
    kept = !outer && change?.kept !== undefined && (await isKept(db, change.id))
    return done
  })
  if (outer) {
    outer.push(...afterCommit)
    return answer
  }
  if (isPreviewing()) return answer
  if (kept && change) change.kept?.(change.id)
  for (const one of afterCommit) await one()
  return answer
}
