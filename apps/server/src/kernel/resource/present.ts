import type { Field, ResourceDefinition } from '@sallyport/contract/define.ts'
import { type Call, isRoot } from '../access/call.ts'
import { askAll } from '../database/ask-all.ts'
import { translate } from '../i18n/translate.ts'
import { formatDateTime } from './datetime.ts'
import type { ReadContext, StoredRow } from './mount.ts'
import type { MountedResource } from './registry.ts'
import { loadRelated, type Related } from './related.ts'
import { presentShape } from './shapes.ts'

type WireRow = Record<string, unknown>

/** Everything that was loaded for a page of rows, and the call that asks for them. */
interface Loaded {
  related: Related
  orgNames: ReadonlyMap<string, string> | undefined
  call: Call
}

/** The value of one field of a row; `worked` are its computed values. */
type Cell = (stored: StoredRow, loaded: Loaded, worked: WireRow | undefined) => unknown

/** How rows with certain fields are made. */
interface Plan {
  cells: readonly Cell[]
  /** A row with these values. */
  make(values: readonly unknown[]): WireRow
}

/** By resource and list of fields: of those that are asked for again, the same object comes again. */
const plans = new WeakMap<MountedResource, WeakMap<readonly string[], Plan>>()

/**
 * Stored rows as they are answered, with relations, display texts and computed values loaded for
 * all rows at once. `fields` are the names to answer, in order.
 */
export async function presentRows(
  resource: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<WireRow[]> {
  if (!rows.length) return []
  const { mount } = resource
  const computed = await loadComputed(resource, rows, fields, context)
  const loaded = {
    related: await loadRelated(resource, rows, fields, context),
    orgNames: fields.includes('org_name') ? await orgNamesFor(context) : undefined,
    call: context.call,
  }
  const { cells, make } = planOf(resource, fields)
  return rows.map((stored, index) => {
    const values = new Array<unknown>(cells.length)
    for (let at = 0; at < cells.length; at++) values[at] = cells[at]?.(stored, loaded, computed[index])
    const row = make(values)
    return mount.present ? mount.present(row, stored, context) : row
  })
}

function planOf(resource: MountedResource, fields: readonly string[]): Plan {
  let known = plans.get(resource)
  if (!known) plans.set(resource, (known = new WeakMap()))
  let plan = known.get(fields)
  if (!plan) {
    plan = { cells: fields.map((name) => cellOf(resource, name)), make: rowMaker(fields) }
    known.set(fields, plan)
  }
  return plan
}

/** Lists of keys for which functions are kept. */
const MOST_MAKERS = 500
const makers = new Map<string, Plan['make']>()

/**
 * Makes rows with these keys, by a function of its own for each list of them: set one by one, forty keys
 * make an object that is slow to fill, and twice as slow to write as JSON.
 */
function rowMaker(names: readonly string[]): Plan['make'] {
  const entries = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`).join(', ')
  let make = makers.get(entries)
  if (!make) {
    if (makers.size >= MOST_MAKERS) makers.clear()
    make = new Function('values', `return { ${entries} }`) as Plan['make']
    makers.set(entries, make)
  }
  return make
}

/** Reads a field: computed, from other rows, stored, or the label of a choice, in this order. */
function cellOf(resource: MountedResource, name: string): Cell {
  const { definition, mount } = resource
  const stored = storedCell(definition, name)
  if (!mount.computed?.some((one) => one.fields.includes(name))) return relatedCell(resource, name, stored) ?? stored
  const encode = encoder(definition.fields[name] as Field)
  return (row, loaded, worked) =>
    worked && name in worked ? encode(worked[name], loaded.call) : stored(row, loaded, worked)
}

function storedCell(definition: ResourceDefinition, name: string): Cell {
  const field = definition.fields[name] as Field
  const { shapeBy } = field
  if (shapeBy) return (row) => presentShape(field, row[shapeBy], row[name])
  const encode = encoder(field)
  const otherwise = unstoredCell(definition, name)
  return (row, loaded, worked) => {
    const value = row[name]
    return value === undefined && !(name in row) ? otherwise(row, loaded, worked) : encode(value, loaded.call)
  }
}

/** For fields that rows do not have: `category_display` and `get_category_display` show the label of choice field `category`. */
function unstoredCell({ fields }: ResourceDefinition, name: string): Cell {
  const base = /^(?:get_)?(.+)_display$/.exec(name)?.[1] ?? ''
  const labels = fields[base]?.choices
  if (labels) return (row, { call }) => translate(call.language, labels[String(row[base])] ?? String(row[base] ?? ''))
  return name === 'org_name' ? (row, { orgNames }) => orgNames?.get(String(row.org_id)) ?? '' : () => undefined
}

/**
 * How `<refs>`, `<refs>_amount`, `<refs>_display` and `<ref>_display` get their value; undefined for
 * all other fields. `stored` reads those of resources that are not part of this build.
 */
function relatedCell({ definition, mount }: MountedResource, name: string, stored: Cell): Cell | undefined {
  const pairs = (relation: string, { related }: Loaded, row: StoredRow) =>
    related.relations.get(relation)?.get(String(row.id))
  const isRelation = (base: string) => mount.relations !== undefined && Object.hasOwn(mount.relations, base)
  if (isRelation(name)) return (row, loaded) => pairs(name, loaded, row)?.ids ?? []
  const [, base = '', what] = /^(.+)_(amount|display)$/.exec(name) ?? []
  if (isRelation(base))
    return what === 'amount'
      ? (row, loaded) => pairs(base, loaded, row)?.ids.length ?? 0
      : (row, loaded) => pairs(base, loaded, row)?.words ?? []
  if (what !== 'display' || definition.fields[base]?.type !== 'ref') return undefined
  return (row, loaded, worked) => {
    const words = loaded.related.words.get(base)
    return words ? (words.get(String(row[base])) ?? '') : stored(row, loaded, worked)
  }
}

/** Values as they are answered. */
function encoder(field: Field): (value: unknown, call: Call) => unknown {
  const isNumber = field.type === 'choice' && field.integer
  const isList = field.type === 'refs' || field.type === 'strings' || field.type === 'multichoice'
  return (value, { timeZone }) => {
    if (value === null || value === undefined) return isList ? [] : null
    if (typeof value === 'object' && value instanceof Date) return formatDateTime(value, timeZone)
    return isNumber && typeof value === 'string' ? Number(value) : value
  }
}

/** Outside the root organization all rows belong to the current one. */
async function orgNamesFor({ kernel, call }: ReadContext): Promise<ReadonlyMap<string, string>> {
  return isRoot(call) ? kernel.orgNames() : new Map([[call.org.id, call.org.name]])
}

async function loadComputed(
  { mount }: MountedResource,
  rows: readonly StoredRow[],
  fields: readonly string[],
  context: ReadContext,
): Promise<readonly WireRow[]> {
  const wanted = (mount.computed ?? []).filter((one) => one.fields.some((name) => fields.includes(name)))
  const loaded = await askAll(
    context.db,
    wanted.map((one) => () => one.load(rows, context)),
  )
  const [only] = loaded
  if (loaded.length < 2) return only ?? []
  return rows.map((_, index) => Object.assign({}, ...loaded.map((values) => values[index])))
}
