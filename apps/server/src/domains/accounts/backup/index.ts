import { accountBackupExecution } from '@sallyport/contract/resources/accounts/account-backup-execution.ts'
import { accountBackupPlan } from '@sallyport/contract/resources/accounts/account-backup-plan.ts'
import { eq } from 'drizzle-orm'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readableId } from '../../../kernel/resource/conditions.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { onMembershipEnded } from '../../orgs/index.ts'
import { proveForRecipients } from '../mail-files.ts'
import { periodicDisplay, planTimes } from '../periodic.ts'
import { registerPlanRuns, timedRuns } from '../plans/plan-runs.ts'
import { reasonInWords } from '../reason-words.ts'
import { backUp } from './back-up.ts'
import { accountsBackupExecution, accountsBackupPlan, accountsBackupPlanRecipient } from './tables.ts'

type Writing = WriteContext<typeof accountBackupPlan, typeof accountsBackupPlan>

const TYPES: ('asset' | 'application')[] = ['asset', 'application']

/**
 * Plans that send the secrets of accounts to people, and their runs
 * (docs/rules/accounts.md#account_backup_plan).
 */
export function registerBackups(kernel: Kernel): void {
  const plans = mountResource(kernel, accountBackupPlan, {
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
  // People who leave an organization get its secrets no more.
  onMembershipEnded({
    label: 'Account backup plan',
    links: accountsBackupPlanRecipient,
    person: accountsBackupPlanRecipient.user_id,
    thing: accountsBackupPlanRecipient.plan_id,
    orgId: accountsBackupPlan.org_id,
  })
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
  registerPlanRuns(kernel, {
    plans,
    executions: accountBackupExecution,
    field: 'plan',
    job: 'accounts.back_up',
    name: 'Account backup',
    summary: 'Back accounts up now',
    schedule: 'Start account backups at their times',
    run: (run, log) => backUp(kernel, run, log),
    runs: timedRuns(accountsBackupExecution),
  })
}

/** `all` means each of them; a plan for nothing is none. */
function keepTypes({ draft }: Writing): void {
  if (!draft.types) return
  const wanted = draft.types as readonly string[]
  if (!wanted.length) throw invalid({ types: 'This list may not be empty.' })
  draft.types = wanted.includes('all') ? TYPES : TYPES.filter((one) => wanted.includes(one))
}
