import { scheduleRows } from '../../kernel/jobs/row-schedules.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { onMembershipEnded, organizationsHold } from '../orgs/index.ts'
import { registerBackups } from './backup/index.ts'
import { registerBreakGlass } from './break-glass/index.ts'
import { registerExecutionJobs } from './executions/execution-calls.ts'
import { registerGatheredUsers } from './gathered-users/index.ts'
import { addPlansToPreviews } from './plans/plans-touched.ts'
import { accountsChangePlan, accountsChangePlanRecipient } from './tables.ts'
import { registerTryLogin } from './try-login.ts'

export { periodicDisplay, planTimes } from './periodic.ts'
export { type PlanRun, registerPlanTimes } from './plans/plan-runs.ts'
export {
  DatabaseError,
  type DatabaseLogin,
  databaseLogins,
  type LogInToDatabase,
} from './rotation/database-account.ts'

const LABEL = 'Asset change auth plan'

/**
 * The work on accounts of machines and applications: passwords and keys changed by plan, accounts
 * found on machines, backups (docs/rules/accounts.md).
 */
export function registerAccounts(kernel: Kernel): void {
  organizationsHold({ field: 'change_auth_plans', label: LABEL, from: accountsChangePlan, uncounted: true })
  // People who leave an organization get no more mail of its secrets.
  onMembershipEnded({
    label: LABEL,
    links: accountsChangePlanRecipient,
    person: accountsChangePlanRecipient.user,
    thing: accountsChangePlanRecipient.plan,
    orgId: accountsChangePlan.org_id,
  })
  registerExecutionJobs(kernel)
  addPlansToPreviews(kernel)
  scheduleRows(
    kernel.jobs,
    kernel.db,
    accountsChangePlan,
    'accounts.start_change_plan',
    'Start change plans at their times',
  )
  registerGatheredUsers(kernel)
  registerBackups(kernel)
  registerBreakGlass(kernel)
  registerTryLogin(kernel)
}
