import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { openCityDatabase } from './city.ts'
import { mountFtpLog } from './ftp-log.ts'
import { scheduleAuditJobs } from './jobs.ts'
import { mountLoginLog } from './login-log.ts'
import { mountOperateLog, recordOperations } from './operate-log.ts'
import { mountPasswordChangeLog } from './password-change-log.ts'
import { registerRoots } from './roots.ts'

export { CHAINED_LOGS, sealLog, verifyLog } from './chain.ts'
export { cityOf, LAN, UNKNOWN_CITY } from './city.ts'
export { chainAmendedSessions, chainForgottenRuns, chainMovedCommands, forgetWithEntries } from './entries.ts'
export { registerForwarding } from './forwarding/index.ts'
export { forwardingFigures } from './forwarding/monitored.ts'
export { type FileOperation, recordFileOperations } from './ftp-log.ts'
export { type LoginAttempt, lastKnownPlace, recordLogin, recordLogins } from './login-log.ts'
export { recordPasswordChange } from './password-change-log.ts'
export { readablePeople } from './readable-people.ts'

/** The logs and their lists; from here on the resource engine's changes are logged. */
export function registerAudits(kernel: Kernel): void {
  kernel.audit.record = recordOperations
  openCityDatabase(kernel)
  mountLoginLog(kernel)
  mountOperateLog(kernel)
  mountFtpLog(kernel)
  mountPasswordChangeLog(kernel)
  registerRoots(kernel)
  registerSingularPaths(kernel.app, 'audits', ['ftp-log'])
  scheduleAuditJobs(kernel)
}
