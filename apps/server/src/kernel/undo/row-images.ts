import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import type { NetRow } from './net-rows.ts'
import type { RowImage } from './tables.ts'

/** A foreign key: columns, and those of the parent that they name. */
export interface Reference {
  columns: readonly string[]
  parent: string
  parentColumns: readonly string[]
}

/** A table of which rows are kept, from PostgreSQL's catalog. */
export interface KeptTable {
  name: string
  /** Columns that can be written; whether they may be empty. */
  columns: ReadonlyMap<string, boolean>
  sealed: readonly string[]
  generated: readonly string[]
  references: readonly Reference[]
}

/** All tables with the triggers of undo, by name. */
export async function keptTables(db: Database): Promise<ReadonlyMap<string, KeptTable>> {
  const { rows } = await db.execute<{
    name: string
    columns: [string, boolean][]
    sealed: string[] | null
    generated: string[] | null
    references: Reference[] | null
  }>(sql`
    SELECT c.relname AS name, a.columns, a.sealed, a.generated, r.references FROM pg_class c
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_array(attname, NOT attnotnull)) FILTER (WHERE attgenerated = '') AS columns,
        jsonb_agg(attname) FILTER (WHERE atttypid = 'bytea'::regtype AND attname LIKE '%\\_sealed') AS sealed,
        jsonb_agg(attname) FILTER (WHERE attgenerated <> '') AS generated
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    ) a
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('parent', p.relname,
        'columns', (SELECT jsonb_agg(attname ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY u(num, n)
          JOIN pg_attribute ON attrelid = k.conrelid AND attnum = num),
        'parentColumns', (SELECT jsonb_agg(attname ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY u(num, n)
          JOIN pg_attribute ON attrelid = k.confrelid AND attnum = num))) AS references
      FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid WHERE k.conrelid = c.oid AND k.contype = 'f'
    ) r
    WHERE EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'undo_removed')`)
  return new Map(
    rows.map(({ name, columns, sealed, generated, references }) => [
      name,
      {
        name,
        columns: new Map(columns),
        sealed: sealed ?? [],
        generated: generated ?? [],
        references: references ?? [],
      },
    ]),
  )
}

