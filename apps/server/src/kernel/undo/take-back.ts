import { and } from 'drizzle-orm'
import { type Call, isRoot, isSuperAdmin } from '../access/call.ts'
import { may } from '../access/guard.ts'
import type { FieldChange } from '../audit/audit.ts'
import type { Database } from '../database/database.ts'
import { AppError, BulkError, forbidden, notFound } from '../errors/app-error.ts'
import { anyOf, scopeOf } from '../resource/conditions.ts'
import { deleteRowsById } from '../resource/delete.ts'
import { endsWith } from '../resource/deletion.ts'
import { columnOf, type ReadContext, readableColumns, type StoredRow } from '../resource/mount.ts'
import { WriteLog } from '../resource/operate-log/write-log.ts'
import { presentAll } from '../resource/read.ts'
import type { MountedResource } from '../resource/registry.ts'
import { inTransaction } from '../resource/transaction.ts'
import { updateRow, updateRows } from '../resource/write.ts'
import { fieldOfColumn, relationOfTable, tableOf } from './fields-of-rows.ts'
import { isSame, type NetRow } from './net-rows.ts'
import { carryOutPlan, type Plan, planOf } from './planned-rows.ts'
import { currentRows, type KeptTable } from './row-images.ts'

/** An object with the rows that are to be taken back. */
export interface KeptObject {
  resource: MountedResource
  id: string
  /** As people know it, and where it belongs. */
  words: string
  orgId: string
  /** Whether the caller made the change. */
  isOwn: boolean
  rows: readonly NetRow[]
  /** The changes of the operate log, turned round: for what the engine does not log by itself. */
  inverted: readonly FieldChange[]
}

/** The outcome for one object. */
export interface TakenBack {
  object: KeptObject
  /** Fields that have changed since. */
  conflicts: readonly string[]
  /** In English, to be translated, with what fills them. */
  notes: readonly { text: string; values?: Readonly<Record<string, unknown>> }[]
}

type Tables = ReadonlyMap<string, KeptTable>
export type Kind = 'created' | 'deleted' | 'updated'

/** The effect of the change on the object itself. */
export function kindOf({ resource, id, rows }: Pick<KeptObject, 'resource' | 'id' | 'rows'>): Kind {
  const own = rows.find(({ table, key }) => table === tableOf(resource) && String(key.id) === id)
  return own && !own.before ? 'created' : own && !own.after ? 'deleted' : 'updated'
}

/** Whether the caller may do by hand what takes it back. */
export const mayTakeBack = (object: KeptObject, { call }: ReadContext): boolean =>
  mayWrite(object, call) || isOnesOwn(object, call)

function mayWrite(object: KeptObject, call: Call): boolean {
  const { permission } = object.resource.definition
  const words = { created: permission.destroy, deleted: permission.create, updated: permission.update }[kindOf(object)]
  return may(words ?? permission.write, call)
}

/** Whether it is no more than what people change about themselves. */
function isOnesOwn({ resource, id, isOwn, rows }: KeptObject, call: Call): boolean {
  const own = resource.mount.undo?.own
  if (!own || !isOwn || id !== call.user?.id) return false
  const isTheirs = ({ table, before, after }: NetRow) =>
    table === tableOf(resource)
      ? before && after && Object.keys({ ...before, ...after }).every((column) => own.columns.includes(column))
      : own.tables.includes(table)
  return rows.every(isTheirs)
}

const conflict = (text: string, values: Readonly<Record<string, unknown>> = {}) =>
  new AppError(409, 'conflict', text, { values })

/**
 * Takes changes of objects of one resource back, within the caller's transaction, by the rules of
 * any change. Rows of the operate log are written as for any other.
 * @param keep names of fields that stay as they are now
 * @throws AppError 403 without the right to do the same by hand; 404 for what the caller does not
 *   see; 409 where it is gone, or there again; 400 where a rule of the resource refuses it
 */
