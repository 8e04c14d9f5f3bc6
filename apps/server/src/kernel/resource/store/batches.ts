import { AppError } from '../../errors/app-error.ts'
import { translateError } from '../../errors/translate-error.ts'
import type { ReadContext, StoredRow } from '../mount.ts'
import { WriteLog } from '../operate-log/write-log.ts'
import type { MountedResource } from '../registry.ts'
import { finish, type Pending, type Prepared, prepare } from './prepare.ts'
import { storeRelations } from './relations.ts'
import { storeCreated } from './rows.ts'

/** So many rows are stored by one statement. */
const BATCH_ROWS = 200

/**
 * Stores some hundred rows at a time. Where one of them is refused nothing is stored, and nothing
 * answered: going through them one by one tells of each why.
 */
export async function createInBatches(
  resource: MountedResource,
  bodies: readonly unknown[],
  caller: ReadContext,
  pending: Pending,
): Promise<StoredRow[] | undefined> {
  const own: Pending = { afterCommit: [], log: new WriteLog() }
  try {
    const rows = await caller.db.transaction(async (db) => {
      const done: StoredRow[] = []
      for (let from = 0; from < bodies.length; from += BATCH_ROWS) {
        const prepared: Prepared[] = []
        for (const body of bodies.slice(from, from + BATCH_ROWS))
          prepared.push(await prepare(resource, 'create', body, undefined, { ...caller, db }, own))
        done.push(...(await storeNew(resource, prepared, own)))
      }
      return done
    })
    pending.afterCommit.push(...own.afterCommit)
    pending.log.take(own.log)
    return rows
  } catch (thrown) {
    const error = translateError(thrown)
    if (error instanceof AppError && error.status === 400) return undefined
    throw thrown
  }
}

/** Answers them in the order of `prepared`. */
async function storeNew(resource: MountedResource, prepared: readonly Prepared[], own: Pending): Promise<StoredRow[]> {
  const fresh = prepared.filter(({ existing }) => !existing)
  const made = await storeCreated(
    resource,
    fresh.map(({ context }) => context),
  )
  const owners = fresh.map(({ context }, index) => ({ id: made[index]?.id, context }))
  const links = await storeRelations(resource, owners)
  for (const [index, one] of fresh.entries())
    await finish(resource, one, made[index] as StoredRow, links[index] ?? [], own)
  const rows = made.values()
  return prepared.map(({ existing }) => existing ?? (rows.next().value as StoredRow))
}
