import { gatheredUserTaskExecution } from '@sallyport/contract/resources/accounts/gathered-user-task-execution.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { reasonInWords } from '../reason-words.ts'
import { accountsGatherExecution } from './tables.ts'

/** What became of tasks when they ran. */
export default function mountGatherExecutions(kernel: Kernel): void {
  mountResource(kernel, gatheredUserTaskExecution, {
    table: accountsGatherExecution,
    computed: [reasonInWords],
  })
}