export async function takeBack(
  objects: readonly KeptObject[],
  tables: Tables,
  context: ReadContext,
  keep: ReadonlySet<string> = new Set(),
): Promise<TakenBack[]> {
  const done: TakenBack[] = []
  for (const [parameters, some] of await byParameters(objects, tables, context))
    done.push(...(await takeBackThere(some, tables, { ...context, parameters, query: {}, repeated: {} }, keep)))
  return done
}

/** Objects by their place: rows of several filters may be part of one change. */
async function byParameters(
  objects: readonly KeptObject[],
  tables: Tables,
  context: ReadContext,
): Promise<[Record<string, string>, KeptObject[]][]> {
  const places = new Map<string, [Record<string, string>, KeptObject[]]>()
  for (const object of objects) {
    const parameters = await parametersOf(object, tables, context)
    const key = JSON.stringify(parameters)
    const known = places.get(key)
    if (known) known[1].push(object)
    else places.set(key, [parameters, [object]])
  }
  return [...places.values()]
}

async function takeBackThere(
  objects: readonly KeptObject[],
  tables: Tables,
  inside: ReadContext,
  keep: ReadonlySet<string>,
): Promise<TakenBack[]> {
  const done = await putLinksBack(objects, tables, inside, keep)
  const apart = new Set(done.map(({ object }) => object))
  const kinds = Map.groupBy(
    objects.filter((object) => !apart.has(object)),
    kindOf,
  )
  for (const [kind, work] of WORK) {
    const some = kinds.get(kind)
    if (!some) continue
    if (!some.every((object) => mayTakeBack(object, inside))) throw forbidden()
    done.push(...(await work(some, tables, inside, keep)))
  }
  return done
}

type Work = (
  objects: readonly KeptObject[],
  tables: Tables,
  context: ReadContext,
  keep: ReadonlySet<string>,
) => Promise<TakenBack[]>

const WORK: readonly (readonly [Kind, Work])[] = [
  ['deleted', restore],
  ['updated', putBack],
  ['created', remove],
]

/** Values of the route's parameters, for rows that are reached through another one. */
async function parametersOf(
  { resource, id, rows }: KeptObject,
  tables: Tables,
  { db }: ReadContext,
): Promise<Record<string, string>> {
  const columns = Object.entries(resource.mount.parameters ?? {})
  if (!columns.length) return {}
  const main = tableOf(resource)
  const own = rows.find(({ table }) => table === main)
  // Kept of a row that was changed are only the columns that differ.
  const now = (await currentRows(db, tables.get(main) as KeptTable, [{ id }])).get(0)
  const image = { ...own?.after, ...own?.before, ...now }
  return Object.fromEntries(columns.map(([name, column]) => [name, String(image[column.name] ?? '')]))
}

const rowsOf = (objects: readonly KeptObject[]) => [...new Set(objects.flatMap(({ rows }) => rows))]
const idsOf = (objects: readonly KeptObject[]) => objects.map(({ id }) => id)
const resourceOf = ([first]: readonly KeptObject[]) => (first as KeptObject).resource

/** Rows as they are stored now, locked, in the order of the objects. */
async function storedNow(objects: readonly KeptObject[], context: ReadContext): Promise<StoredRow[]> {
  const resource = resourceOf(objects)
  const { mount } = resource
  const id = columnOf(mount.table, 'id')
  const found: StoredRow[] = await context.db
    .select(readableColumns(mount))
    .from(mount.table)
    .where(and(anyOf(id, idsOf(objects)), scopeOf(resource, context)))
    .orderBy(id)
    .for('update')
  const byId = new Map(found.map((row) => [String(row.id), row]))
  return objects.map(({ id, words }) => {
    const row = byId.get(id)
    if (row) return row
    throw conflict('{{name}} is no longer there: take its deletion back first.', { name: words })
  })
}

function outcome(object: KeptObject, plan: Plan, more: TakenBack['notes'] = []): TakenBack {
  const own = new Set(object.rows)
  const lost = plan.lost.filter((row) => own.has(row)).length
  const notes = [...more]
  if (lost)
    notes.push({ text: '{{count}} links do not come back: what they lead to is gone.', values: { count: lost } })
  if (plan.stays.some((row) => own.has(row)))
    notes.push({ text: 'A secret has been changed since. It stays as it is.' })
  const conflicts = plan.conflicts.filter(({ row }) => own.has(row)).flatMap(({ fields }) => fields)
  return { object, conflicts: [...new Set(conflicts)], notes }
}

