import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { replayFolder } from './replay-file.ts'

/** Also what an index that was being made when the power went left behind. */
const RECORDING = /\.(gz|tar|json|indexing)$/

/** Removes sessions and commands older than so many days, and the recordings that this node has of that age. */
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
  await db.execute(sql`DELETE FROM terminal_task WHERE is_finished AND date_created < now() - make_interval(days => ${days})`)
  await forgetOldRecordings(replayFolder(config), Date.now() - days * 86_400_000)
}

async function forgetOldRecordings(folder: string, before: number): Promise<void> {
  for (const day of await readdir(folder).catch(() => [])) {
    // The folder is the day: whole folders are passed over without looking at their files.
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Date.parse(day) >= before) continue
    for (const name of await readdir(join(folder, day))) {
      const path = join(folder, day, name)
      const found = await stat(path).catch(() => undefined)
      if (RECORDING.test(name) && found && found.mtimeMs < before) await rm(path, { force: true })
    }
    await rmdir(join(folder, day)).catch(() => {}) // not empty: something of it is still young
  }
}
