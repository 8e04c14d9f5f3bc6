import { eq, inArray } from 'drizzle-orm'
import { assetsListedAsset, assetsListedSystemUser } from '../../domains/assets/index.ts'
import {
  type AdmittedRun,
  CancellableRuns,
  cancelRun,
  mountCommandExecutions,
  outcomesOf,
  RUN_COMMAND,
  type RunContext,
  runTask,
} from '../../domains/ops/index.ts'
import { connectableAssets } from '../../domains/perms/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { callerOf, isOrgAuditor } from '../../kernel/access/call.ts'
import { forbidden, invalid, notFound } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored } from '../../kernel/resource/read.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { runBatch } from './run-batch.ts'

/** Runs that a node has taken up: most of them wait, for their turn at the machines or for others. */
const RUNS = 200
/** A run may wait an hour for others to confirm it, and for its turn at the machines. */
const EXPIRE_SECONDS = 2 * 3600

/** Batch commands: the calls, and the job that carries them out (contract/ops.yaml `command_execution`). */
export function registerBatchCommands(kernel: Kernel): void {
  const executions = mountCommandExecutions(kernel, (context) => admit(kernel, context))
  const { path } = executions.definition
  const running = new CancellableRuns(kernel, () => new SessionRefusal('Cancelled'))

  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${path}:id/outcomes/`,
    config: { access: ['authenticated'], summary: 'Batch command: what became of it on each machine so far' },
    handler: async (request) => {
      const { id } = await getStored(executions, request.params.id, contextOf(kernel, request))
      const found = await outcomesOf(kernel.db, String(id))
      if (!found) throw notFound()
      const hosts = found.hosts.map((host) => ({ ...host, error: translate(request.call.language, host.error) }))
      return { ...found, error: translate(request.call.language, found.error), hosts }
    },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${path}:id/cancel/`,
    config: { access: ['authenticated'], summary: 'Batch command: end it everywhere' },
    handler: async (request) => {
      const { id } = await getStored(executions, request.params.id, contextOf(kernel, request))
      await cancelRun(kernel, String(id))
      return { detail: 'ok' }
    },
  })
  kernel.jobs.work<{ execution: string; task: string; language: Language }>(
    RUN_COMMAND,
    ({ execution: id, language }) =>
      running.during(id, (cancelled) =>
        runTask(kernel, id, (log) => runBatch(kernel, { id, language, cancelled }, log)),
      ),
    { concurrency: RUNS, expireSeconds: EXPIRE_SECONDS },
  )
}

/** Throws 403 where common people may not, and 400 by field. */
async function admit(kernel: Kernel, { call, draft }: RunContext): Promise<AdmittedRun> {
  if (!settingsOf(kernel).get('SECURITY_COMMAND_EXECUTION') && !isOrgAuditor(call)) throw forbidden()
  const { db } = kernel
  const [systemUser] = await db
    .select()
    .from(assetsListedSystemUser)
    .where(eq(assetsListedSystemUser.id, String(draft.run_as)))
  if (!systemUser) throw invalid({ run_as: 'Not found.' })
  const { id: systemUserId, org_id: orgId, name, username, protocol, login_mode } = systemUser
  if (protocol !== 'ssh' || login_mode !== 'auto')
    throw invalid({ run_as: 'Batch commands need a system user of SSH whose password or key is stored.' })
  const wanted = [...new Set(draft.hosts as string[])]
  const granted = new Set(await connectableAssets(db, { userId: callerOf(call).id, systemUserId, assetIds: wanted }))
  const missing = wanted.filter((id) => !granted.has(id))
  if (missing.length)
    throw invalid({ hosts: `${translate(call.language, 'Not granted with this system user')}: ${missing.join(', ')}` })
  const { id, hostname } = assetsListedAsset
  const rows = await db.select({ id, hostname }).from(assetsListedAsset).where(inArray(id, wanted))
  return { orgId, runAs: `${name}(${username})`, names: new Map(rows.map((row) => [row.id, row.hostname])) }
}
