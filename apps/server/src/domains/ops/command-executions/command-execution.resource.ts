import { commandExecution } from '@sallyport/contract/resources/ops/command-execution.ts'
import { sql } from 'drizzle-orm'
import { callerOf, displayName } from '../../../kernel/access/call.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import { dateRange } from '../../../kernel/resource/lists/date-range.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { startTask } from '../background-task.ts'
import type { RunInputs } from '../run-inputs.ts'
import { opsCommandExecution, opsCommandExecutionHost } from '../tables.ts'
import { hostNames } from './host-names.ts'
import { namedBy } from './named-by.ts'
import { countsOf, resultsOf } from './results.ts'

/** The job that carries a run out, with `{ execution, task, language }`: both ids are the run's. */
export const RUN_COMMAND = 'ops.run_command'

/** The facts of a run that may begin. */
export interface AdmittedRun {
  /** The system user's organization. */
  orgId: string
  /** The system user as people read it. */
  runAs: string
  /** Host names by asset. */
  names: ReadonlyMap<string, string>
  /** The runbook of which it was made, and the command where that differs by machine. */
  from?: {
    runbook: string
    display: string
    commands: ReadonlyMap<string, string>
    handed: RunInputs | undefined
    isScheduled: boolean
  }
}

export type RunContext = WriteContext<typeof commandExecution, typeof opsCommandExecution>

/** Throws where a run may not begin. */
type Admit = (context: RunContext) => Promise<AdmittedRun>

/** Provided by the gateway, which alone knows machines and who may connect to them. */
export const runAdmission = new Provided<Admit>('the admission of runs')

/** The resource that was mounted. */
export const commandExecutionsOf = (kernel: Kernel) => mountedResource(kernel, commandExecution, opsCommandExecution)

/**
 * Batch commands of the caller, in whatever organization (docs/rules/ops.md#command_execution).
 * A run is a record: nobody changes or removes it.
 */
export default function mountCommandExecutions(kernel: Kernel): void {
  const admitted = new WeakMap<object, AdmittedRun>()
  mountResource(kernel, commandExecution, {
    table: opsCommandExecution,
    owner: opsCommandExecution.user,
    relations: {
      hosts: {
        table: opsCommandExecutionHost,
        owner: opsCommandExecutionHost.commandexecution,
        target: opsCommandExecutionHost.asset,
      },
    },
    // `admit` lets nothing pass that was not granted, in whatever organization.
    checksItself: ['hosts', 'run_as'],
    filters: {
      ...dateRange(opsCommandExecution.date_created),
      ...namedBy(opsCommandExecution.user_display, opsCommandExecution.run_as_display),
    },
    search: (pattern) => sql`EXISTS (
      SELECT 1 FROM ${opsCommandExecutionHost} h WHERE h.execution = ${opsCommandExecution.id}
        AND (h.name ILIKE ${pattern} OR h.stdout ILIKE ${pattern} OR h.stderr ILIKE ${pattern} OR h.error ILIKE ${pattern}))`,
    computed: [
      {
        fields: ['result'],
        load: async (rows, context) => (await resultsOf(rows, context)).map((result) => ({ result })),
      },
      {
        fields: ['log_url'],
        load: async (rows) => rows.map(({ id }) => ({ log_url: `/api/v1/ops/celery/task/${id}/log/` })),
      },
      {
        fields: ['run_as_display', 'runbook_display'],
        load: async (rows) => rows.map(({ run_as_display, runbook_display }) => ({ run_as_display, runbook_display })),
      },
      { fields: ['hosts_display'], load: hostNames },
      { fields: ['counts'], load: async (rows, { db }) => countsOf(db, rows) },
    ],
    rules: {
      beforeWrite: [
        async (context) => {
          const { call, draft } = context
          const run = await runAdmission.value(context)
          admitted.set(draft, run)
          const caller = callerOf(call)
          Object.assign(draft, {
            org_id: run.orgId,
            user: caller.id,
            user_display: displayName(caller),
            remote_addr: call.remoteAddress,
            on_behalf_of: call.onBehalfOf?.slice(0, 300) ?? null,
            ...storedSignIn(call.agentSignIn),
            run_as_display: run.runAs,
            ...(run.from
              ? { runbook: run.from.runbook, runbook_display: run.from.display, handed: run.from.handed }
              : {}),
          })
        },
      ],
      afterWrite: [
        async ({ call, db, draft, stored, afterCommit }) => {
          const { id, org_id: orgId } = stored
          const { names = new Map<string, string>(), from } = admitted.get(draft) ?? {}
          const assets = [...names.keys()]
          const commands = assets.map((asset) => from?.commands.get(asset) ?? null)
          await db.execute(sql`UPDATE ops_command_execution_host h SET name = known.name, command = known.command
            FROM unnest(${sql.param(assets)}::uuid[], ${sql.param([...names.values()])}::text[], ${sql.param(commands)}::text[])
              AS known (asset, name, command)
            WHERE h.execution = ${id} AND h.asset = known.asset`)
          afterCommit(async () => {
            await startTask(kernel, call, {
              id,
              name: from?.isScheduled ? 'Scheduled runbook' : from ? 'Runbook' : 'Batch command',
              job: RUN_COMMAND,
              data: {
                execution: id,
                language: call.language,
                isAlwaysNotified: from?.isScheduled ?? false,
                about: from?.display,
              },
              orgId,
              isLogged: true,
            })
          })
        },
      ],
    },
  })
}

/** The sign-in of an agent, as it is stored with its run. */
const storedSignIn = (signIn: SignIn | undefined) =>
  signIn
    ? {
        sign_in_source: signIn.source,
        sign_in_key: Buffer.isBuffer(signIn.key) ? signIn.key.toString('hex') : signIn.key,
      }
    : {}
