import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, callerOf } from '../../access/call.ts'
import { AppError, forbidden, invalid, notFound, refused } from '../../errors/app-error.ts'
import { translateError } from '../../errors/translate-error.ts'
import { MAX_IMPORT_ROWS } from '../../files/import-rows.ts'
import type { ReadContext } from '../mount.ts'
import type { MountedResource } from '../registry.ts'
import { createRow, updateRow } from '../write.ts'
import { mayImport } from './may-import.ts'
import { endStale } from './stale.ts'
import { type ImportMode, type ImportStatus, kernelImportJob, kernelImportResult } from './tables.ts'
import { IMPORT_WORK } from './work.ts'

/** Unfinished imports of one person. */
const MAX_UNFINISHED = 2
/** Rows of a preview. */
const MOST_TRIED = 500
/** Results in one answer; the next call asks for those that follow. */
const RESULTS = 1000

export interface ImportProgress {
  id: string
  mode: ImportMode
  status: ImportStatus
  /** Whether no further results will come. */
  finished: boolean
  total: number
  succeeded: number
  failed: number
  /**
   * In the order of the rows; `errors` is the body of the error that a single call would get, null
   * for a row that was stored.
   */
  results: { index: number; errors: unknown }[]
}

/**
 * POST {list}import-jobs/ {mode, rows}: the server stores the rows one by one, as single creates or
 * updates of the caller would. Answers the job's id, and the id by which undo takes all of it back. Throws 400 for rows that are no list of
 * objects or too many, 403 for a mode that the caller may not use.
 */
export async function startImport(
  { definition }: MountedResource,
  body: unknown,
  context: ReadContext,
): Promise<{ id: string; change: string }> {
  const { kernel, db, call, parameters, change } = context
  const { mode, rows } = readImport(definition, body, call)
  const { id: userId } = callerOf(call)
  const unfinished = await db.$count(
    kernelImportJob,
    and(eq(kernelImportJob.user_id, userId), isNull(kernelImportJob.date_finished)),
  )
  if (unfinished >= MAX_UNFINISHED)
    throw new AppError(409, 'conflict', 'Two imports of yours are under way: wait until one of them is done.')
  const [job] = await db
    .insert(kernelImportJob)
    .values({
      user_id: userId,
      org_id: call.org.id,
      resource: definition.name,
      mode,
      // Without the browser session, which may end while the import goes on.
      call: { ...call, sessionId: undefined },
      parameters: { ...parameters },
      rows_sealed: kernel.secrets.seal(JSON.stringify(rows)),
      total: rows.length,
      batch: change?.batch ?? null,
    })
    .returning({ id: kernelImportJob.id })
  if (!job) throw new Error('an import was not stored')
  await kernel.jobs.send(IMPORT_WORK, { job: job.id })
  return { ...job, change: change?.batch ?? job.id }
}

/** Reads the body of an import. Throws 400 and 403 as `startImport` does. */
function readImport(definition: ResourceDefinition, body: unknown, call: Call) {
  const { mode, rows } = readBody(body)
  if (!definition.operations.includes(mode))
    throw refused('bad_request', 'Rows of this list cannot be imported in this way.')
  if (!mayImport(definition, mode, call)) throw forbidden()
  return { mode, rows }
}

/**
 * The writes of an import at once, for a preview: rows that are refused change nothing. Throws what
 * `startImport` does, and 400 for more rows than people wait for.
 */
export async function tryImport(resource: MountedResource, body: unknown, context: ReadContext): Promise<void> {
  const { mode, rows } = readImport(resource.definition, body, context.call)
  if (rows.length > MOST_TRIED) throw refused('no_preview', 'At most 500 rows can be shown beforehand.')
  for (const row of rows)
    try {
      if (mode === 'create') await createRow(resource, row, context)
      else await updateRow(resource, String(row.id ?? ''), 'update', row, context)
    } catch (thrown) {
      if (!(translateError(thrown) instanceof AppError)) throw thrown
    }
}

