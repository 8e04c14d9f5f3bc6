import { gatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import { gatheredUserTaskExecution } from '@sallyport/contract/resources/accounts/gathered-user-task-execution.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { periodicDisplay, planTimes } from '../periodic.ts'
import { registerPlanRuns, timedRuns } from '../plans/plan-runs.ts'
import { reasonInWords } from '../reason-words.ts'
import { gatherUsers } from './gather.ts'
import { mountGatheredUsers } from './gathered-user.ts'
import { accountsGatherExecution, accountsGatherTask, accountsGatherTaskNode } from './tables.ts'

/**
 * Accounts of machines, the tasks that read them, and their runs
 * (docs/rules/accounts.md#gathered_user).
 */
export function registerGatheredUsers(kernel: Kernel): void {
  mountGatheredUsers(kernel)
  const plans = mountResource(kernel, gatheredUserTask, {
    table: accountsGatherTask,
    relations: {
      nodes: {
        table: accountsGatherTaskNode,
        owner: accountsGatherTaskNode.task_id,
        target: accountsGatherTaskNode.node_id,
      },
    },
    computed: [periodicDisplay, { fields: ['executed_times'], load: countRuns }],
    rules: { beforeWrite: [planTimes] },
  })
  mountResource(kernel, gatheredUserTaskExecution, {
    table: accountsGatherExecution,
    computed: [reasonInWords],
  })
  registerPlanRuns(kernel, {
    plans,
    executions: gatheredUserTaskExecution,
    field: 'task',
    job: 'accounts.gather_users',
    name: 'Gather users',
    summary: 'Gather users now',
    schedule: 'Gather users at their times',
    run: (run, log) => gatherUsers(kernel, run, log),
    runs: timedRuns(accountsGatherExecution),
  })
}

async function countRuns(rows: readonly { id: string }[], { db }: ReadContext) {
  const { task } = accountsGatherExecution
  const ids = rows.map(({ id }) => id)
  const counts = await db
    .select({ task, count: sql<number>`count(*)::int` })
    .from(accountsGatherExecution)
    .where(inArray(task, ids))
    .groupBy(task)
  const runs = new Map(counts.map((row) => [row.task, row.count]))
  return ids.map((id) => ({ executed_times: runs.get(id) ?? 0 }))
}
