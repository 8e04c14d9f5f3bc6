import { and, like, notInArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notificationsAlarm } from './tables.ts'

/** A figure that goes up and down around its limit is told once in this time. */
const QUIET_MINUTES = 60

/**
 * Notes that an alarm holds. True only the first time, so that it is told once however often it is
 * looked at, and on whichever node.
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
 * Forgets the alarms under `prefix` that do not hold any more, an hour after they began, so that
 * they are told when they come again.
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
