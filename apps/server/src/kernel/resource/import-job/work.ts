import { and, eq, sql } from 'drizzle-orm'
import { AppError, invalid } from '../../errors/app-error.ts'
import { refusalBody } from '../../errors/error-handler.ts'
import { translateError } from '../../errors/translate-error.ts'
import { translate } from '../../i18n/translate.ts'
import type { Kernel } from '../../kernel.ts'
import type { ReadContext } from '../mount.ts'
import type { MountedResource } from '../registry.ts'
import { createRow, updateRow } from '../write.ts'
import { endStale } from './stale.ts'
import { type ImportMode, kernelImportJob, kernelImportResult } from './tables.ts'

export const IMPORT_WORK = 'kernel.import'
/** Imports at a time on one node. */
const CONCURRENCY = 2
/** Results are written after so many rows or milliseconds; a stop is noticed then. */
const FLUSH_ROWS = 50
const FLUSH_MS = 500

type Row = Record<string, unknown>
type Result = typeof kernelImportResult.$inferInsert

/** Declares who carries out imports, and who forgets them. */
export function registerImportWork(kernel: Kernel): void {
  kernel.jobs.work<{ job: string }>(IMPORT_WORK, ({ job }) => carryOut(kernel, job), { concurrency: CONCURRENCY })
  kernel.jobs.schedule('kernel.forget_imports', '*/10 * * * *', async () => {
    await endStale(kernel.db)
    await kernel.db.delete(kernelImportJob).where(sql`${kernelImportJob.date_created} < now() - interval '1 day'`)
  })
}

/**
 * Stores the rows in order, each in a transaction of its own and with its own operate log line, as single calls would. Never tried again as a whole: what a
 * broken-off import stored stays stored, and its results tell which rows those are.
 */
async function carryOut(kernel: Kernel, id: string): Promise<void> {
  await endStale(kernel.db, id)
  const [job] = await kernel.db
    .update(kernelImportJob)
    .set({ status: 'running', date_updated: sql`now()` })
    .where(and(eq(kernelImportJob.id, id), eq(kernelImportJob.status, 'waiting')))
    .returning()
  if (!job?.rows_sealed) return
  const resource = kernel.resources.find(job.resource)
  if (!resource) throw new Error(`import into ${job.resource}, which is not mounted`)
  const rows = JSON.parse(kernel.secrets.open(job.rows_sealed)) as Row[]
  const context: ReadContext = { kernel, db: kernel.db, call: job.call, parameters: job.parameters, query: {} }
  let results: Result[] = []
  let flushed = Date.now()
  for (const [index, row] of rows.entries()) {
    results.push({ job: id, index, errors: await errorsOf(resource, job.mode, row, context) })
    if (results.length < FLUSH_ROWS && Date.now() - flushed < FLUSH_MS) continue
    const goOn = await keep(kernel, id, results)
    results = []
    flushed = Date.now()
    if (!goOn) break
  }
  await keep(kernel, id, results)
  await kernel.db
    .update(kernelImportJob)
    .set({
      status: sql`CASE WHEN ${kernelImportJob.status} = 'running' THEN 'done' ELSE ${kernelImportJob.status} END`,
      date_finished: sql`now()`,
      rows_sealed: null,
    })
    .where(eq(kernelImportJob.id, id))
}

/** Writes results and counts together. False when the import was stopped meanwhile. */
function keep({ db }: Kernel, id: string, results: readonly Result[]): Promise<boolean> {
  return db.transaction(async (inside) => {
    const failed = results.filter(({ errors }) => errors !== null).length
    // What a stop has just made known stays written down: the rows are stored.
    if (results.length)
      await inside
        .insert(kernelImportResult)
        .values([...results])
        .onConflictDoNothing()
    const [job] = await inside
      .update(kernelImportJob)
      .set({
        succeeded: sql`${kernelImportJob.succeeded} + ${results.length - failed}`,
        failed: sql`${kernelImportJob.failed} + ${failed}`,
        date_updated: sql`now()`,
      })
      .where(eq(kernelImportJob.id, id))
      .returning({ status: kernelImportJob.status })
    return job?.status === 'running'
  })
}

/** Stores one row; null, or the body of the refusal. A fault is logged and fails its row only. */
async function errorsOf(resource: MountedResource, mode: ImportMode, row: Row, context: ReadContext): Promise<string | null> {
  const { kernel, call } = context
  try {
    if (mode === 'create') await createRow(resource, row, context)
    else await updateRow(resource, idOf(row), 'update', row, context).catch(unknownIsInvalid)
    return null
  } catch (thrown) {
    const error = translateError(thrown)
    if (error instanceof AppError) return JSON.stringify(refusalBody(error, call.language))
    // Not the error itself: drizzle's message holds the parameters, which may be secrets.
    const { name, stack } = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : (thrown as Error)
    kernel.app.log.error({ err: { type: name, stack }, resource: resource.definition.name }, 'an imported row failed')
    return JSON.stringify({ detail: translate(call.language, 'Internal server error'), code: 'internal' })
  }
}

function idOf({ id }: Row): string {
  if (typeof id !== 'string' || id === '') throw invalid({ id: 'This field is required.' })
  return id
}

function unknownIsInvalid(error: unknown): never {
  throw error instanceof AppError && error.status === 404 ? invalid({ id: 'Not found.' }) : error
}
