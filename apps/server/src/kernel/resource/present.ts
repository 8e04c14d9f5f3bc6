import { displayOf, type Field, type ResourceDefinition } from '@sallyport/contract/define.ts'
import { getTableName, inArray, sql } from 'drizzle-orm'
import { isRoot } from '../access/call.ts'
import { translate } from '../i18n/translate.ts'
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
      else if (relations.has(name)) row[name] = relations.get(name)?.get(String(stored.id)) ?? []
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

/** Ids of related rows by field, then by owner. */
async function loadRelations(
  { mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  { db }: ReadContext,
): Promise<Map<string, Map<string, string[]>>> {
  const needed = Object.entries(mount.relations ?? {}).filter(
    ([name]) => fields.includes(name) || fields.includes(`${name}_display`) || fields.includes(`${name}_amount`),
  )
  const ids = rows.map((row) => row.id)
  return new Map(await Promise.all(needed.map(async ([name, relation]) => [name, await relatedIds(db, relation, ids)] as const)))
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
    .where(inArray(owner, ownerIds as unknown[]))
    .groupBy(owner)
  return new Map(pairs.map((pair) => [pair.owner, pair.targets]))
}

/** Values of `<ref>_display` and `<refs>_display` fields: how the referenced rows are written in words. And `<refs>_amount`. */
async function loadDisplays(
  { definition, mount }: MountedResource,
  rows: readonly StoredRow[],
  relations: Map<string, Map<string, string[]>>,
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
          rows.map((row) => relations.get(amountOf)?.get(String(row.id))?.length ?? 0),
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
        const idsOf = (row: StoredRow) => relations.get(base)?.get(String(row.id)) ?? []
        const names = await displaysOf(target, rows.flatMap(idsOf), context)
        displays.set(
          name,
          rows.map((row) => idsOf(row).map((id) => names.get(id) ?? '')),
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
  const all = readableColumns(mount.table)
  const id = columnOf(mount.table, 'id')
  const names = [...definition.display.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const columns = Object.fromEntries(['id', ...names].flatMap((name) => (all[name] ? [[name, all[name]]] : [])))
  const rows = await db.select(columns).from(mount.table).where(inArray(id, wanted))
  return new Map(rows.map((row) => [String(row.id), displayOf(definition, row)]))
}

/** The table's name, for messages to developers. */
export function nameOf({ mount }: MountedResource): string {
  return getTableName(mount.table)
}
