import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { pairKey } from './arrive-pairs.ts'
import { HISTORY_POSITION } from './history.ts'
import { columnNames } from './in-halves.ts'

/** How one kind fared. */
export interface TakenBack {
  kind: string
  isPair: boolean
  removed: number
  /** Names of those that stay, at most `MOST_NAMES` each. */
  changed: Stay
  /** Something that people have made here needs them. */
  needed: Stay
  /** Evidence is about them, which stays. */
  evident: Stay
}

export interface Stay {
  count: number
  names: string[]
}

export interface TakingBack {
  /** In a transaction: all of it is taken back, or nothing. */
  db: Database
  source: string
  /** Kinds that their domain stores by itself, and takes back by itself: before all others. */
  own?: Readonly<Record<string, TakeBackOwn>>
  /** Tables whose rows are part of what they refer to: they go with it, and need nothing. */
  parts?: readonly string[]
  /** SQL by kind: condition on rows `t` of `taking (id)` that stay besides, for what no reference says. */
  stay?: Readonly<Record<string, SQL>>
  /** The same, for what evidence is about. */
  evident?: Readonly<Record<string, SQL>>
  /** Called around the rows of a kind, with the ids that have come of it. */
  around?: Readonly<Record<string, Around>>
}

/** Answers undefined where the rows go and come with others. */
export type TakeBackOwn = (taking: Pick<TakingBack, 'db' | 'source'>) => Promise<TakenBack | undefined>

export interface Around {
  before?(ids: readonly string[]): Promise<void>
  after?(ids: readonly string[]): Promise<void>
}

const MOST_NAMES = 2000

interface Kind extends Record<string, unknown> {
  kind: string
  table_name: string
  form: 'row' | 'part' | 'pair'
  id_column: string | null
  columns: string[]
  changes_by_itself: boolean
}

/**
 * Whether something has come of which it is not known how to find it: an earlier version brought it.
 * Positions in history are no rows.
 */
export async function isUnknown({ db, source, own = {} }: TakingBack): Promise<boolean> {
  const known = [HISTORY_POSITION, ...Object.keys(own)]
  const { rows } = await db.execute<{ is_unknown: boolean }>(sql`
    SELECT EXISTS (SELECT 1 FROM kernel_arrival a WHERE a.source = ${source} AND a.kind <> ALL (${sql.param(known)}::text[])
      AND NOT EXISTS (SELECT 1 FROM kernel_arrival_kind k WHERE k.source = a.source AND k.kind = a.kind)) AS is_unknown`)
  return rows[0]?.is_unknown === true
}

/**
 * Removes all that came from a source and that nobody has changed here since. What was changed here, and
 * what something needs that people have configured here, stays and is a row of here from now on. Rows go
 * before those to which they refer, so that what still refers to a row then is of here.
 */
export async function takeBack(taking: TakingBack): Promise<TakenBack[]> {
  const { db, source, around = {}, own = {} } = taking
  await db.execute(sql`SELECT set_config('TimeZone', 'UTC', true), set_config('work_mem', '64MB', true)`)
  await db.execute(sql.raw('CREATE TEMP TABLE taking (id text PRIMARY KEY) ON COMMIT DROP'))
  await db.execute(sql.raw('CREATE TEMP TABLE staying (table_name text, id text) ON COMMIT DROP'))
  const { rows: kinds } = await db.execute<Kind>(
    sql`SELECT * FROM kernel_arrival_kind WHERE source = ${source} ORDER BY kind`,
  )
  const fared: TakenBack[] = []
  const of = (form: Kind['form']) => kinds.filter((kind) => kind.form === form)
  for (const takeBackOwn of Object.values(own)) fared.push(...[(await takeBackOwn(taking)) ?? []].flat())
  for (const kind of of('part')) await undoPart(taking, kind)
  for (const kind of of('pair'))
    fared.push({ kind: kind.kind, isPair: true, removed: await removePairs(taking, kind), ...noStays() })
  for (const kind of await referringFirst(db, of('row'))) {
    const ids = around[kind.kind] ? await idsOf(taking, kind) : []
    await around[kind.kind]?.before?.(ids)
    fared.push(await removeRows(taking, kind))
    await around[kind.kind]?.after?.(ids)
  }
  await db.execute(sql`DELETE FROM kernel_arrival WHERE source = ${source}`)
  await db.execute(sql`DELETE FROM kernel_arrival_kind WHERE source = ${source}`)
  return fared
}