// ---------------------------------------------------------------- apart: links that put it out of sight

async function putLinksBack(
  objects: readonly KeptObject[],
  tables: Tables,
  context: ReadContext,
  keep: ReadonlySet<string>,
): Promise<TakenBack[]> {
  const resource = resourceOf(objects)
  const found = await resource.mount.undo?.apart?.(context, objects)
  const some = objects.filter(({ id }) => found?.ids.has(id))
  if (!found || !some.length) return []
  if (!some.every((object) => mayTakeBack(object, context))) throw forbidden()
  const plan = await planOf(context.db, tables, resource, rowsOf(some), keep)
  await carryOutPlan(context.db, tables, plan)
  await found.afterwards()
  await logRest(some, undefined, new Set(), context)
  return some.map((object) => outcome(object, plan))
}

// ---------------------------------------------------------------- updated: as it was before

async function putBack(
  objects: readonly KeptObject[],
  tables: Tables,
  context: ReadContext,
  keep: ReadonlySet<string>,
): Promise<TakenBack[]> {
  const resource = resourceOf(objects)
  const { db } = context
  const stored = await storedNow(objects, context)
  const special = await takenBackByResource(objects, stored, context)
  const left = objects.filter((object) => !special.has(object))
  const plan = await planOf(db, tables, resource, rowsOf(left), keep)
  const bodies = await wireDifferences(left, plan, tables, context)
  const written = new Set(bodies.map(({ id }) => String(id)))
  const { own } = resource.mount.undo ?? {}
  if (bodies.length && own && !objects.every((object) => mayWrite(object, context.call)))
    for (const { id: _, ...body } of bodies) await own.save(context, body)
  else if (bodies.length) await patch(resource, bodies, context, objects)
  const rest = restOf(plan, left, bodies)
  const mayPut = left.every((object) => isTrusted(object, context))
  const isRest = rest.removals.length + rest.inserts.length + rest.sets.length > 0
  if (isRest && !mayPut && !bodies.length && !special.size) throw forbidden(NOT_TRUSTED)
  if (mayPut) await carryOutPlan(db, tables, rest)
  await resource.mount.undo?.afterwards?.(context, rowsOf(left))
  await logRest(left, mayPut ? plan : undefined, written, context)
  await logRest([...special], undefined, new Set(), context)
  const notes = isRest && !mayPut ? [{ text: NOT_TRUSTED }] : []
  return objects.map((object) => outcome(object, plan, notes))
}

const NOT_TRUSTED = 'A system administrator, or the person who made the change, can put all of it back.'

/**
 * The part that is no field of the API: secrets as they were sealed, and columns that rules had
 * written. Fields that the engine was given are not written once more: a rule may have refused some.
 */
function restOf(plan: Plan, objects: readonly KeptObject[], bodies: readonly Record<string, unknown>[]): Plan {
  const given = new Set(bodies.flatMap((body) => Object.keys(body)))
  const { resource } = objects[0] ?? {}
  if (!resource || !given.size) return plan
  const isLeft = ({ table }: { table: string }) => !given.has(relationOfTable(resource, table) ?? '')
  return {
    ...plan,
    inserts: plan.inserts.filter(isLeft),
    removals: plan.removals.filter(isLeft),
    sets: plan.sets
      .map(({ table, key, values }) => ({
        table,
        key,
        values: Object.fromEntries(
          Object.entries(values).filter(
            ([column]) => column.endsWith('_sealed') || !given.has(fieldOfColumn(resource, table, column) ?? ''),
          ),
        ),
      }))
      .filter(({ values }) => Object.keys(values).length),
  }
}

