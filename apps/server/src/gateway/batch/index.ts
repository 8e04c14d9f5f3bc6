import {
  commandExecutionsOf,
  outcomesOf,
  RUN_COMMAND,
  runAdmission,
} from '../../domains/ops/command-executions/index.ts'
import { CancellableRuns, cancelRun, runTask } from '../../domains/ops/index.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { getStored } from '../../kernel/resource/read.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { admitBatch } from './admit-batch.ts'
import { runBatch } from './run-batch.ts'
import { registerRunbooks } from './runbook-runs.ts'
import { registerRunbookSchedules } from './runbook-schedules.ts'

/** Runs that a node has taken up: most of them wait, for their turn at the machines or for others. */
const RUNS = 200
/**
 * Runs of one person at a time, on all nodes together: further ones wait in the queue, behind
 * everybody else's.
 */
const RUNS_OF_ONE = 50
/** A run may wait an hour for others to confirm it, and for its turn at the machines. */
const EXPIRE_SECONDS = 2 * 3600

/**
 * Batch commands: the calls, and the job that carries them out
 * (docs/rules/ops.md#command_execution).
 */
export function registerBatchCommands(kernel: Kernel): void {
  runAdmission.provide((context) => admitBatch(context.kernel, context))
  const executions = commandExecutionsOf(kernel)
  const { path } = executions.definition
  registerRunbooks(kernel, executions)
  registerRunbookSchedules(kernel, executions)
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
    config: {
      access: ['authenticated'],
      summary: 'Batch command: end it everywhere',
      answers: { fields: plainFields({ detail: 'string' }) },
    },
    handler: async (request) => {
      const { id } = await getStored(executions, request.params.id, contextOf(kernel, request))
      await cancelRun(kernel, String(id))
      return { detail: 'ok' }
    },
  })
  kernel.jobs.work<{ execution: string; task: string; language: Language; isAlwaysNotified?: boolean; about?: string }>(
    RUN_COMMAND,
    ({ execution: id, language, isAlwaysNotified, about }) =>
      running.during(id, (cancelled) =>
        runTask(kernel, id, (log) => runBatch(kernel, { id, language, cancelled }, log), { isAlwaysNotified, about }),
      ),
    { concurrency: RUNS, perOwner: RUNS_OF_ONE, expireSeconds: EXPIRE_SECONDS },
  )
}