const textArray = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`
const json = (values: readonly unknown[]) => sql`jsonb_array_elements(${JSON.stringify(values)}::jsonb)`
const columnOf = (alias: string, name: string) => sql`${sql.identifier(alias)}.${sql.identifier(name)}`
const nameOf = (table: KeptTable) => sql.identifier(table.name)

/** Whether row `t` is the one that `k` names by these columns. */
function sameRow(table: KeptTable, names: readonly string[]): SQL {
  const parts = names.map((name) =>
    table.columns.get(name)
      ? sql`${columnOf('t', name)} IS NOT DISTINCT FROM ${columnOf('k', name)}`
      : sql`${columnOf('t', name)} = ${columnOf('k', name)}`,
  )
  return sql.join(parts, sql` AND `)
}

/** The rows of these keys that there are now, by their place in the list. */
export async function currentRows(
  db: Database,
  table: KeptTable,
  keys: readonly RowImage[],
): Promise<ReadonlyMap<number, RowImage>> {
  if (!keys[0]) return new Map()
  const { rows } = await db.execute<{ at: number; image: RowImage }>(sql`
    SELECT v.at::int - 1 AS at, kernel_row_image(to_jsonb(t) - ${textArray(table.generated)}, ${textArray(table.sealed)}) AS image
    FROM ${json(keys)} WITH ORDINALITY v(key, at)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, v.key) k
    JOIN ${nameOf(table)} t ON ${sameRow(table, Object.keys(keys[0]))}`)
  return new Map(rows.map(({ at, image }) => [at, image]))
}

/** Which of the images name a parent by this reference that is not there, by their place in the list. */
export async function withoutParent(
  db: Database,
  table: KeptTable,
  { columns, parent, parentColumns }: Reference,
  images: readonly RowImage[],
): Promise<ReadonlySet<number>> {
  const named = images
    .map((image, at) => ({ at, image: Object.fromEntries(columns.map((name) => [name, image[name] ?? null])) }))
    .filter(({ image }) => columns.every((name) => image[name] !== null))
  if (!named.length) return new Set()
  const same = columns.map((name, at) => sql`${columnOf('p', parentColumns[at] ?? '')} = ${columnOf('k', name)}`)
  const { rows } = await db.execute<{ at: number }>(sql`
    SELECT (v.one ->> 'at')::int AS at FROM ${json(named)} v(one)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, v.one -> 'image') k
    WHERE NOT EXISTS (SELECT FROM ${sql.identifier(parent)} p WHERE ${sql.join(same, sql` AND `)})`)
  return new Set(rows.map(({ at }) => at))
}

/**
 * Puts rows in with exactly these values. Where a row is there already it stays, unless `strict`:
 * then PostgreSQL's error about it is thrown.
 */
export async function insertImages(
  db: Database,
  table: KeptTable,
  images: readonly RowImage[],
  strict: boolean,
): Promise<void> {
  if (!images[0]) return
  const names = Object.keys(images[0]).filter((name) => table.columns.has(name))
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  )
  await db.execute(sql`
    INSERT INTO ${nameOf(table)} (${columns}) OVERRIDING SYSTEM VALUE
    SELECT ${columns} FROM ${json(images)} v(image)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, kernel_image_row(v.image)) r
    ${strict ? sql`` : sql`ON CONFLICT DO NOTHING`}`)
}

/** Sets columns of rows; a row that has them so already is not written. */
export async function setImages(
  db: Database,
  table: KeptTable,
  rows: readonly { key: RowImage; values: RowImage }[],
): Promise<void> {
  const named = rows.map(({ key, values }) => ({
    key,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => table.columns.has(name) && !(name in key))),
  }))
  for (const [names, some] of Map.groupBy(named, ({ values }) => JSON.stringify(Object.keys(values).sort()))) {
    const columns = JSON.parse(names) as string[]
    const [first] = some
    if (!first || !columns.length) continue
    const sets = columns.map((name) => sql`${sql.identifier(name)} = ${columnOf('r', name)}`)
    const differs = columns.map((name) => sql`${columnOf('t', name)} IS DISTINCT FROM ${columnOf('r', name)}`)
    await db.execute(sql`
      UPDATE ${nameOf(table)} t SET ${sql.join(sets, sql`, `)} FROM ${json(some)} v(one)
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, v.one -> 'key') k
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, kernel_image_row(v.one -> 'values')) r
      WHERE ${sameRow(table, Object.keys(first.key))} AND (${sql.join(differs, sql` OR `)})`)
  }
}

/** Takes rows out. */
export async function removeRows(db: Database, table: KeptTable, keys: readonly RowImage[]): Promise<void> {
  if (!keys[0]) return
  await db.execute(sql`
    DELETE FROM ${nameOf(table)} t USING ${json(keys)} v(key)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${nameOf(table)}, v.key) k
    WHERE ${sameRow(table, Object.keys(keys[0]))}`)
}

/** Names of tables so that each comes after those that it refers to. */
export function parentsFirst(names: Iterable<string>, tables: ReadonlyMap<string, KeptTable>): string[] {
  const wanted = new Set(names)
  const ordered = new Set<string>()
  const visiting = new Set<string>()
  const visit = (name: string) => {
    if (ordered.has(name) || visiting.has(name)) return
    visiting.add(name)
    for (const { parent } of tables.get(name)?.references ?? []) if (wanted.has(parent)) visit(parent)
    ordered.add(name)
  }
  for (const name of wanted) visit(name)
  return [...ordered]
}

/**
 * Finds the rows that belong to the row of a table and id: that row, those that name it, and those
 * that name these. Versions of secrets name their owner without a foreign key.
 */
export function rowsByOwner(
  rows: readonly NetRow[],
  tables: ReadonlyMap<string, KeptTable>,
): (table: string, id: string) => NetRow[] {
  const naming = new Map<string, NetRow[]>()
  const name = (what: string, row: NetRow) => {
    const known = naming.get(what)
    if (known) known.push(row)
    else naming.set(what, [row])
  }
  for (const row of rows) {
    const images = [
      { ...row.key, ...row.after, ...row.before },
      { ...row.key, ...row.before, ...row.after },
    ] as RowImage[]
    const named = images.flatMap((image) => [
      `${row.table}.id=${image.id}`,
      `owner=${image.owner_id}`,
      ...(tables.get(row.table)?.references ?? []).map(
        ({ columns: [column = ''], parent, parentColumns: [target] }) => `${parent}.${target}=${image[column]}`,
      ),
    ])
    for (const one of new Set(named)) name(one, row)
  }
  return (table, id) => {
    const own = new Set<NetRow>()
    const asked = [{ table, id }]
    for (const { table: parent, id: value } of asked)
      for (const row of [...(naming.get(`${parent}.id=${value}`) ?? []), ...(naming.get(`owner=${value}`) ?? [])]) {
        // Another row of the same table is an object by itself.
        if (own.has(row) || (row.table === table && row.key.id !== id)) continue
        own.add(row)
        if (row.key.id !== undefined) asked.push({ table: row.table, id: String(row.key.id) })
      }
    return [...own]
  }
}