/** Kinds whose rows refer to rows of others come before these. */
async function referringFirst(db: Database, kinds: readonly Kind[]): Promise<Kind[]> {
  const { rows: references } = await db.execute<{ from: string; to: string }>(sql`
    SELECT DISTINCT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
    WHERE contype = 'f' AND conrelid <> confrelid`)
  const ordered: Kind[] = []
  for (let left = [...kinds]; left.length; ) {
    const isNamed = ({ table_name }: Kind) =>
      references.some(({ from, to }) => to === table_name && left.some((other) => other.table_name === from))
    const free = left.filter((kind) => !isNamed(kind))
    // Tables that refer to each other have no order.
    const next = free.length ? free : left
    ordered.push(...next)
    left = left.filter((kind) => !next.includes(kind))
  }
  return ordered
}

const noStay = (): Stay => ({ count: 0, names: [] })
/** How a kind fares of which nothing stays. */
export const noStays = () => ({ changed: noStay(), needed: noStay(), evident: noStay() })
const tableOf = ({ table_name }: Kind): SQL => sql`${sql.identifier(table_name)}`
const countOf = async (db: Database, statement: SQL): Promise<number> => (await db.execute(statement)).rowCount ?? 0

/** Those that an import has stored: not what was here before. */
const cameAs = ({ source }: TakingBack, { kind }: Kind): SQL =>
  sql`SELECT a.id, a.key, a.stored FROM kernel_arrival a WHERE a.source = ${source} AND a.kind = ${kind} AND a.stored IS NOT NULL`

async function idsOf(taking: TakingBack, kind: Kind): Promise<string[]> {
  const { rows } = await taking.db.execute<{ id: string }>(cameAs(taking, kind))
  return rows.map(({ id }) => id)
}

const removePairs = (taking: TakingBack, kind: Kind): Promise<number> =>
  countOf(
    taking.db,
    sql`DELETE FROM ${tableOf(kind)} t USING (${cameAs(taking, kind)}) a WHERE ${pairKey(sql`t`, kind.columns)} = a.key`,
  )

/** SQL: whether the columns of a row `t` are as they were stored with `a`. */
const isUnchanged = ({ columns }: Kind): SQL => sql`md5(jsonb_build_array(${columnNames(columns)})::text) = a.stored`

/** Rows `t` of a kind with their arrivals `a`. */
const withArrivals = (taking: TakingBack, kind: Kind): SQL =>
  sql`(${cameAs(taking, kind)}) a JOIN ${tableOf(kind)} t ON t.${sql.identifier(kind.id_column ?? 'id')}::text = a.id`

/** Columns that came by themselves go back to nothing. A row of which they were changed here stays. */
async function undoPart(taking: TakingBack, kind: Kind): Promise<void> {
  if (kind.changes_by_itself) return
  const { db } = taking
  await db.execute(sql`INSERT INTO staying SELECT ${kind.table_name}, a.id FROM ${withArrivals(taking, kind)}
    WHERE NOT ${isUnchanged(kind)}`)
  const id = sql.identifier(kind.id_column ?? 'id')
  const defaults = sql.join(
    kind.columns.map((column) => sql`${sql.identifier(column)} = DEFAULT`),
    sql`, `,
  )
  await db.execute(sql`UPDATE ${tableOf(kind)} SET ${defaults} WHERE ${id}::text IN (
    SELECT a.id FROM ${withArrivals(taking, kind)} WHERE ${isUnchanged(kind)})`)
}

