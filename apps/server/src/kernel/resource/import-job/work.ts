import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { AppError, invalid } from '../../errors/app-error.ts'
import { refusalBody } from '../../errors/error-handler.ts'
import { inSources } from '../../errors/source-places.ts'
import { translateError } from '../../errors/translate-error.ts'
import { translate } from '../../i18n/translate.ts'
import type { Kernel } from '../../kernel.ts'
import type { ReadContext } from '../mount.ts'
import { type MountedResource, resourcesOf } from '../registry.ts'
import { createRow, updateRow } from '../write.ts'
import { mayImport } from './may-import.ts'
import { endStale } from './stale.ts'
import { type ImportMode, kernelImportJob, kernelImportResult } from './tables.ts'

export const IMPORT_WORK = 'kernel.import'
/** Imports at a time on one node. */
const CONCURRENCY = 2
/** How often a worker reports that it is alive and checks whether the import was stopped. */
const BEAT_MS = 500

type Row = Record<string, unknown>

/** Declares the jobs that carry out imports and delete old ones. */
export function registerImportWork(kernel: Kernel): void {
  let closing = false
  kernel.app.addHook('onClose', async () => {
    closing = true
  })
  kernel.jobs.work<{ job: string }>(IMPORT_WORK, ({ job }) => carryOut(kernel, job, () => closing), {
    concurrency: CONCURRENCY,
  })
  kernel.jobs.schedule(
    { name: 'kernel.forget_imports', cron: '*/10 * * * *', title: 'Forget finished imports' },
    async () => {
      await endStale(kernel.db)
      await kernel.db.delete(kernelImportJob).where(sql`${kernelImportJob.date_created} < now() - interval '1 day'`)
    },
  )
}

/**
 * Stores the rows in order, each in a transaction of its own together with its result, as single
 * calls would. Never tried again as a whole: what an interrupted import stored stays, and its
 * results tell exactly which rows those are.
 */
async function carryOut(kernel: Kernel, id: string, isClosing: () => boolean): Promise<void> {
  await endStale(kernel.db, id)
  const [job] = await kernel.db
    .update(kernelImportJob)
    .set({ status: 'running', date_updated: sql`now()` })
    .where(and(eq(kernelImportJob.id, id), eq(kernelImportJob.status, 'waiting')))
    .returning()
  if (!job?.rows_sealed) return
  const resource = resourcesOf(kernel).find(job.resource)
  if (!resource) throw new Error(`import into ${job.resource}, which is not mounted`)
  const rows = JSON.parse(kernel.secrets.open('import', `job ${id}`)(job.rows_sealed)) as Row[]
  let context: ReadContext = { kernel, db: kernel.db, call: job.call, parameters: job.parameters, query: {} }
  let left = rows.length
  let beat = 0
  for (const [index, row] of rows.entries()) {
    if (isClosing()) break
    if (Date.now() - beat >= BEAT_MS) {
      const caller = await kernel.callerNow(job.call)
      // A caller who loses this right loses it for background work too.
      if (!caller || !mayImport(resource.definition, job.mode, caller) || !(await isWanted(kernel, id))) break
      context = { ...context, call: caller }
      beat = Date.now()
    }
    await storeWithResult(
      resource,
      job.mode,
      row,
      { job: id, index },
      { ...context, change: { id: randomUUID(), batch: job.batch ?? id } },
    )
    left -= 1
  }
  const end = left === 0 ? 'done' : 'interrupted'
  await kernel.db
    .update(kernelImportJob)
    .set({
      status: sql`CASE WHEN ${kernelImportJob.status} = 'running' THEN ${end} ELSE ${kernelImportJob.status} END`,
      date_finished: sql`now()`,
      rows_sealed: null,
    })
    .where(eq(kernelImportJob.id, id))
}

/** Reports that the import is alive. False when it was stopped meanwhile. */
async function isWanted({ db }: Kernel, id: string): Promise<boolean> {
  const running = await db
    .update(kernelImportJob)
    .set({ date_updated: sql`now()` })
    .where(and(eq(kernelImportJob.id, id), eq(kernelImportJob.status, 'running')))
    .returning({ id: kernelImportJob.id })
  return running.length > 0
}

/** Stores one row, or why it was refused. A fault is logged and fails that row alone. */
async function storeWithResult(
  resource: MountedResource,
  mode: ImportMode,
  row: Row,
  place: { job: string; index: number },
  context: ReadContext,
): Promise<void> {
  const keep = (db: ReadContext['db'], errors: string | null) =>
    db.insert(kernelImportResult).values({ ...place, errors })
  try {
    if (mode === 'create') await createRow(resource, row, context, (db) => keep(db, null))
    else await updateRow(resource, idOf(row), 'update', row, context, (db) => keep(db, null)).catch(unknownIsInvalid)
  } catch (thrown) {
    await keep(context.db, JSON.stringify(refusalOf(thrown, resource, context)))
  }
}

/** The body of the error that a single call would get. */
function refusalOf(thrown: unknown, { definition }: MountedResource, { kernel, call }: ReadContext): unknown {
  const error = translateError(thrown)
  if (error instanceof AppError) return refusalBody(error, call.language)
  // Not the error itself: drizzle's message contains the parameters, which may be secrets.
  const { name, stack } = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : (thrown as Error)
  kernel.app.log.error(
    { err: { type: name, stack: inSources(stack ?? '') }, resource: definition.name },
    'an imported row failed',
  )
  return { detail: translate(call.language, 'Internal server error'), code: 'internal' }
}

function idOf({ id }: Row): string {
  if (typeof id !== 'string' || id === '') throw invalid({ id: 'This field is required.' })
  return id
}

function unknownIsInvalid(error: unknown): never {
  throw error instanceof AppError && error.status === 404 ? invalid({ id: 'Not found.' }) : error
}
