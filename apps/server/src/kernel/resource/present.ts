import { displayOf, type Field, type ResourceDefinition } from '@sallyport/contract/define.ts'
import { eq, getTableName, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { isRoot } from '../access/call.ts'
import { translate } from '../i18n/translate.ts'
import { anyOf } from './conditions.ts'
import { formatDateTime } from './datetime.ts'
import { columnOf, type ManyToMany, type ReadContext, readableColumns, type StoredRow } from './mount.ts'
import type { MountedResource } from './registry.ts'

type WireRow = Record<string, unknown>

/**
 * Stored rows → what goes out, with relations, display texts and computed values loaded for all rows at once.
 * `fields` are the names to answer, in order.
 */
export async function presentRows(
  resource: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<WireRow[]> {
  if (!rows.length) return []
  const { definition, mount } = resource
  const computed = await loadComputed(resource, rows, fields, context)
  const relations = await loadRelations(resource, rows, fields, context)
  const displays = await loadDisplays(resource, rows, relations, fields, context)
  const orgNames = fields.includes('org_name') ? await orgNamesFor(context) : undefined
  const plan = fields.map((name) => ({ name, field: definition.fields[name] as Field, choices: choicesShownBy(definition, name) }))
  return rows.map((stored, index) => {
    const row: WireRow = {}
    for (const { name, field, choices } of plan) {
      const worked = computed[index]
      if (worked && name in worked) row[name] = encode(worked[name], field, context)
      else if (relations.has(name)) row[name] = relations.get(name)?.ids.get(String(stored.id)) ?? []
      else if (displays.has(name)) row[name] = displays.get(name)?.[index]
      else if (name in stored) row[name] = encode(stored[name], field, context)
      else if (choices)
        row[name] = translate(context.call.language, choices.labels[String(stored[choices.field])] ?? String(stored[choices.field] ?? ''))
      else if (name === 'org_name') row[name] = orgNames?.get(String(stored.org_id)) ?? ''
    }
    return mount.present ? mount.present(row, stored, context) : row
  })
}

/** Outside the root organisation all rows are of the current one. */
async function orgNamesFor({ kernel, call }: ReadContext): Promise<ReadonlyMap<string, string>> {
  return isRoot(call) ? kernel.orgNames() : new Map([[call.org.id, call.org.name]])
}

function encode(value: unknown, field: Field, { call }: ReadContext): unknown {
  if (value instanceof Date) return formatDateTime(value, call.timeZone)
  if (field.type === 'choice' && field.integer && typeof value === 'string') return Number(value)
  return value ?? (field.type === 'refs' || field.type === 'strings' || field.type === 'multichoice' ? [] : null)
}

/** `category_display` and `get_category_display` show the label of choice field `category`. */
function choicesShownBy(
  definition: ResourceDefinition,
  name: string,
): { field: string; labels: Readonly<Record<string, string>> } | undefined {
  const base = /^(?:get_)?(.+)_display$/.exec(name)?.[1]
  const choices = base ? definition.fields[base]?.choices : undefined
  return base && choices ? { field: base, labels: choices } : undefined
}

async function loadComputed(
  { mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<(Record<string, unknown> | undefined)[]> {
  const wanted = (mount.computed ?? []).filter((one) => one.fields.some((name) => fields.includes(name)))
  const loaded = await Promise.all(wanted.map((one) => one.load(rows, context)))
  return rows.map((_, index) => (loaded.length ? Object.assign({}, ...loaded.map((values) => values[index])) : undefined))
}

/** What the rows are related to, for one relation. */
interface Related {
  /** Target ids by owner id. */
  ids: ReadonlyMap<string, string[]>
  /** Targets in words, in the same order, where they are wanted. */
  words: ReadonlyMap<string, string[]> | undefined
}

/** The rows' relations by field: one statement each, for ids and words alike. */
async function loadRelations(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  { kernel, db }: ReadContext,
): Promise<Map<string, Related>> {
  const shown = (name: string) =>
    fields.includes(`${name}_display`) && !mount.computed?.some((one) => one.fields.includes(`${name}_display`))
  const needed = Object.entries(mount.relations ?? {}).filter(
    ([name]) => fields.includes(name) || shown(name) || fields.includes(`${name}_amount`),
  )
  const ids = rows.map((row) => row.id)
  return new Map(
    await Promise.all(
      needed.map(async ([name, relation]) => {
        const to = definition.fields[name]?.to
        const target = to && shown(name) ? kernel.resources.find(to) : undefined
        const related = target
          ? await relatedInWords(db, relation, ids, target)
          : { ids: await relatedIds(db, relation, ids), words: undefined }
        return [name, related] as const
      }),
    ),
  )
}

async function relatedInWords(
  db: ReadContext['db'],
  { table, owner, target }: ManyToMany,
  ownerIds: readonly unknown[],
  { definition, mount }: MountedResource,
): Promise<Related> {
  const pairs = await db
    .select({ ...displayColumns(definition, mount), owner: sql<string>`${owner}::text`, target: sql<string>`${target}::text` })
    .from(table)
    .innerJoin(mount.table, eq(columnOf(mount.table, 'id'), target))
    .where(anyOf(owner, ownerIds))
    .orderBy(target)
  const ids = new Map<string, string[]>()
  const words = new Map<string, string[]>()
  for (const pair of pairs) {
    const key = String(pair.owner)
    const text = displayOf(definition, pair)
    const known = ids.get(key)
    if (known) {
      known.push(String(pair.target))
      words.get(key)?.push(text)
    } else {
      ids.set(key, [String(pair.target)])
      words.set(key, [text])
    }
  }
  return { ids, words }
}

/** What writing a row in words takes, besides its id. */
function displayColumns(definition: ResourceDefinition, { table }: MountedResource['mount']): Record<string, PgColumn> {
  const all = readableColumns(table)
  return Object.fromEntries(
    [...definition.display.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (all[name] ? [[name, all[name] as PgColumn]] : [])),
  )
}

/** Target ids by owner id, of all owners at once. */
export async function relatedIds(
  db: ReadContext['db'],
  { table, owner, target }: ManyToMany,
  ownerIds: readonly unknown[],
): Promise<Map<string, string[]>> {
  const pairs = await db
    .select({ owner: sql<string>`${owner}::text`, targets: sql<string[]>`array_agg(${target}::text ORDER BY ${target})` })
    .from(table)
    .where(anyOf(owner, ownerIds))
    .groupBy(owner)
  return new Map(pairs.map((pair) => [pair.owner, pair.targets]))
}

/** Values of `<ref>_display` and `<refs>_display` fields: how the referenced rows are written in words. And `<refs>_amount`. */
async function loadDisplays(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  relations: Map<string, Related>,
  fields: readonly string[],
  context: ReadContext,
): Promise<Map<string, unknown[]>> {
  const displays = new Map<string, unknown[]>()
  await Promise.all(
    fields.map(async (name) => {
      const amountOf = /^(.+)_amount$/.exec(name)?.[1]
      if (amountOf && relations.has(amountOf)) {
        displays.set(
          name,
          rows.map((row) => relations.get(amountOf)?.ids.get(String(row.id))?.length ?? 0),
        )
        return
      }
      const base = /^(.+)_display$/.exec(name)?.[1]
      const field = base ? definition.fields[base] : undefined
      const target = field?.to ? context.kernel.resources.find(field.to) : undefined
      if (!base || !field || !target || mount.computed?.some((one) => one.fields.includes(name))) return
      if (field.type === 'ref') {
        const names = await displaysOf(
          target,
          rows.map((row) => row[base]),
          context,
        )
        displays.set(
          name,
          rows.map((row) => names.get(String(row[base])) ?? ''),
        )
      } else if (field.type === 'refs' && relations.has(base)) {
        const words = relations.get(base)?.words
        displays.set(
          name,
          rows.map((row) => words?.get(String(row.id)) ?? []),
        )
      }
    }),
  )
  return displays
}

/** Rows of a resource in words, by id. */
export async function displaysOf(
  { definition, mount }: MountedResource,
  ids: readonly unknown[],
  { db }: Pick<ReadContext, 'db'>,
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null && id !== undefined))]
  if (!wanted.length) return new Map()
  const id = columnOf(mount.table, 'id')
  const columns: Record<string, PgColumn> = { ...displayColumns(definition, mount), id }
  const rows = await db.select(columns).from(mount.table).where(anyOf(id, wanted))
  return new Map(rows.map((row) => [String(row.id), displayOf(definition, row)]))
}

/** The table's name, for messages to developers. */
export function nameOf({ mount }: MountedResource): string {
  return getTableName(mount.table)
}
