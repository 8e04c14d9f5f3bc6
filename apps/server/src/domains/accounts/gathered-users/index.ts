import { gatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import { gatheredUserTaskExecution } from '@sallyport/contract/resources/accounts/gathered-user-task-execution.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { registerPlanRuns, timedRuns } from '../plans/plan-runs.ts'
import { gatherUsers } from './gather.ts'
import { accountsGatherExecution, accountsGatherTask } from './tables.ts'

/**
 * Accounts of machines, the tasks that read them, and their runs
 * (docs/rules/accounts.md#gathered_user).
 */
export function registerGatheredUsers(kernel: Kernel): void {
  const plans = mountedResource(kernel, gatheredUserTask, accountsGatherTask)
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
