import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { and, eq } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { isRoot } from '../access/call.ts'
import type { LinkDifference } from '../audit/audit.ts'
import { AppError, BulkError, invalid } from '../errors/app-error.ts'
import { translateError } from '../errors/translate-error.ts'
import { translate } from '../i18n/translate.ts'
import { anyOf, isId, scopeOf } from './conditions.ts'
import { parseDateTime } from './datetime.ts'
import {
  columnOf,
  isUnaudited,
  type ManyToMany,
  nameInCode,
  type ReadContext,
  readableColumns,
  type StoredRow,
  type WriteContext,
} from './mount.ts'
import { WriteLog } from './operate-log/write-log.ts'
import { getStored } from './read.ts'
import { resolveReferences } from './references.ts'
import type { MountedResource } from './registry.ts'
import { readBody, type WriteMode } from './schema.ts'
import { readShapes, sealShapes } from './shapes.ts'
import { type AfterCommit, inTransaction } from './transaction.ts'

/** More than any client sends; larger imports come in several calls. */
const MAX_BULK_ROWS = 10_000

/** Work that is stored together with the row, or not at all. */
type Alongside = (db: ReadContext['db'], stored: StoredRow) => Promise<unknown>

/** The work of a call that is left once all its rows are stored. */
interface Pending {
  afterCommit: AfterCommit
  log: WriteLog
}

/** Runs writes in a transaction that ends with their rows of the operate log. */
async function writing<T>(
  resource: MountedResource,
  context: ReadContext,
  work: (inside: ReadContext, pending: Pending) => Promise<T>,
): Promise<T> {
  return inTransaction(context, async (inside, afterCommit) => {
    const log = new WriteLog()
    const answer = await work(inside, { afterCommit, log })
    await log.record(resource, inside)
    return answer
  })
}

/** POST of one object. Throws 400 by field; nothing is stored then, nor the work `alongside`. */
export async function createRow<T extends PgTable>(
  resource: MountedResource<T>,
  body: unknown,
  context: ReadContext,
  alongside?: Alongside,
): Promise<StoredRow<T>> {
  return writing(resource, context, async (inside, pending) => {
    const stored = await writeOne(resource, 'create', body, undefined, inside, pending)
    await alongside?.(inside.db, stored)
    return stored
  })
}

/** POST of an array: all or nothing, with errors by row. */
export async function createRows(
  resource: MountedResource,
  bodies: readonly unknown[],
  context: ReadContext,
): Promise<StoredRow[]> {
  return writing(resource, context, (inside, pending) =>
    eachRow(bodies, (body) => writeOne(resource, 'create', body, undefined, { ...inside, bulk: true }, pending)),
  )
}

/**
 * PUT or PATCH of one row, which stays locked meanwhile: of two updates, neither can overwrite half
 * of the other.
 */
export async function updateRow<T extends PgTable>(
  resource: MountedResource<T>,
  id: string,
  mode: 'update' | 'patch',
  body: unknown,
  context: ReadContext,
  alongside?: Alongside,
): Promise<StoredRow<T>> {
  return writing(resource, context, async (inside, pending) => {
    const row = await getStored(resource, id, inside, true)
    const stored = await writeOne(resource, mode, body, row, inside, pending)
    await alongside?.(inside.db, stored)
    return stored
  })
}

/**
 * PUT or PATCH of an array whose items have `id` or `pk`: all or nothing, with errors by row
 * (B7.35).
 */
export async function updateRows(
  resource: MountedResource,
  mode: 'update' | 'patch',
  bodies: readonly unknown[],
  context: ReadContext,
): Promise<StoredRow[]> {
  return writing(resource, context, async (inside, pending) => {
    await lockInOrder(resource, bodies.slice(0, MAX_BULK_ROWS).map(keyOf), inside)
    return eachRow(bodies, async (body) => {
      const key = keyOf(body)
      if (key === undefined || key === null || typeof key === 'object') throw invalid({ id: 'This field is required.' })
      const row = await getStored(resource, String(key), inside, true).catch((error) => {
        throw error instanceof AppError && error.status === 404 ? invalid({ id: 'Not found.' }) : error
      })
      return writeOne(resource, mode, body, row, { ...inside, bulk: true }, pending)
    })
  })
}

function keyOf(body: unknown): unknown {
  const { id, pk } = (body ?? {}) as { id?: unknown; pk?: unknown }
  return id ?? pk
}

/**
 * Locks the rows in one order for all calls: two that name the same rows in different order would
 * wait for each other for ever.
 */
