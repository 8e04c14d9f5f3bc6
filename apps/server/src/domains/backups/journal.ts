import { desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import type { Manifest } from './manifest.ts'
import { backupsBackup } from './tables.ts'

export type BackupRow = typeof backupsBackup.$inferSelect

/** So long it can be seen that backups were made. */
const KEEP_DAYS = 400
/** Characters that are kept of a fault. */
const MAX_ERROR = 1000

/** Notes that a backup begins: those that seem to go on have ended with their process. */
export async function noteBegin(db: Database, row: Pick<BackupRow, 'place' | 'made_by'>): Promise<string> {
  await db
    .update(backupsBackup)
    .set({ state: 'failed', date_finished: sql`now()`, error: 'The process that made it has ended' })
    .where(eq(backupsBackup.state, 'running'))
  await db.delete(backupsBackup).where(sql`${backupsBackup.date_start} < now() - make_interval(days => ${KEEP_DAYS})`)
  const [begun] = await db.insert(backupsBackup).values(row).returning({ id: backupsBackup.id })
  if (!begun) throw new Error('a backup was not noted')
  return begun.id
}

/** What of a manifest is shown: bytes are those that no other backup has. */
const factsOf = ({ id, date, key, tables, recordings }: Manifest) => ({
  name: id,
  state: 'done' as const,
  date_snapshot: new Date(date),
  has_key: key !== undefined,
  bytes: tables.reduce((sum, { part }) => sum + (part?.bytes ?? 0), 0),
  recordings: recordings?.count ?? 0,
})

/** @param error what went wrong afterwards */
export async function noteEnd(db: Database, row: string, manifest: Manifest, error: string): Promise<void> {
  await db
    .update(backupsBackup)
    .set({ ...factsOf(manifest), date_finished: sql`now()`, error: error.slice(0, MAX_ERROR) })
    .where(eq(backupsBackup.id, row))
}

export async function noteFault(db: Database, row: string, error: Error): Promise<void> {
  await db
    .update(backupsBackup)
    .set({ state: 'failed', date_finished: sql`now()`, error: error.message.slice(0, MAX_ERROR) })
    .where(eq(backupsBackup.id, row))
}

/** In its own snapshot a backup is not finished: the one that was restored is. */
export async function noteRestored(db: Database, manifest: Manifest): Promise<void> {
  await db
    .update(backupsBackup)
    .set({ ...factsOf(manifest), date_finished: new Date(manifest.date_finished) })
    .where(eq(backupsBackup.state, 'running'))
}

/** The newest complete backup, and the newest of all, which may have failed. */
export async function lastBackup(
  db: Pick<Database, 'select'>,
): Promise<{ good: BackupRow | undefined; last: BackupRow | undefined }> {
  const newest = () => db.select().from(backupsBackup).limit(1)
  const [good] = await newest().where(eq(backupsBackup.state, 'done')).orderBy(desc(backupsBackup.date_snapshot))
  const [last] = await newest().orderBy(desc(backupsBackup.date_start), desc(backupsBackup.id))
  return { good, last }
}