async function takenBackByResource(
  objects: readonly KeptObject[],
  stored: readonly StoredRow[],
  context: ReadContext,
): Promise<ReadonlySet<KeptObject>> {
  const done = new Set<KeptObject>()
  const { mount, ...resource } = resourceOf(objects)
  if (!mount.undo?.putBack) return done
  for (const [at, object] of objects.entries()) {
    const own = object.rows.find(
      ({ table, key }) => table === tableOf({ ...resource, mount }) && String(key.id) === object.id,
    )
    if (own?.before && (await mount.undo.putBack(context, stored[at] as StoredRow, own.before))) done.add(object)
  }
  return done
}

/** The fields that differ on the wire from what they were: what a client would send to get there. */
async function wireDifferences(
  objects: readonly KeptObject[],
  plan: Plan,
  tables: Tables,
  context: ReadContext,
): Promise<Record<string, unknown>[]> {
  if (!objects.length) return []
  const resource = resourceOf(objects)
  const { fields, operations } = resource.definition
  if (!operations.includes('update') && !operations.includes('partial_update')) return []
  const now = await presentAll(resource, await storedNow(objects, context), context)
  const then = await triedOut(context.db, async (db) => {
    const inside = { ...context, db }
    await carryOutPlan(db, tables, plan)
    return presentAll(resource, await storedNow(objects, inside), inside)
  })
  return objects.flatMap(({ id }, at) => {
    const differing = Object.entries(then[at] ?? {}).filter(
      ([name, value]) => name !== 'id' && fields[name] && !fields[name].readOnly && !isSame(value, now[at]?.[name]),
    )
    return differing.length ? [{ id, ...Object.fromEntries(differing) }] : []
  })
}

/** Work in a transaction that is taken back. */
export async function triedOut<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  const done: { answer?: T } = {}
  const back = new Error('taken back')
  try {
    await db.transaction(async (tx) => {
      done.answer = await work(tx)
      throw back
    })
  } catch (thrown) {
    if (thrown !== back) throw thrown
  }
  return done.answer as T
}

async function patch(
  resource: MountedResource,
  bodies: readonly Record<string, unknown>[],
  context: ReadContext,
  objects: readonly KeptObject[],
): Promise<void> {
  const [first] = bodies
  if (bodies.length === 1 && first) {
    const { id, ...body } = first
    await updateRow(resource, String(id), 'patch', body, context)
    return
  }
  try {
    await updateRows(resource, 'patch', bodies, context)
  } catch (thrown) {
    if (!(thrown instanceof BulkError)) throw thrown
    const at = thrown.rows.findIndex(Boolean)
    const name = objects.find(({ id }) => id === bodies[at]?.id)?.words ?? ''
    const [text = ''] = Object.values(thrown.rows[at] ?? {}).flat()
    throw conflict('{{name}}: {{reason}}', { name, reason: text })
  }
}

/** Rows of the operate log for what the engine has not written by itself. */
async function logRest(
  objects: readonly KeptObject[],
  plan: Plan | undefined,
  written: ReadonlySet<string>,
  { kernel, db, call }: ReadContext,
): Promise<void> {
  const operations = objects.flatMap(({ resource, id, words, orgId, inverted, rows }) => {
    const keys = new Set(rows.map(({ table, key }) => `${table} ${JSON.stringify(key)}`))
    const isOwn = ({ table, key }: { table: string; key: unknown }) => keys.has(`${table} ${JSON.stringify(key)}`)
    const isSecretSet = plan?.sets.some(
      (one) => isOwn(one) && Object.keys(one.values).some((name) => name.endsWith('_sealed')),
    )
    const changes = written.has(id) ? inverted.filter(({ is_secret }) => is_secret && isSecretSet) : inverted
    if (!changes.length) return []
    return [
      {
        action: 'update' as const,
        resourceType: resource.definition.label,
        resource: words,
        orgId,
        object: { type: resource.definition.name, id },
        changes,
      },
    ]
  })
  if (operations.length) await kernel.audit.record(db, call, operations)
}

// ---------------------------------------------------------------- deleted: comes back

/**
 * Whether rows may be written as they were, beside the rules. Who administers an organization may
 * have all of its rows so. People and what else is of all organizations have more rights than their
 * administrator there may give: their rows are put back by a system administrator, or by who made
 * the change and so had the right to it.
 */
