import type { Kernel } from '../../kernel/kernel.ts'
import { forgetOldChanges } from '../../kernel/undo/forget.ts'
import { type SettingName, settingsOf } from '../settings/index.ts'
import { anyUnsealed, CHAINED_LOGS, type ChainedLog, forgetOld, sealLog } from './chain.ts'
import { signRoot } from './roots.ts'

/**
 * How long each log is kept (settings of category clean), but never less than the start-up setting
 * says; password changes are kept for ever (docs/rules/audits.md#password_change_log).
 */
const KEEP_DAYS = {
  login_log: 'LOGIN_LOG_KEEP_DAYS',
  operate_log: 'OPERATE_LOG_KEEP_DAYS',
  ftp_log: 'FTP_LOG_KEEP_DAYS',
  secret_look: 'OPERATE_LOG_KEEP_DAYS',
} as const satisfies Partial<Record<ChainedLog, SettingName>>

export function scheduleAuditJobs(kernel: Kernel): void {
  const { jobs, db, secrets, config } = kernel
  const daysOf = (name: (typeof KEEP_DAYS)[keyof typeof KEEP_DAYS]) =>
    Math.max(settingsOf(kernel).get(name), config.keepAtLeastDays)
  jobs.schedule(
    {
      name: 'audits.seal',
      cron: '* * * * *',
      title: 'Seal the audit logs',
      isEssential: true,
      hasWork: anyUnsealed,
    },
    async () => {
      for (const log of CHAINED_LOGS) await sealLog(db, secrets, log)
    },
  )
  jobs.schedule({ name: 'audits.forget_old', cron: '10 3 * * *', title: 'Remove old audit logs' }, async () => {
    for (const [log, name] of Object.entries(KEEP_DAYS)) await forgetOld(db, secrets, log as ChainedLog, daysOf(name))
    const settings = settingsOf(kernel)
    await forgetOldChanges(db, settings.get('AUDIT_UNDO_DAYS'), settings.get('AUDIT_UNDO_MEGABYTES'))
    // At once, so that the newest root says where the chains begin now.
    await signRoot(kernel)
  })
}
