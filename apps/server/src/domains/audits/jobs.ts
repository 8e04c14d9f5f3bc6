import type { Kernel } from '../../kernel/kernel.ts'
import { CHAINED_LOGS, type ChainedLog, forgetOld, sealLog } from './chain.ts'

/** Days that each log is kept (settings of category clean); password changes are kept for good (contract/audits.yaml). */
const KEEP_DAYS: Partial<Record<ChainedLog, number>> = { login_log: 200, operate_log: 200, ftp_log: 200 }

export function scheduleAuditJobs({ jobs, db, secrets }: Kernel): void {
  jobs.schedule('audits.seal', '* * * * *', async () => {
    for (const log of CHAINED_LOGS) await sealLog(db, secrets, log)
  })
  jobs.schedule('audits.forget_old', '10 3 * * *', async () => {
    for (const [log, days] of Object.entries(KEEP_DAYS)) await forgetOld(db, secrets, log as ChainedLog, days)
  })
}
