import { accountBackupExecution } from '@sallyport/contract/resources/accounts/account-backup-execution.ts'
import { accountBackupPlan } from '@sallyport/contract/resources/accounts/account-backup-plan.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { onMembershipEnded } from '../../orgs/index.ts'
import { registerPlanRuns, timedRuns } from '../plans/plan-runs.ts'
import { backUp } from './back-up.ts'
import { accountsBackupExecution, accountsBackupPlan, accountsBackupPlanRecipient } from './tables.ts'

/**
 * Plans that send the secrets of accounts to people, and their runs
 * (docs/rules/accounts.md#account_backup_plan).
 */
export function registerBackups(kernel: Kernel): void {
  const plans = mountedResource(kernel, accountBackupPlan, accountsBackupPlan)
  // People who leave an organization get its secrets no more.
  onMembershipEnded({
    label: 'Account backup plan',
    links: accountsBackupPlanRecipient,
    person: accountsBackupPlanRecipient.user_id,
    thing: accountsBackupPlanRecipient.plan_id,
    orgId: accountsBackupPlan.org_id,
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
