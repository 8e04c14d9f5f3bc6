import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { forgetWithEntries } from '../audits/index.ts'
import { recordingStore } from './recording/replay-file.ts'
import { outsideStores } from './recording/storages/outside-stores.ts'
import type { RecordingStore } from './recording/store/recording-store.ts'

/** Also what an index that was being made when the power went left behind. */
const RECORDING = /\.(gz|tar|json|indexing)$/

/** Announced every night: each node removes its own recordings from before `{ before }`. */
const FORGET_RECORDINGS = 'terminal.forget_recordings'

/** Removes sessions and commands older than so many days, and recordings of that age. */
export async function forgetOldSessions(kernel: Kernel, days: number): Promise<void> {
  const { app, config, events } = kernel
  const before = new Date(Date.now() - days * 86_400_000)
  await forgetWithEntries(kernel, ['command', 'session'], before, () => removeRows(kernel, before))
  // What lies on the disk of one node only that node can remove.
  if (recordingStore(config).ofThisNode) await events.publish(FORGET_RECORDINGS, { before: before.toISOString() })
  else await forgetRecordings(recordingStore(config), before)
  // One that is away, or is no more, does not keep the others from it.
  for (const store of await outsideStores(kernel))
    await forgetRecordings(store, before).catch((error) =>
      app.log.error({ err: error }, 'old recordings could not be removed from a storage'),
    )
}

async function removeRows({ db }: Kernel, before: Date): Promise<void> {
  const date = before.toISOString()
  await deleteInSlices(
    db,
    (limit) =>
      sql`DELETE FROM terminal_command WHERE id IN (SELECT id FROM terminal_command WHERE timestamp < extract(epoch FROM ${date}::timestamptz) LIMIT ${limit})`,
  )
  // Sessions that still run stay, however old.
  await deleteInSlices(
    db,
    (limit) =>
      sql`DELETE FROM terminal_session WHERE id IN (SELECT id FROM terminal_session WHERE is_finished AND date_start < ${date}::timestamptz LIMIT ${limit})`,
  )
  // Those of a session go with it.
  await deleteInSlices(
    db,
    (limit) =>
      sql`DELETE FROM terminal_forwarded_connection WHERE id IN (SELECT id FROM terminal_forwarded_connection WHERE session_id IS NULL AND date_start < ${date}::timestamptz LIMIT ${limit})`,
  )
  await db.execute(sql`DELETE FROM terminal_task WHERE is_finished AND date_created < ${date}::timestamptz`)
}

/** Removes this node's recordings when told to. */
export function listenToForget({ app, config, events }: Pick<Kernel, 'app' | 'config' | 'events'>): void {
  events.subscribe(FORGET_RECORDINGS, ({ before }) => {
    if (!recordingStore(config).ofThisNode) return
    forgetRecordings(recordingStore(config), new Date(String(before))).catch((error) =>
      app.log.error({ err: error }, 'old recordings could not be removed'),
    )
  })
}

async function forgetRecordings(store: RecordingStore, before: Date): Promise<void> {
  for await (const name of store.olderThan(before)) if (RECORDING.test(name)) await store.remove(name)
}
