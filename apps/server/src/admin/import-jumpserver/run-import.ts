import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { recordOperatorAct } from '../../domains/audits/index.ts'
import type { Config } from '../../kernel/config.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Vault } from '../../kernel/secrets/vault.ts'
import { checkSecretKeys } from './check-secret-keys.ts'
import { Ids, type ImportContext, type SettingsRequest } from './context.ts'
import type { HistoryRequest } from './history-request.ts'
import { asOnlyImport } from './lock.ts'
import { ImportRefusal } from './refusal.ts'
import { Report } from './report/report.ts'
import type { SecretKeys } from './secrets/index.ts'
import { nameOfInstallation } from './source/installation.ts'
import type { Source } from './source/source.ts'
import { recognizeVersion, type SourceVersion } from './source/version.ts'
import { STAGES } from './stages.ts'

export interface ImportRequest {
  db: Database
  /** For the lock that is held during the whole run. */
  pool: pg.Pool
  secrets: Vault
  source: Source
  keys: SecretKeys
  /** Where recordings and settings of this installation are. */
  config: Config
  history?: HistoryRequest
  settings?: SettingsRequest
  withJobs?: boolean
  /** All of it is tried in one transaction that is taken back. */
  isDryRun: boolean
  /** For the operate log; without one, the caller has written there already. */
  user?: string
  /** Filled on the way, so that it is there when the import stops halfway. */
  report?: Report
  /** Called at the start of a stage, with its English label. */
  progress?(label: string, done: number, all: number): void
  /** Called after the last stage; by a dry run while all of it is still there. */
  afterwards?(come: Come): Promise<void>
}

/** An import that is whole: the database in which it is seen, and the name by which its rows are known. */
export interface Come {
  db: Database
  source: Source
  version: SourceVersion
  name: string
}

export interface ImportResult {
  version: SourceVersion
  report: Report
}

/** Ends the transaction of a dry run. */
class DryRunOver extends Error {}

/**
 * Imports a database of JumpServer, stage by stage, each in a transaction of its own. What has come
 * before is only brought up to date.
 * @throws ImportRefusal before anything is written: another database, keys that open nothing, or another import goes on
 */
export const runImport = (request: ImportRequest): Promise<ImportResult> =>
  asOnlyImport(request.pool, () => importAll(request))

async function importAll(request: ImportRequest): Promise<ImportResult> {
  const {
    db,
    secrets,
    source,
    keys,
    config,
    history = {},
    settings = {},
    withJobs = false,
    isDryRun,
    user,
    report = new Report(),
  } = request
  await checkTarget(db)
  const version = recognizeVersion(source)
  await checkSecretKeys(source, keys)
  const run = { db, secrets, source: await nameOfInstallation(db, source), run: randomUUID() }
  const context: ImportContext = {
    source,
    version,
    keys,
    report,
    ids: new Ids(),
    run,
    config,
    secrets,
    history,
    settings,
    withJobs,
    isDryRun,
  }
  if (!isDryRun) {
    // First: an import that stops halfway has written as well.
    if (user !== undefined)
      await recordOperatorAct(db, {
        ...{ user, action: 'create', resourceType: 'Import from JumpServer', resource: source.address },
      })
    await doStages(request, context)
    await request.afterwards?.({ db, source, version, name: run.source })
    return { version, report }
  }
  try {
    await db.transaction(async (within) => {
      await doStages({ ...request, db: within }, context)
      await request.afterwards?.({ db: within, source, version, name: run.source })
      throw new DryRunOver()
    })
  } catch (error) {
    if (!(error instanceof DryRunOver)) throw error
  }
  return { version, report }
}

async function checkTarget(db: Database): Promise<void> {
  const { rows } = await db.execute<{ is_there: boolean }>(
    `SELECT to_regclass('kernel_arrival') IS NOT NULL AS is_there`,
  )
  if (!rows[0]?.is_there)
    throw new ImportRefusal('The database of Sallyport is of an earlier version: start this version once, then import')
}

async function doStages({ db, progress }: ImportRequest, context: ImportContext): Promise<void> {
  for (const [done, { label, run, inChunks }] of STAGES.entries()) {
    progress?.(label, done, STAGES.length)
    if (inChunks) await run({ ...context, run: { ...context.run, db } })
    else await db.transaction((within) => run({ ...context, run: { ...context.run, db: within } }))
  }
}
