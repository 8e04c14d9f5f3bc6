import { displayOf, type ResourceDefinition } from '@sallyport/contract/define.ts'
import { type SQL, sql } from 'drizzle-orm'
import { anyOf } from './conditions.ts'
import { columnOf, type ManyToMany, type ReadContext, type RowWords, readableColumns, type StoredRow } from './mount.ts'
import { type MountedResource, resourcesOf } from './registry.ts'

/** Rows that a page of rows refers to. */
export interface Related {
  /**
   * By relation, then by id of the row: ids of the other rows and, where they are wanted, their
   * displays.
   */
  relations: ReadonlyMap<string, ReadonlyMap<string, { ids: string[]; words: string[] }>>
  /** By `ref` field, then by the id in it: the display of that row. */
  words: ReadonlyMap<string, ReadonlyMap<string, string>>
}

interface Question {
  name: string
  /** Writes a row from the values that were queried for it. */
  inWords: (parts: readonly (string | null)[] | null) => string
  sql: SQL
}

interface Found {
  question: number
  owner: string | null
  id: string
  words: (string | null)[] | null
}

/**
 * Loads everything of other rows that the wanted fields need (`nodes`, `nodes_display`,
 * `nodes_amount`, `domain_display`) in one statement, since each costs a round trip to PostgreSQL.
 */
export async function loadRelated(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  { kernel, db }: ReadContext,
): Promise<Related> {
  const isShown = (name: string) =>
    fields.includes(`${name}_display`) && !mount.computed?.some((one) => one.fields.includes(`${name}_display`))
  const targetOf = (name: string) => {
    const to = isShown(name) ? definition.fields[name]?.to : undefined
    return to ? resourcesOf(kernel).find(to) : undefined
  }
  const questions: Question[] = []
  const relations = new Map<string, Map<string, { ids: string[]; words: string[] }>>()
  const words = new Map<string, Map<string, string>>()
  for (const [name, relation] of Object.entries(mount.relations ?? {})) {
    if (!fields.includes(name) && !isShown(name) && !fields.includes(`${name}_amount`)) continue
    const owners = rows.map((row) => row.id)
    relations.set(name, new Map())
    if (relation.words && isShown(name)) {
      const sql = pairsInWords(questions.length, relation, relation.words, owners)
      questions.push({ name, inWords: (parts) => parts?.[0] ?? '', sql })
      continue
    }
    const target = targetOf(name)
    questions.push({ name, inWords: writerOf(target), sql: pairsOf(questions.length, relation, owners, target) })
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    const target = field.type === 'ref' && field.by !== 'name' ? targetOf(name) : undefined
    if (!target) continue
    const ids = new Set(rows.flatMap((row) => (row[name] === null || row[name] === undefined ? [] : [row[name]])))
    words.set(name, new Map())
    if (ids.size) questions.push({ name, inWords: writerOf(target), sql: rowsOf(questions.length, target, [...ids]) })
  }
  if (!questions.length) return { relations, words }
  const asked = sql.join(
    questions.map((one) => one.sql),
    sql` union all `,
  )
  const { rows: found } = await db.execute<Found & Record<string, unknown>>(sql`${asked} order by 1, 3`)
  for (const { question, owner, id, words: parts } of found) {
    const { name, inWords } = questions[question] as Question
    const text = inWords(parts)
    if (owner === null) words.get(name)?.set(id, text)
    else {
      const of = relations.get(name)
      const known = of?.get(owner)
      if (known) {
        known.ids.push(id)
        known.words.push(text)
      } else of?.set(owner, { ids: [id], words: [text] })
    }
  }
  return { relations, words }
}

/**
 * Rows as people know them, by the name of their resource and by id, in one statement. Rows that
 * are gone are missing.
 */
export async function displaysById(
  db: ReadContext['db'],
  wanted: readonly { target: MountedResource; ids: readonly string[] }[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const displays = new Map(wanted.map(({ target }) => [target.definition.name, new Map<string, string>()]))
  if (!wanted.length) return displays
  const asked = wanted.map(({ target, ids }, question) => rowsOf(question, target, ids))
  const { rows } = await db.execute<Found & Record<string, unknown>>(sql.join(asked, sql` union all `))
  for (const { question, id, words } of rows) {
    const target = wanted[question]?.target
    if (target) displays.get(target.definition.name)?.set(id, writerOf(target)(words))
  }
  return displays
}

/** Stored rows of a resource as people know them, in order. */
export async function rowsInWords(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  db: ReadContext['db'],
): Promise<readonly string[]> {
  return mount.inWords ? mount.inWords(rows, db) : rows.map((row) => displayOf(definition, row))
}

/** Target ids by owner id, of all owners at once. */
export async function relatedIds(
  db: ReadContext['db'],
  { table, owner, target }: ManyToMany,
  ownerIds: readonly unknown[],
): Promise<Map<string, string[]>> {
  const pairs = await db
    .select({
      owner: sql<string>`${owner}::text`,
      targets: sql<string[]>`array_agg(${target}::text ORDER BY ${target})`,
    })
    .from(table)
    .where(anyOf(owner, ownerIds))
    .groupBy(owner)
  return new Map(pairs.map((pair) => [pair.owner, pair.targets]))
}

function pairsOf(
  question: number,
  { table, owner, target }: ManyToMany,
  owners: readonly unknown[],
  words: MountedResource | undefined,
): SQL {
  const ids = sql`${owner}::text as owner, ${target}::text collate "C" as id`
  if (!words)
    return sql`select ${sql.raw(String(question))} as question, ${ids}, null::text[] as words from ${table} where ${anyOf(owner, owners)}`
  const { table: other } = words.mount
  return sql`select ${sql.raw(String(question))} as question, ${ids}, ${wordsOf(words)} as words from ${table} join ${other} on ${columnOf(other, 'id')} = ${target} where ${anyOf(owner, owners)}`
}

/** A row that the view does not show is left out. */
function pairsInWords(
  question: number,
  { table, owner, target }: ManyToMany,
  { from, text }: RowWords,
  owners: readonly unknown[],
): SQL {
  return sql`select ${sql.raw(String(question))} as question, ${owner}::text as owner, ${target}::text collate "C" as id,
    array[${text}]::text[] as words from ${table} left join ${from} t on t.id = ${target} where ${anyOf(owner, owners)}`
}

function rowsOf(question: number, target: MountedResource, ids: readonly unknown[]): SQL {
  const id = columnOf(target.mount.table, 'id')
  return sql`select ${sql.raw(String(question))} as question, null::text as owner, ${id}::text collate "C" as id, ${wordsOf(target)} as words from ${target.mount.table} where ${anyOf(id, ids)}`
}

const placeholders = ({ display }: ResourceDefinition) =>
  [...display.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** The columns that a display needs. */
function wordsOf({ definition, mount }: MountedResource): SQL {
  const columns = readableColumns(mount)
  const parts = placeholders(definition).map((name) => (columns[name] ? sql`${columns[name]}::text` : sql`null`))
  return sql`array[${sql.join(parts, sql`, `)}]::text[]`
}

/** Writes rows by the display of their resource; empty where none is wanted. */
function writerOf(target: MountedResource | undefined): Question['inWords'] {
  if (!target) return () => ''
  const { definition } = target
  const names = placeholders(definition)
  return (parts) => displayOf(definition, Object.fromEntries(names.map((name, index) => [name, parts?.[index]])))
}