function readBody(body: unknown): { mode: ImportMode; rows: Record<string, unknown>[] } {
  const { mode, rows } = (body ?? {}) as { mode?: unknown; rows?: unknown }
  if (mode !== 'create' && mode !== 'update') throw invalid({ mode: 'Must be create or update.' })
  if (
    !Array.isArray(rows) ||
    !rows.length ||
    rows.some((row) => typeof row !== 'object' || row === null || Array.isArray(row))
  )
    throw invalid({ rows: 'Expected a list of objects.' })
  if (rows.length > MAX_IMPORT_ROWS) throw invalid({ rows: 'At most 50000 rows in one import.' })
  return { mode, rows }
}

/**
 * GET {list}import-jobs/:job/?after=<index>: the progress, and results of rows after that one.
 * Throws 404 for other people's imports.
 */
export async function importProgress(
  resource: MountedResource,
  request: FastifyRequest,
  context: ReadContext,
): Promise<ImportProgress> {
  const { db } = context
  const id = jobOf(request)
  await endStale(db, id)
  const [job] = await db
    .select()
    .from(kernelImportJob)
    .where(ownJob(resource, id, context))
  if (!job) throw notFound()
  const after = z.coerce.number().int().min(-1).max(MAX_IMPORT_ROWS).catch(-1).parse(context.query.after)
  const [counts] = await db
    .select({
      succeeded: sql<number>`count(*) FILTER (WHERE ${kernelImportResult.errors} IS NULL)::int`,
      all: sql<number>`count(*)::int`,
    })
    .from(kernelImportResult)
    .where(eq(kernelImportResult.job, id))
  const { succeeded = 0, all = 0 } = counts ?? {}
  const results = await db
    .select({ index: kernelImportResult.index, errors: kernelImportResult.errors })
    .from(kernelImportResult)
    .where(and(eq(kernelImportResult.job, id), gt(kernelImportResult.index, after)))
    .orderBy(asc(kernelImportResult.index))
    .limit(RESULTS)
  const { mode, status, total, date_finished } = job
  return {
    id,
    mode,
    status,
    finished: date_finished !== null,
    total,
    succeeded,
    failed: all - succeeded,
    results: results.map(({ index, errors }) => ({ index, errors: errors === null ? null : JSON.parse(errors) })),
  }
}

/**
 * DELETE {list}import-jobs/:job/: stops it; rows that are stored stay. Throws 404 for other
 * people's imports.
 */
export async function stopImport(
  resource: MountedResource,
  request: FastifyRequest,
  context: ReadContext,
): Promise<void> {
  const id = jobOf(request)
  const [job] = await context.db
    .select({ id: kernelImportJob.id })
    .from(kernelImportJob)
    .where(ownJob(resource, id, context))
  if (!job) throw notFound()
  const { status } = kernelImportJob
  await context.db
    .update(kernelImportJob)
    .set({
      status: 'stopped',
      // A worker that is at it sets this itself, after its last result.
      date_finished: sql`CASE WHEN ${status} = 'waiting' THEN now() END`,
      rows_sealed: sql`CASE WHEN ${status} = 'waiting' THEN NULL ELSE ${kernelImportJob.rows_sealed} END`,
    })
    .where(and(eq(kernelImportJob.id, id), sql`${status} IN ('waiting', 'running')`))
}

function jobOf(request: FastifyRequest): string {
  const { job } = request.params as { job: string }
  if (!z.uuid().safeParse(job).success) throw notFound()
  return job
}

/** This person's import into this list in this organization. */
const ownJob = ({ definition }: MountedResource, id: string, { call }: ReadContext) =>
  and(
    eq(kernelImportJob.id, id),
    eq(kernelImportJob.user_id, callerOf(call).id),
    eq(kernelImportJob.org_id, call.org.id),
    eq(kernelImportJob.resource, definition.name),
  )
