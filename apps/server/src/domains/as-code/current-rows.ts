import type { Fields } from '@sallyport/contract/define.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import { anyOf, scopeOf } from '../../kernel/resource/conditions.ts'
import { columnOf, type ReadContext, type StoredRow } from '../../kernel/resource/mount.ts'
import { presentRows } from '../../kernel/resource/present.ts'
import { selectRows } from '../../kernel/resource/read.ts'
import { type MountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { asForm, type Form, fieldsInFiles, fieldsOf, isGivenOnce, momentOf } from './form.ts'
import type { Kind } from './kinds.ts'
import { type Names, referencesOf, withReferences } from './names.ts'

/** A row that is there, as files have it. */
export interface Current {
  id: string
  form: Form
  children: readonly Current[]
}

/** The context in which the engine reads and writes for files: nothing of the request's own query. */
export const plainContext = (context: ReadContext): ReadContext => ({ ...context, parameters: {}, query: {} })

export const resourceOf = (context: ReadContext, { definition }: Pick<Kind, 'definition'>): MountedResource =>
  resourcesOf(context.kernel).get(definition.name)

/** Rows of a kind whose first name, or whose id, is among these. */
export async function rowsNamed(
  kind: Kind,
  { names, ids }: { names?: readonly string[]; ids?: readonly string[] },
  context: ReadContext,
  known: Names,
): Promise<Current[]> {
  const resource = resourceOf(context, kind)
  const { table } = resource.mount
  const wanted = names ?? ids ?? []
  if (!wanted.length) return []
  return rowsWhere(kind, anyOf(columnOf(table, names ? (kind.key[0] ?? '') : 'id'), [...wanted]), context, known)
}

/** The same by any condition, in the order of their ids. */
async function rowsWhere(kind: Kind, where: SQL, context: ReadContext, known: Names): Promise<Current[]> {
  const inside = plainContext(context)
  const resource = resourceOf(inside, kind)
  const stored = await selectRows(resource, and(where, scopeOf(resource, inside)), inside)
  const { field = '', listed } = kind.readBy ?? {}
  const shown = await listed?.(inside, [...new Set(stored.map((row) => String(row[field])))])
  const seen: StoredRow[] = shown ? stored.filter((row) => shown.has(String(row[field]))) : stored
  const forms = await formsOf(resource, fieldsOf(kind), seen, inside, known)
  const children = kind.children ? await childrenOf(kind, seen, inside, known) : new Map<string, Current[]>()
  return seen.map((row, at) => {
    const id = String(row.id)
    return { id, form: forms[at] ?? {}, children: children.get(id) ?? [] }
  })
}

/** Columns that tell the organization's own rows from those that come from elsewhere. */
export function ownRows(kind: Kind, context: ReadContext): SQL {
  const { table } = resourceOf(context, kind).mount
  const conditions = Object.entries(kind.own ?? {}).map(([name, value]) => sql`${columnOf(table, name)} = ${value}`)
  if (kind.isTree) conditions.push(sql`${columnOf(table, 'parent_key')} <> ''`)
  return and(...conditions) ?? sql`true`
}

const wanted = new WeakMap<Fields, string[]>()
/** The same list each time, by which the engine knows what it has prepared. */
function readNames(fields: Fields): string[] {
  let names = wanted.get(fields)
  if (!names)
    wanted.set(fields, (names = Object.keys(fields).filter((name) => !isGivenOnce(fields[name] ?? ({} as never)))))
  return names
}

async function formsOf(
  resource: MountedResource,
  fields: Fields,
  rows: readonly StoredRow[],
  context: ReadContext,
  known: Names,
): Promise<Form[]> {
  const asUtc = { ...context, call: { ...context.call, timeZone: 'UTC' } }
  const answered = (await presentRows(resource, rows, readNames(fields), asUtc)).map(asForm)
  const ids = new Map<string, string[]>()
  for (const row of answered) for (const { to, text } of referencesOf(fields, row)) into(ids, to).push(text)
  const names = new Map<string, ReadonlyMap<string, string>>()
  for (const [to, some] of ids) names.set(to, await known.ofIds(to, [...new Set(some)]))
  const forms: Form[] = []
  for (const row of answered) {
    const named = withReferences(fields, row, (to, id) => names.get(to)?.get(id) ?? id)
    const form: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(named))
      if (Object.hasOwn(fields, name)) form[name] = fields[name]?.type === 'datetime' ? momentOrNull(value) : value
    if (resource.definition.name === 'node') form.full_value = await known.pathOf(String(form.full_value))
    forms.push(form)
  }
  return forms
}

/** The list at a key, which is made where there is none. */
function into<T>(lists: Map<string, T[]>, key: string): T[] {
  let list = lists.get(key)
  if (!list) lists.set(key, (list = []))
  return list
}

const momentOrNull = (value: unknown) => (value === null ? null : (momentOf(value) ?? value))

async function childrenOf(
  kind: Kind,
  rows: readonly StoredRow[],
  context: ReadContext,
  known: Names,
): Promise<ReadonlyMap<string, Current[]>> {
  const { children } = kind
  if (!children || !rows.length) return new Map()
  const resource = resourcesOf(context.kernel).get(children.definition.name)
  const { table } = resource.mount
  const owners = anyOf(
    columnOf(table, children.column),
    rows.map(({ id }) => id),
  )
  const order = children.order.map((name) => columnOf(table, name))
  const ids = await context.db
    .select({ id: columnOf(table, 'id') })
    .from(table)
    .where(owners)
    .orderBy(...order)
  const stored = await selectRows(resource, owners, context)
  const byId = new Map<string, StoredRow>(stored.map((row) => [String(row.id), row]))
  const sorted: StoredRow[] = ids.map(({ id }) => byId.get(String(id))).filter((row) => row !== undefined)
  const forms = await formsOf(resource, childFields(kind), sorted, context, known)
  const byOwner = new Map<string, Current[]>()
  for (const [at, row] of sorted.entries()) {
    into(byOwner, String(row[children.column])).push({ id: String(row.id), form: forms[at] ?? {}, children: [] })
  }
  return byOwner
}

const ofChildren = new Map<Kind, Fields>()
export function childFields(kind: Kind): Fields {
  const { children } = kind
  let fields = ofChildren.get(kind)
  if (!fields) {
    fields = children ? fieldsInFiles(children.definition, children.leaves) : {}
    ofChildren.set(kind, fields)
  }
  return fields
}
