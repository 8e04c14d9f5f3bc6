import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { authenticationFailure } from './tables.ts'

/** Parts of a key under which tries count together. A part that does not count is the empty text. */
export interface TriesKey {
  kind: string
  username: string
  remote_addr: string
}

/** How long a count lasts. */
export interface TriesWindow {
  minutes: number
  /** `last`: until so long after the last try; `first`: until so long after the first one. */
  since: 'first' | 'last'
}

const { kind, username, remote_addr, failures, date_expired } = authenticationFailure
const isOpen = sql`${date_expired} > now()`

/**
 * Counts a try on all nodes and answers how many there are now. One statement, so that simultaneous
 * tries are all counted.
 */
export async function countTry(db: Database, key: TriesKey, { minutes, since }: TriesWindow): Promise<number> {
  const end = sql`now() + make_interval(mins => ${minutes})`
  const [row] = await db
    .insert(authenticationFailure)
    .values({ ...key, failures: 1, date_expired: end })
    .onConflictDoUpdate({
      target: [kind, username, remote_addr],
      set: {
        failures: sql`CASE WHEN ${isOpen} THEN ${failures} + 1 ELSE 1 END`,
        date_expired: since === 'last' ? end : sql`CASE WHEN ${isOpen} THEN ${date_expired} ELSE ${end} END`,
      },
    })
    .returning({ failures })
  return row?.failures ?? 1
}

/** The highest count of those that this part of a key fits; 0 where there is none. */
export const highestCount = (db: Database, key: Partial<TriesKey>) => counted(db, key, sql<number>`max(${failures})`)

/** The same for two keys, by one statement. */
export async function highestCounts(
  db: Database,
  first: Partial<TriesKey>,
  second: Partial<TriesKey>,
): Promise<{ first: number; second: number }> {
  const highest = (key: Partial<TriesKey>) =>
    sql<number>`coalesce(max(${failures}) FILTER (WHERE ${fits(key)}), 0)::int`
  const [row] = await db
    .select({ first: highest(first), second: highest(second) })
    .from(authenticationFailure)
    .where(and(or(fits(first), fits(second)), isOpen))
  return row ?? { first: 0, second: 0 }
}

/** All counts together of those that this part of a key fits. */
export const sumOfCounts = (db: Database, key: Partial<TriesKey>) => counted(db, key, sql<number>`sum(${failures})`)

async function counted(db: Database, key: Partial<TriesKey>, of: SQL<number>): Promise<number> {
  const [row] = await db
    .select({ tries: sql<number>`coalesce(${of}, 0)::int` })
    .from(authenticationFailure)
    .where(and(fits(key), isOpen))
  return row?.tries ?? 0
}

/** Drops the counts that any of these parts of a key fits. */
export async function forgetTries(db: Database, ...keys: readonly Partial<TriesKey>[]): Promise<void> {
  await db.delete(authenticationFailure).where(or(...keys.map(fits)))
}

/**
 * Which of these names have a highest count of one kind, or counts of another kind together, of
 * `limit` or more.
 */
export async function namesAtLimit(
  db: Database,
  usernames: readonly string[],
  { highest, together, limit }: { highest: string; together: string; limit: number },
): Promise<Set<string>> {
  if (!usernames.length) return new Set()
  const rows = await db
    .select({ username })
    .from(authenticationFailure)
    .where(and(isOpen, inArray(username, [...usernames])))
    .groupBy(username)
    .having(
      sql`max(${failures}) FILTER (WHERE ${kind} = ${highest}) >= ${limit} OR sum(${failures}) FILTER (WHERE ${kind} = ${together}) >= ${limit}`,
    )
  return new Set(rows.map((row) => row.username))
}

const fits = (key: Partial<TriesKey>) =>
  and(...(Object.keys(key) as (keyof TriesKey)[]).map((name) => eq(authenticationFailure[name], key[name] ?? '')))
