import type { Settings } from '@sallyport/contract/settings/index.ts'
import { nextTime } from '../../../kernel/jobs/cron.ts'
import { serverZone } from '../../../kernel/server-zone.ts'

const HOUR_MS = 3_600_000
/** Hours between imports where periodic import is on and no times are set. */
export const USUAL_HOURS = 24

/**
 * When imports run, as text: a five-part cron expression, else hours between two imports, else once
 * a day. '' when periodic import is off (docs/rules/settings.md#setting_ldap).
 */
export function planOf(
  settings: Pick<
    Settings,
    'AUTH_LDAP' | 'AUTH_LDAP_SYNC_IS_PERIODIC' | 'AUTH_LDAP_SYNC_CRONTAB' | 'AUTH_LDAP_SYNC_INTERVAL'
  >,
): string {
  if (!settings.AUTH_LDAP || !settings.AUTH_LDAP_SYNC_IS_PERIODIC) return ''
  return settings.AUTH_LDAP_SYNC_CRONTAB?.trim() || String(settings.AUTH_LDAP_SYNC_INTERVAL ?? USUAL_HOURS)
}

/** When such a plan is due next; undefined for never. */
export function nextDue(plan: string, now: Date): Date | undefined {
  if (/^\d+$/.test(plan)) return new Date(now.getTime() + Number(plan) * HOUR_MS)
  return plan ? nextTime(plan, serverZone(), now) : undefined
}