async function lockInOrder(resource: MountedResource, keys: readonly unknown[], context: ReadContext): Promise<void> {
  const { definition, mount } = resource
  const ids = keys
    .flatMap((key) => (typeof key === 'string' || typeof key === 'number' ? String(key) : []))
    .filter((id) => isId(definition, id))
  const id = columnOf(mount.table, 'id')
  await context.db
    .select({ id })
    .from(mount.table)
    .where(and(anyOf(id, ids), scopeOf(resource, context)))
    .orderBy(id)
    .for('update')
}

/**
 * Goes through all rows, in order to report all errors at once. An error of the database ends it,
 * as the transaction is lost then. Throws BulkError, which rolls back.
 */
async function eachRow(bodies: readonly unknown[], write: (body: unknown) => Promise<StoredRow>): Promise<StoredRow[]> {
  if (bodies.length > MAX_BULK_ROWS) throw new AppError(400, 'bad_request', 'At most 10000 rows in one call')
  const errors: (FieldErrors | undefined)[] = bodies.map(() => undefined)
  const rows: StoredRow[] = []
  for (const [index, body] of bodies.entries()) {
    try {
      rows.push(await write(body))
    } catch (thrown) {
      const error = translateError(thrown)
      if (!(error instanceof AppError) || error.status !== 400) throw thrown
      errors[index] = error.fields ?? { non_field_errors: [error.message] }
      if (!(thrown instanceof AppError)) break
    }
  }
  if (errors.some(Boolean)) throw new BulkError(errors)
  return rows
}

async function writeOne<T extends PgTable>(
  resource: MountedResource<T>,
  mode: WriteMode,
  body: unknown,
  row: StoredRow | undefined,
  caller: ReadContext,
  { afterCommit, log }: Pending,
): Promise<StoredRow<T>> {
  const { definition, mount } = resource
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid({ non_field_errors: 'Invalid data. Expected an object.' })
  const sent = body as Record<string, unknown>
  const context = definition.scope === 'org' && isRoot(caller.call) ? await inOrgOfRow(caller, row, sent) : caller
  const { call } = context
  const { values: draft, errors } = readBody(definition, mode, call.language, sent)
  if (Object.keys(errors).length) throw invalid(errors)
  readLocalTimes(definition.fields, draft, call.timeZone, errors, call.language)
  await readShapes(resource, mode, sent, draft, row, context, errors)
  if (mode === 'update') keepWhatPutLeavesAlone(resource, draft, sent)
  if (row) {
    keepNothing(draft, row)
    keepFractions(draft, row)
  }
  await resolveReferences(resource, draft, context, errors)
  if (Object.keys(errors).length) throw invalid(errors)

  const noted: LinkDifference[] = []
  const asked: WriteContext = {
    ...context,
    mode,
    draft,
    body: sent,
    row,
    afterCommit: (work) => afterCommit.push(work),
    note: (change) => noted.push(change),
  }
  for (const rule of mount.rules?.beforeWrite ?? []) await rule(asked)
  const existing = row ? undefined : await mount.rules?.existing?.(asked)
  if (existing) return existing as StoredRow<T>
  const stored = row ? await storeUpdate(resource, row, asked) : await storeCreate(resource, asked)
  const links = await storeRelations(resource, stored.id, asked)
  for (const rule of mount.rules?.afterWrite ?? []) await rule({ ...asked, stored })
  if (!isUnaudited(mount, asked.call)) log.add(resource, asked, stored, [...links, ...noted])
  return stored as StoredRow<T>
}

export const CHOOSE_ORG = 'Choose an organization first: nothing can be created in the root organization.'

/**
 * A write from the root organization runs in the row's own, so that references and rules stay
 * inside that. A new row must say where it belongs, or the write is refused
 * (docs/rules/api.md#writes).
 */
async function inOrgOfRow(
  context: ReadContext,
  row: StoredRow | undefined,
  sent: Readonly<Record<string, unknown>>,
): Promise<ReadContext> {
  const wanted = String(row?.org_id ?? (typeof sent.org_id === 'string' ? sent.org_id.toLowerCase() : ''))
  const name = wanted === ROOT_ORG_ID ? undefined : (await context.kernel.orgNames()).get(wanted)
  if (name === undefined) throw invalid({ org_id: CHOOSE_ORG })
  return { ...context, call: { ...context.call, org: { id: wanted, name } } }
}

/** Reads times without an offset in the client's zone. */
function readLocalTimes(
  fields: Readonly<Record<string, Field>>,
  draft: Record<string, unknown>,
  timeZone: string,
  errors: FieldErrors,
  language: 'cn' | 'en',
): void {
  for (const [name, value] of Object.entries(draft)) {
    if (fields[name]?.type !== 'datetime' || typeof value !== 'string') continue
    const date = parseDateTime(value, timeZone)
    if (date) draft[name] = date
    else errors[name] = [translate(language, 'Datetime has wrong format.')]
  }
}

