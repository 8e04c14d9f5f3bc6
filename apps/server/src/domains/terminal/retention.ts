import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { recordingStore } from './recording/replay-file.ts'

/** Also what an index that was being made when the power went left behind. */
const RECORDING = /\.(gz|tar|json|indexing)$/

/** Removes sessions and commands older than so many days, and recordings of that age. */
export async function forgetOldSessions({ db, config }: Pick<Kernel, 'db' | 'config'>, days: number): Promise<void> {
  await deleteInSlices(
    db,
    (limit) =>
      sql`DELETE FROM terminal_command WHERE id IN (SELECT id FROM terminal_command WHERE timestamp < extract(epoch FROM now() - make_interval(days => ${days})) LIMIT ${limit})`,
  )
  // Sessions that still run stay, however old.
  await deleteInSlices(
    db,
    (limit) =>
      sql`DELETE FROM terminal_session WHERE id IN (SELECT id FROM terminal_session WHERE is_finished AND date_start < now() - make_interval(days => ${days}) LIMIT ${limit})`,
  )
  await db.execute(
    sql`DELETE FROM terminal_task WHERE is_finished AND date_created < now() - make_interval(days => ${days})`,
  )
  const store = recordingStore(config)
  for await (const name of store.olderThan(new Date(Date.now() - days * 86_400_000)))
    if (RECORDING.test(name)) await store.remove(name)
}
