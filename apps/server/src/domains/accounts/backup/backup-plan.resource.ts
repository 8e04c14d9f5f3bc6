import { accountBackupPlan } from '@sallyport/contract/resources/accounts/account-backup-plan.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { proveForRecipients } from '../mail-files.ts'
import { periodicDisplay, planTimes } from '../periodic.ts'
import { accountsBackupPlan, accountsBackupPlanRecipient } from './tables.ts'

type Writing = WriteContext<typeof accountBackupPlan, typeof accountsBackupPlan>

const TYPES: ('asset' | 'application')[] = ['asset', 'application']

/** Plans that send the secrets of accounts to people (docs/rules/accounts.md#account_backup_plan). */
export default function mountBackupPlans(kernel: Kernel): void {
  mountResource(kernel, accountBackupPlan, {
    table: accountsBackupPlan,
    relations: {
      recipients: {
        table: accountsBackupPlanRecipient,
        owner: accountsBackupPlanRecipient.plan_id,
        target: accountsBackupPlanRecipient.user_id,
      },
    },
    computed: [
      periodicDisplay,
      {
        fields: ['types'],
        load: async (rows) =>
          rows.map(({ types }) => ({ types: TYPES.every((one) => types.includes(one)) ? ['all', ...TYPES] : types })),
      },
    ],
    rules: { beforeWrite: [planTimes, keepTypes, proveForRecipients] },
  })
}

/** `all` means each of them; a plan for nothing is none. */
function keepTypes({ draft }: Writing): void {
  if (!draft.types) return
  const wanted = draft.types as readonly string[]
  if (!wanted.length) throw invalid({ types: 'This list may not be empty.' })
  draft.types = wanted.includes('all') ? TYPES : TYPES.filter((one) => wanted.includes(one))
}