async function removeRows(taking: TakingBack, kind: Kind): Promise<TakenBack> {
  const { db } = taking
  await db.execute(sql`TRUNCATE taking`)
  await db.execute(sql`INSERT INTO taking SELECT a.id FROM ${withArrivals(taking, kind)} WHERE ${isUnchanged(kind)}
    AND NOT EXISTS (SELECT 1 FROM staying s WHERE s.table_name = ${kind.table_name} AND s.id = a.id)`)
  await db.execute(sql.raw('ANALYZE taking'))
  const all = sql`SELECT a.id FROM ${withArrivals(taking, kind)}`
  const changed = await stays(db, kind, sql`(${all}) one WHERE NOT EXISTS (SELECT 1 FROM taking g WHERE g.id = one.id)`)
  await db.execute(sql.raw('CREATE TEMP TABLE needed (id text) ON COMMIT DROP'))
  const because = taking.evident?.[kind.kind]
  if (because) await keepWhere(db, because)
  const evident = await stays(db, kind, sql`needed one`)
  await db.execute(sql.raw('TRUNCATE needed'))
  // A row may be needed by one that stays for that reason.
  while ((await keepNeeded(taking, kind)) > 0);
  const needed = await stays(db, kind, sql`needed one`)
  await db.execute(sql.raw('DROP TABLE needed'))
  const id = sql.identifier(kind.id_column ?? 'id')
  const removed = await countOf(db, sql`DELETE FROM ${tableOf(kind)} WHERE ${id}::text IN (SELECT id FROM taking)`)
  return { kind: kind.kind, isPair: false, removed, changed, needed, evident }
}

/** References by tables that people configure, which are those that undo knows. */
const REFERENCES = (table: string): SQL => sql`
  SELECT f.conrelid::regclass::text AS table, a.attname AS column, b.attname AS named, f.conrelid = f.confrelid AS is_own
  FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
  JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = f.confkey[1]
  WHERE f.contype = 'f' AND f.confrelid = ${table}::regclass AND array_length(f.conkey, 1) = 1
    AND (f.confdeltype IN ('a', 'r') OR EXISTS (
      SELECT 1 FROM pg_trigger g WHERE g.tgrelid = f.conrelid AND g.tgname = 'undo_removed'))`

interface Reference extends Record<string, unknown> {
  table: string
  column: string
  /** The column that it names. */
  named: string
  /** Within one table. */
  is_own: boolean
}

/** Takes out of `taking` what must stay; answers how many. */
async function keepNeeded({ db, stay = {}, parts = [] }: TakingBack, kind: Kind): Promise<number> {
  const { rows: all } = await db.execute<Reference>(REFERENCES(kind.table_name))
  const rows = all.filter(({ table }) => !parts.includes(table))
  const id = sql`x.${sql.identifier(kind.id_column ?? 'id')}::text`
  const conditions = rows.map(({ table, column, named, is_own }) => {
    // Rows of the same kind go together.
    const others = is_own ? sql` WHERE NOT EXISTS (SELECT 1 FROM taking g WHERE g.id = r.id::text)` : sql``
    return sql`t.id IN (SELECT ${id} FROM ${tableOf(kind)} x
      JOIN ${sql.raw(table)} r ON r.${sql.identifier(column)} = x.${sql.identifier(named)}${others})`
  })
  const more = stay[kind.kind]
  if (more) conditions.push(more)
  return conditions.length ? keepWhere(db, sql.join(conditions, sql` OR `)) : 0
}

const keepWhere = (db: Database, condition: SQL): Promise<number> =>
  countOf(
    db,
    sql`WITH kept AS (DELETE FROM taking t WHERE ${condition} RETURNING t.id)
      INSERT INTO needed SELECT id FROM kept`,
  )

/** The ids of `from`, alias `one`: how many, and the names of the first. */
async function stays(db: Database, kind: Kind, from: SQL): Promise<Stay> {
  const { rows } = await db.execute<{ count: number; names: string[] | null }>(sql`
    WITH ids AS MATERIALIZED (SELECT one.id FROM ${from})
    SELECT (SELECT count(*) FROM ids)::int AS count, (
      SELECT array_agg(name) FROM (
        SELECT coalesce(x.row->>'hostname', nullif(x.row->>'name', ''), nullif(x.row->>'value', ''), nullif(x.row->>'username', ''), x.id) AS name
        FROM (SELECT ids.id, to_jsonb(t) AS row FROM ids JOIN ${tableOf(kind)} t ON t.${sql.identifier(kind.id_column ?? 'id')}::text = ids.id
          ORDER BY ids.id LIMIT ${MOST_NAMES}) x) named) AS names`)
  return { count: rows[0]?.count ?? 0, names: rows[0]?.names ?? [] }
}
