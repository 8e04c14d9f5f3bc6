import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { and } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { isRoot } from '../access/call.ts'
import { AppError, BulkError, invalid } from '../errors/app-error.ts'
import { translateError } from '../errors/translate-error.ts'
import { anyOf, isId, scopeOf } from './conditions.ts'
import { columnOf, type ReadContext, type StoredRow } from './mount.ts'
import { WriteLog } from './operate-log/write-log.ts'
import { getStored } from './read.ts'
import type { MountedResource } from './registry.ts'
import { readBody, type WriteMode } from './schema.ts'
import { createInBatches } from './store/batches.ts'
import { finish, type Pending, type Prepared, prepare } from './store/prepare.ts'
import { storeRelations } from './store/relations.ts'
import { storeCreated, storeUpdated } from './store/rows.ts'
import { inTransaction } from './transaction.ts'

/** More than any client sends; larger imports come in several calls. */
const MAX_BULK_ROWS = 10_000

/** Work that is stored together with the row, or not at all. */
type Alongside = (db: ReadContext['db'], stored: StoredRow) => Promise<unknown>

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
  refuseUnreadable(resource, body, context)
  return writing(resource, context, async (inside, pending) => {
    const stored = await writeOne(resource, 'create', body, undefined, inside, pending)
    await alongside?.(inside.db, stored)
    return stored
  })
}

/**
 * Refuses without a transaction a body that is wrong by itself. In the root organization the first
 * question is which organization is meant.
 */
function refuseUnreadable({ definition }: Pick<MountedResource, 'definition'>, body: unknown, { call }: ReadContext) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  if (definition.scope === 'org' && isRoot(call)) return
  const { errors } = readBody(definition, 'create', call.language, body as Record<string, unknown>)
  if (Object.keys(errors).length) throw invalid(errors)
}

/** POST of an array: all or nothing, with errors by row. */
export async function createRows(
  resource: MountedResource,
  bodies: readonly unknown[],
  context: ReadContext,
): Promise<StoredRow[]> {
  return writing(resource, context, async (inside, pending) => {
    const caller = { ...inside, bulk: true }
    const isInBatches = resource.mount.storedInBatches && bodies.length > 1 && bodies.length <= MAX_BULK_ROWS
    const stored = isInBatches ? await createInBatches(resource, bodies, caller, pending) : undefined
    return stored ?? eachRow(bodies, (body) => writeOne(resource, 'create', body, undefined, caller, pending))
  })
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
  pending: Pending,
): Promise<StoredRow<T>> {
  const prepared = await prepare(resource, mode, body, row, caller, pending)
  if (prepared.existing) return prepared.existing as StoredRow<T>
  return (await store(resource, prepared, pending)) as StoredRow<T>
}

async function store(resource: MountedResource, prepared: Prepared, pending: Pending): Promise<StoredRow> {
  const { context } = prepared
  const stored = context.row
    ? await storeUpdated(resource, context.row, context)
    : ((await storeCreated(resource, [context]))[0] as StoredRow)
  const [links = []] = await storeRelations(resource, [{ id: stored.id, context }])
  await finish(resource, prepared, stored, links, pending)
  return stored
}
