import { gatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { periodicDisplay, planTimes } from '../periodic.ts'
import { accountsGatherExecution, accountsGatherTask, accountsGatherTaskNode } from './tables.ts'

/** Tasks that read the accounts of machines (docs/rules/accounts.md#gathered_user). */
export default function mountGatherTasks(kernel: Kernel): void {
  mountResource(kernel, gatheredUserTask, {
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