function isTrusted({ resource, isOwn }: KeptObject, { call }: ReadContext): boolean {
  return resource.definition.scope !== 'global' || isOwn || isSuperAdmin(call)
}

async function restore(objects: readonly KeptObject[], tables: Tables, context: ReadContext): Promise<TakenBack[]> {
  const resource = resourceOf(objects)
  if (!objects.every((object) => isTrusted(object, context)))
    throw forbidden('A system administrator, or the person who deleted it, can bring it back.')
  const { db } = context
  const main = tableOf(resource)
  const there = await currentRows(
    db,
    tables.get(main) as KeptTable,
    objects.map(({ id }) => ({ id })),
  )
  for (const at of there.keys()) throw conflict('{{name}} is there again.', { name: objects[at]?.words })
  const plan = await planOf(db, tables, resource, rowsOf(objects), new Set())
  const returning = new Set(plan.inserts.filter(({ table }) => table === main).map(({ image }) => String(image.id)))
  for (const { id, words } of objects)
    if (!returning.has(id))
      throw conflict('{{name}} cannot come back: what it belongs to is gone. Take that back first.', { name: words })
  await carryOutPlan(db, tables, plan, main)
  const stored = await storedNow(objects, context).catch(() => {
    throw notFound()
  })
  await inTransaction(context, async (inside, afterCommit) => {
    const log = new WriteLog()
    for (const row of stored) {
      const { call } = inside
      const org = String(row.org_id ?? call.org.id)
      const written = {
        ...inside,
        call: isRoot(call) && row.org_id ? { ...call, org: { id: org, name: '' } } : call,
        mode: 'patch' as const,
        draft: {},
        body: {},
        row,
        stored: row,
        afterCommit: (work: () => Promise<void> | void) => void afterCommit.push(work),
        note: () => {},
      }
      for (const rule of resource.mount.rules?.beforeWrite ?? []) await rule(written)
      for (const rule of resource.mount.rules?.afterWrite ?? []) await rule(written)
      log.add(resource, { draft: {}, row: undefined, call: inside.call }, row, linksOf(resource, row, plan))
    }
    await log.record(resource, inside)
  })
  return objects.map((object) => outcome(object, plan))
}

/** Rows to which one that comes back is linked again. */
function linksOf(resource: MountedResource, { id }: StoredRow, { inserts }: Plan) {
  return Object.entries(resource.mount.relations ?? {}).flatMap(([name, { owner, target }]) => {
    if (resource.definition.fields[name]?.readOnly) return []
    const added = inserts
      .filter(
        ({ table, image }) => relationOfTable(resource, table) === name && String(image[owner.name]) === String(id),
      )
      .map(({ image }) => String(image[target.name]))
    return added.length ? [{ name, added, removed: [] }] : []
  })
}

// ---------------------------------------------------------------- created: goes

async function remove(objects: readonly KeptObject[], tables: Tables, context: ReadContext): Promise<TakenBack[]> {
  const resource = resourceOf(objects)
  const stored = await storedNow(objects, context)
  const images = await currentRows(
    context.db,
    tables.get(tableOf(resource)) as KeptTable,
    objects.map(({ id }) => ({ id })),
  )
  const ends = await endsWith(
    resource,
    stored.map(({ id }) => id),
    context,
  )
  await deleteRowsById(resource, idsOf(objects), context)
  const notes = ends.map(({ label, how, amount }) => ({
    text: how === 'deleted' ? 'Deleted with it: {{label}} ({{count}})' : 'Loses its link to it: {{label}} ({{count}})',
    values: { label, count: amount },
  }))
  return objects.map((object, at) => {
    const own = object.rows.find(({ table, key }) => table === tableOf(resource) && String(key.id) === object.id)
    const conflicts = Object.entries(own?.after ?? {}).flatMap(([column, value]) => {
      const field = fieldOfColumn(resource, tableOf(resource), column)
      return field && !isSame(images.get(at)?.[column], value) ? [field] : []
    })
    return { object, conflicts, notes: at === 0 ? notes : [] }
  })
}
