import type { Settings } from '@sallyport/contract/settings/index.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import { nextTime } from '../../../kernel/jobs/cron.ts'
import { soon } from '../../../kernel/jobs/schedules.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { serverZone } from '../../../kernel/server-zone.ts'
import { settingsOf } from '../../settings/index.ts'
import { savePeople } from '../outside-people.ts'
import { keepNewEntries } from './known-entries.ts'
import { authenticationLdapPlan } from './tables.ts'
import { askForUsers } from './user-list.ts'

const HOUR_MS = 3_600_000
/** Hours between imports where periodic import is on and no times are set. */
const USUAL_HOURS = 24

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

/**
 * Checks every minute whether the directory must be imported; new times in the settings apply from
 * then on.
 */
export function schedulePeriodicImport(kernel: Kernel): void {
  kernel.jobs.schedule(
    {
      name: 'authentication.import_ldap_users',
      cron: '* * * * *',
      title: 'Import LDAP users at their times',
      hasWork: () => isDueOrChanged(planOf(settingsOf(kernel).all())),
    },
    (now) => importWhenDue(kernel, now),
  )
}

/** Whether such a plan is due or about to be, or is not the one that was planned, as a condition. */
function isDueOrChanged(plan: string): SQL {
  const { plan: planned, date_due } = authenticationLdapPlan
  if (!plan) return sql`EXISTS (SELECT 1 FROM ${authenticationLdapPlan})`
  return sql`NOT EXISTS (SELECT 1 FROM ${authenticationLdapPlan} WHERE ${eq(planned, plan)} AND ${date_due} > ${soon})`
}

export async function importWhenDue(kernel: Kernel, now: Date): Promise<void> {
  const plan = planOf(settingsOf(kernel).all())
  const date_due = nextDue(plan, now)
  if (!date_due) {
    await kernel.db.delete(authenticationLdapPlan)
    return
  }
  const [stored] = await kernel.db.select().from(authenticationLdapPlan)
  const isDue = stored?.plan === plan && stored.date_due <= now
  if (stored?.plan === plan && !isDue) return
  // Stored before the import: one that fails is tried again at its next time, not every minute.
  await kernel.db
    .insert(authenticationLdapPlan)
    .values({ plan, date_due })
    .onConflictDoUpdate({
      target: authenticationLdapPlan.only,
      set: { plan: sql`excluded.plan`, date_due: sql`excluded.date_due` },
    })
  if (!isDue) return
  const { log } = kernel.app
  try {
    const people = await askForUsers(kernel)
    const { saved, refused } = await savePeople(kernel, people, {
      source: 'ldap',
      create: true,
      update: true,
    })
    await keepNewEntries(kernel.db, saved, people)
    const count = (done: string) => saved.filter((one) => one.done === done).length
    log.info(
      { created: count('created'), updated: count('updated'), refused: refused.size },
      'people of the LDAP directory were imported',
    )
  } catch (error) {
    log.error({ err: error }, 'people of the LDAP directory could not be imported')
  }
}
