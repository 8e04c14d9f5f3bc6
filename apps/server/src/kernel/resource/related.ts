import { displayOf } from '@sallyport/contract/define.ts'
import { type Param, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { writtenOnce } from '../database/statements/written-once.ts'
import type { Kernel } from '../kernel.ts'
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
  /** Whether it asks for the rows of a relation, rather than those that a `ref` field names. */
  isRelation: boolean
  sql: SQL
}

type Found = Record<'id' | 'words', string> & { question: number; owner: string | null }

/** The questions about rows with certain fields, in one statement. */
interface Asking {
  questions: readonly Question[]
  ask: ReturnType<typeof writtenOnce<Found>>
}

/** By resource and list of fields: of those that are asked for again, the same object comes again. */
const askings = new WeakMap<MountedResource, WeakMap<readonly string[], Asking | undefined>>()

/**
 * Loads everything of other rows that the wanted fields need (`nodes`, `nodes_display`,
 * `nodes_amount`, `domain_display`) in one statement, since each costs a round trip to PostgreSQL.
 */
export async function loadRelated(
  resource: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  { kernel, db }: ReadContext,
): Promise<Related> {
  const relations = new Map<string, Map<string, { ids: string[]; words: string[] }>>()
  const words = new Map<string, Map<string, string>>()
  const asking = askingFor(resource, fields, kernel)
  if (!asking) return { relations, words }
  const values: Record<string, unknown[]> = {}
  let isAsked = false
  for (const { name, isRelation } of asking.questions) {
    if (isRelation) {
      relations.set(name, new Map())
      values[OWNERS] ??= rows.map((row) => row.id)
    } else {
      words.set(name, new Map())
      values[name] = distinct(rows, name)
    }
    isAsked ||= isRelation || values[name]?.length !== 0
  }
  if (!isAsked) return { relations, words }
  for (const { question, owner, id, words: text } of await asking.ask(db, values)) {
    const { name } = asking.questions[question] as Question
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

/** The value for the ids of all rows; no field has a name with a blank. */
const OWNERS = 'all rows'

function distinct(rows: readonly StoredRow[], name: string): unknown[] {
  const values = new Set<unknown>()
  for (const row of rows) {
    const value = row[name]
    if (value !== null && value !== undefined) values.add(value)
  }
  return [...values]
}

function askingFor(resource: MountedResource, fields: readonly string[], kernel: Kernel): Asking | undefined {
  let known = askings.get(resource)
  if (!known) askings.set(resource, (known = new WeakMap()))
  if (!known.has(fields)) known.set(fields, makeAsking(resource, fields, kernel))
  return known.get(fields)
}

/** Undefined where the fields need nothing of other rows. */
function makeAsking(
  { definition, mount }: MountedResource,
  fields: readonly string[],
  kernel: Kernel,
): Asking | undefined {
  const isShown = (name: string) =>
    fields.includes(`${name}_display`) && !mount.computed?.some((one) => one.fields.includes(`${name}_display`))
  const targetOf = (name: string) => {
    const to = isShown(name) ? definition.fields[name]?.to : undefined
    return to ? resourcesOf(kernel).find(to) : undefined
  }
  const questions: Question[] = []
  const owners = sql.placeholder(OWNERS)
  for (const [name, relation] of Object.entries(mount.relations ?? {})) {
    if (!fields.includes(name) && !isShown(name) && !fields.includes(`${name}_amount`)) continue
    const asked =
      relation.words && isShown(name)
        ? pairsInWords(questions.length, relation, relation.words, owners)
        : pairsOf(questions.length, relation, owners, targetOf(name))
    questions.push({ name, isRelation: true, sql: asked })
  }
  for (const [name, field] of Object.entries(definition.fields)) {
    const target = field.type === 'ref' && field.by !== 'name' ? targetOf(name) : undefined
    if (target)
      questions.push({ name, isRelation: false, sql: rowsOf(questions.length, target, sql.placeholder(name)) })
  }
  if (!questions.length) return undefined
  const asked = sql.join(
    questions.map((one) => one.sql),
    sql` union all `,
  )
  return { questions, ask: writtenOnce<Found>(sql`${asked} order by 1, 3`) }
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
  const asked = wanted.map(({ target, ids }, question) => rowsOf(question, target, sql.param(ids)))
  const { rows } = await db.execute<Found>(sql.join(asked, sql` union all `))
  for (const { question, id, words } of rows) {
    const target = wanted[question]?.target
    if (target) displays.get(target.definition.name)?.set(id, words)
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

/** Several ids in a statement: a value, or the place of one. */
type Ids = Placeholder | Param

function pairsOf(
  question: number,
  { table, owner, target }: ManyToMany,
  owners: Ids,
  shown: MountedResource | undefined,
): SQL {
  const ids = sql`${owner}::text as owner, ${target}::text collate "C" as id`
  if (!shown)
    return sql`select ${sql.raw(String(question))} as question, ${ids}, '' as words from ${table} where ${owner} = ANY(${owners})`
  const { table: other } = shown.mount
  return sql`select ${sql.raw(String(question))} as question, ${ids}, ${wordsOf(shown)} as words from ${table} join ${other} on ${columnOf(other, 'id')} = ${target} where ${owner} = ANY(${owners})`
}

/** A row that the view does not show is without words. */
function pairsInWords(
  question: number,
  { table, owner, target }: ManyToMany,
  { from, text }: RowWords,
  owners: Ids,
): SQL {
  return sql`select ${sql.raw(String(question))} as question, ${owner}::text as owner, ${target}::text collate "C" as id,
    coalesce((${text})::text, '') as words from ${table} left join ${from} t on t.id = ${target} where ${owner} = ANY(${owners})`
}

function rowsOf(question: number, target: MountedResource, ids: Ids): SQL {
  const id = columnOf(target.mount.table, 'id')
  return sql`select ${sql.raw(String(question))} as question, null::text as owner, ${id}::text collate "C" as id, ${wordsOf(target)} as words from ${target.mount.table} where ${id} = ANY(${ids})`
}

/** The display of a resource as an expression on its columns; placeholders without a column are empty. */
function wordsOf({ definition, mount }: MountedResource): SQL {
  const columns = readableColumns(mount)
  // Text and names of placeholders in turn.
  const parts = definition.display.split(/\{(\w+)\}/).flatMap((part, index) => {
    if (index % 2 === 0) return part ? [sql`${part}::text`.inlineParams()] : []
    return columns[part] ? [sql`${columns[part]}::text`] : []
  })
  return parts.length ? sql`concat(${sql.join(parts, sql`, `)})` : sql`''`
}
