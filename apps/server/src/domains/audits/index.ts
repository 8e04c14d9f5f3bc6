import { registerSingularPaths } from '../../kernel/http/singular-paths.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { openCityDatabase } from './city.ts'
import { scheduleAuditJobs } from './jobs.ts'
import { recordOperations } from './operate-log.resource.ts'
import { registerRoots } from './roots.ts'
import { registerUndo } from './undo/routes.ts'

export { CHAINED_LOGS, sealLog, verifyLog } from './chain.ts'
export { cityOf, LAN, UNKNOWN_CITY } from './city.ts'
export { chainAmendedSessions, chainForgottenRuns, chainMovedCommands, forgetWithEntries } from './entries.ts'
export { registerForwarding } from './forwarding/index.ts'
export { forwardingFigures } from './forwarding/monitored.ts'
export { type FileOperation, filesOfSession, recordFileOperations, type SessionFile } from './ftp-log.resource.ts'
export { type LoginAttempt, lastKnownPlace, recordLogin, recordLogins } from './login-log.resource.ts'
export { recordOperatorAct } from './operate-log.resource.ts'
export { recordPasswordChange } from './password-change-log.resource.ts'
export { readablePeople } from './readable-people.ts'
export { rootSigner } from './root-key.ts'

/** The logs and their lists; from here on the resource engine's changes are logged. */
export function registerAudits(kernel: Kernel): void {
  kernel.audit.record = recordOperations
  openCityDatabase(kernel)
  registerRoots(kernel)
  registerUndo(kernel)
  registerSingularPaths(kernel.app, 'audits', ['ftp-log'])
  scheduleAuditJobs(kernel)
}
