import { and, like, notInArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notificationsAlarm } from './tables.ts'

/** A figure that goes up and down around its limit is reported once in this time. */
const QUIET_MINUTES = 60

/**
 * Records that an alarm is raised. True only the first time, so that it is reported once, however
 * often and on however many nodes it is noticed.
 */
export async function beginAlarm({ db }: Pick<Kernel, 'db'>, name: string): Promise<boolean> {
  const begun = await db
    .insert(notificationsAlarm)
    .values({ name })
    .onConflictDoNothing()
    .returning({ name: notificationsAlarm.name })
  return begun.length > 0
}

/**
 * Forgets the alarms whose name begins with `prefix` and that are not among those `holding`, an
 * hour after they were raised: when they come again, they are reported again.
 */
export async function endAlarms({ db }: Pick<Kernel, 'db'>, prefix: string, holding: readonly string[]): Promise<void> {
  await db
    .delete(notificationsAlarm)
    .where(
      and(
        like(notificationsAlarm.name, `${prefix}%`),
        sql`${notificationsAlarm.date_created} < now() - make_interval(mins => ${QUIET_MINUTES})`,
        holding.length ? notInArray(notificationsAlarm.name, [...holding]) : undefined,
      ),
    )
}
