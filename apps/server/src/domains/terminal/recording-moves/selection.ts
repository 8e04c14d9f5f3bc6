import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Place } from './places.ts'

/** Which recordings are to be moved from a storage. */
export interface Wanted {
  source: Place
  date_from: Date | null
  date_to: Date | null
}

/** Selects among sessions `s`. One that still waits for its storage is not in this one for good. */
export const isWanted = ({ source, date_from, date_to }: Wanted): SQL =>
  sql.join(
    [
      sql`s.has_replay AND s.is_finished AND s.replay_due IS NULL`,
      source.pointer ? sql`s.replay_storage = ${source.pointer}` : sql`s.replay_storage IS NULL`,
      ...(date_from ? [sql`s.date_start >= ${date_from.toISOString()}::timestamptz`] : []),
      ...(date_to ? [sql`s.date_start < ${date_to.toISOString()}::timestamptz`] : []),
    ],
    sql` AND `,
  )

export async function countWanted(db: Database, wanted: Wanted): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM terminal_session s WHERE ${isWanted(wanted)}`,
  )
  return rows[0]?.count ?? 0
}

const COUNTING_MS = 5_000
const A_QUERY = 1_000
const DAY_MS = 86_400_000
const day = (date: Date) => date.toISOString().slice(0, 10)

/**
 * How many bytes those recordings have, by the list of the storage's files; of very many what was
 * counted within some seconds, and then not `complete`. Throws what the store throws.
 */
export async function bytesOfWanted(db: Database, wanted: Wanted): Promise<{ bytes: number; complete: boolean }> {
  const until = performance.now() + COUNTING_MS
  let bytes = 0
  const ofSession = new Map<string, number>()
  const add = async () => {
    const { rows } = await db.execute<{ id: string }>(sql`
      SELECT s.id FROM terminal_session s WHERE s.id = ANY(${sql.param([...ofSession.keys()])}::uuid[]) AND ${isWanted(wanted)}`)
    for (const { id } of rows) bytes += ofSession.get(id) ?? 0
    ofSession.clear()
  }
  for (const prefix of prefixesOf(wanted))
    for await (const file of wanted.source.store.list(prefix)) {
      const [, session] = /^\d{4}-\d\d-\d\d\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\./.exec(file.name) ?? []
      if (session) ofSession.set(session, (ofSession.get(session) ?? 0) + file.bytes)
      if (ofSession.size < A_QUERY) continue
      await add()
      if (performance.now() > until) return { bytes, complete: false }
    }
  await add()
  return { bytes, complete: true }
}

/** Days, or a month's beginning, where the time is limited; else everything. */
function prefixesOf({ date_from, date_to }: Wanted): string[] {
  if (!date_from || !date_to || date_to.getTime() - date_from.getTime() > 60 * DAY_MS) return ['']
  const days: string[] = []
  for (let at = Date.parse(day(date_from)); at < date_to.getTime(); at += DAY_MS) days.push(`${day(new Date(at))}/`)
  return days
}
