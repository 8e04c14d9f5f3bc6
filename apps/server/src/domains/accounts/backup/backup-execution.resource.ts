import { accountBackupExecution } from '@sallyport/contract/resources/accounts/account-backup-execution.ts'
import { eq } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readableId } from '../../../kernel/resource/conditions.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { reasonInWords } from '../reason-words.ts'
import { accountsBackupExecution } from './tables.ts'

/** What became of plans when they ran. */
export default function mountBackupExecutions(kernel: Kernel): void {
  mountResource(kernel, accountBackupExecution, {
    table: accountsBackupExecution,
    filters: { plan_id: (value) => eq(accountsBackupExecution.plan, readableId('plan_id', value)) },
    computed: [
      reasonInWords,
      {
        fields: ['recipients'],
        load: async (rows) =>
          rows.map(({ plan_snapshot }) => ({ recipients: Object.values(plan_snapshot.recipients) })),
      },
    ],
  })
}