/**
 * PUT resets missing fields to their default, except relations and fields listed in `keepOnPut`.
 */
function keepWhatPutLeavesAlone(
  { mount }: MountedResource,
  draft: Record<string, unknown>,
  sent: Record<string, unknown>,
): void {
  for (const name of [...Object.keys(mount.relations ?? {}), ...(mount.keepOnPut ?? [])])
    if (!(name in sent)) delete draft[name]
}

/**
 * Forms and files send an empty text for no value: where none is stored, that changes nothing.
 */
function keepNothing(draft: Record<string, unknown>, row: StoredRow): void {
  for (const [name, value] of Object.entries(draft)) if (value === '' && row[name] === null) delete draft[name]
}

/** The wire has whole seconds: a time that is sent back as it was read is the one that is stored. */
function keepFractions(draft: Record<string, unknown>, row: StoredRow): void {
  const secondOf = (date: Date) => Math.floor(date.getTime() / 1000)
  for (const [name, value] of Object.entries(draft)) {
    const stored = row[name]
    if (value instanceof Date && stored instanceof Date && secondOf(value) === secondOf(stored)) draft[name] = stored
  }
}

async function storeCreate(resource: MountedResource, context: WriteContext): Promise<StoredRow> {
  const { definition, mount } = resource
  const { call, draft, db } = context
  const columns = readableColumns(mount)
  const values = columnValues(resource, context)
  if (definition.scope === 'org') values.org_id = call.org.id
  if (mount.owner && definition.scope === 'self') values[nameInCode(mount.owner)] = call.user?.id
  for (const [name, column] of Object.entries(mount.parameters ?? {}))
    values[nameInCode(column)] ??= context.parameters[name]
  // Cut to 30 characters, as clients expect (docs/rules/api.md#writes).
  if ('created_by' in columns && !draft.created_by) values.created_by = call.user?.name.slice(0, 30) ?? 'System'
  const [stored] = await db.insert(mount.table).values(values).returning(columns)
  return stored as StoredRow
}

async function storeUpdate(resource: MountedResource, row: StoredRow, context: WriteContext): Promise<StoredRow> {
  const { mount } = resource
  const columns = readableColumns(mount)
  const values = columnValues(resource, context)
  if (!Object.keys(values).length) return row
  const [stored] = await context.db
    .update(mount.table)
    .set(values)
    .where(eq(columnOf(mount.table, 'id'), row.id))
    .returning(columns)
  return stored as StoredRow
}

/** The draft's stored part: columns by name, secrets sealed. */
function columnValues(
  { definition, mount }: MountedResource,
  { draft, row, kernel }: WriteContext,
): Record<string, unknown> {
  const columns = readableColumns(mount)
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(draft)) {
    if (mount.sealed?.includes(name)) {
      // An empty secret means "leave it": forms never get the stored one to send back.
      if (typeof value === 'string' && value !== '') values[`${name}_sealed`] = kernel.secrets.seal(value)
    } else if (columns[name] && !(value instanceof Date && value === row?.[name])) values[name] = value
  }
  return Object.assign(values, sealShapes(definition, draft, row, kernel.secrets))
}

async function storeRelations(
  { mount }: MountedResource,
  id: unknown,
  { db, draft, row }: WriteContext,
): Promise<LinkDifference[]> {
  const differences: LinkDifference[] = []
  for (const [name, relation] of Object.entries(mount.relations ?? {}))
    if (Array.isArray(draft[name]))
      differences.push({ name, ...(await replaceRelated(db, relation, id, draft[name], !row)) })
  return differences
}

async function replaceRelated(
  db: ReadContext['db'],
  { table, owner, target }: ManyToMany,
  ownerId: unknown,
  targetIds: readonly unknown[],
  isNew: boolean,
): Promise<Omit<LinkDifference, 'name'>> {
  // A new row has no pairs yet; asking would cost an import a query per row.
  const current = isNew ? [] : await db.select({ id: target }).from(table).where(eq(owner, ownerId))
  const have = new Set(current.map((pair) => String(pair.id)))
  const want = new Set(targetIds.map(String))
  const removed = [...have].filter((id) => !want.has(id))
  // New ones first, so that nothing that watches the relation sees it empty in between.
  const added = [...want].filter((id) => !have.has(id))
  if (added.length)
    await db
      .insert(table)
      .values(added.map((id) => ({ [nameInCode(owner)]: ownerId, [nameInCode(target)]: id })))
      .onConflictDoNothing()
  if (removed.length) await db.delete(table).where(and(eq(owner, ownerId), anyOf(target, removed)))
  return { added, removed }
}
