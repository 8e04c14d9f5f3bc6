import { eq, type SQL, sql } from 'drizzle-orm'
import { soon } from '../../../kernel/jobs/schedules.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { savePeople } from '../outside-people.ts'
import { keepNewEntries } from './known-entries.ts'
import { letGoOfMissing } from './missing-people.ts'
import { nextDue, USUAL_HOURS } from './plan.ts'
import { firstSource, type LdapSource, sourceInForce, sourcesInForce } from './sources.ts'
import { authenticationLdapPlan } from './tables.ts'
import { askForUsers } from './user-list.ts'

/**
 * Checks every minute whether a directory must be imported; new times apply from then on.
 */
export function schedulePeriodicImport(kernel: Kernel): void {
  kernel.jobs.schedule(
    {
      name: 'authentication.import_ldap_users',
      cron: '* * * * *',
      title: 'Import LDAP users at their times',
      hasWork: () => isDueOrChanged(firstSource(kernel).plan),
    },
    (now) => importWhenDue(kernel, now),
  )
}

/** The plans of the further directories. */
const PLANS = sql`SELECT id::text AS directory, coalesce(nullif(trim(sync_crontab), ''), sync_interval::text, ${String(USUAL_HOURS)}::text) AS plan
  FROM authentication_directory WHERE is_active AND sync_is_periodic`

/**
 * Whether an import is due or about to be, or not the one that was planned, as a condition; of the
 * directory of the settings the plan is given.
 */
function isDueOrChanged(plan: string): SQL {
  const isHeld = (directory: SQL, wanted: SQL) => sql`EXISTS (SELECT 1 FROM authentication_ldap_plan p
    WHERE p.directory = ${directory} AND p.plan = ${wanted} AND p.date_due > ${soon})`
  const first = plan
    ? sql`NOT ${isHeld(sql`''`, sql`${plan}`)}`
    : sql`EXISTS (SELECT 1 FROM authentication_ldap_plan WHERE directory = '')`
  return sql`(${first}
    OR EXISTS (SELECT 1 FROM (${PLANS}) w WHERE NOT ${isHeld(sql`w.directory`, sql`w.plan`)})
    OR EXISTS (SELECT 1 FROM authentication_ldap_plan p WHERE p.directory <> ''
      AND NOT EXISTS (SELECT 1 FROM (${PLANS}) w WHERE w.directory = p.directory)))`
}

/** Imports each directory whose time has come, one after the other. */
export async function importWhenDue(kernel: Kernel, now: Date): Promise<void> {
  const sources = (await sourcesInForce(kernel)).filter(({ plan }) => plan)
  const names = sources.map(({ id }) => id ?? '')
  await kernel.db
    .delete(authenticationLdapPlan)
    .where(sql`${authenticationLdapPlan.directory} <> ALL(${sql.param(names)}::text[])`)
  for (const source of sources) if (await isDue(kernel, source, now)) await importPeople(kernel, source)
}

/** Whether it is due; if so, or if its times have changed, its next time is planned. */
async function isDue(kernel: Kernel, { id, plan }: LdapSource, now: Date): Promise<boolean> {
  const { directory } = authenticationLdapPlan
  const [stored] = await kernel.db
    .select()
    .from(authenticationLdapPlan)
    .where(eq(directory, id ?? ''))
  const due = stored?.plan === plan && stored.date_due <= now
  if (stored?.plan === plan && !due) return false
  const date_due = nextDue(plan, now)
  if (!date_due) {
    await kernel.db.delete(authenticationLdapPlan).where(eq(directory, id ?? ''))
    return false
  }
  // Stored before the import: one that fails is tried again at its next time, not every minute.
  await kernel.db
    .insert(authenticationLdapPlan)
    .values({ directory: id ?? '', plan, date_due })
    .onConflictDoUpdate({
      target: directory,
      set: { plan: sql`excluded.plan`, date_due: sql`excluded.date_due` },
    })
  return due
}

async function importPeople(kernel: Kernel, source: LdapSource): Promise<void> {
  const { log } = kernel.app
  const { id } = source
  try {
    const people = await askForUsers(kernel, source)
    // It may have been switched off while it was read.
    if (!(await sourceInForce(kernel, id))) return
    const { saved, refused } = await savePeople(kernel, people, {
      source: 'ldap',
      directory: id,
      create: true,
      update: true,
    })
    await keepNewEntries(kernel.db, id, saved, people)
    await letGoOfMissing(kernel, id, people)
    const count = (done: string) => saved.filter((one) => one.done === done).length
    log.info(
      { directory: id, created: count('created'), updated: count('updated'), refused: refused.size },
      'people of the LDAP directory were imported',
    )
  } catch (error) {
    log.error({ err: error, directory: id }, 'people of the LDAP directory could not be imported')
  }
}
