import { and, like, notInArray } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notificationsAlarm } from './tables.ts'

/** Notes that an alarm holds. True only the first time, so that it is told once however often it is looked at, and on whichever node. */
export async function beginAlarm({ db }: Pick<Kernel, 'db'>, name: string): Promise<boolean> {
  const begun = await db.insert(notificationsAlarm).values({ name }).onConflictDoNothing().returning({ name: notificationsAlarm.name })
  return begun.length > 0
}

/** Forgets the alarms under `prefix` that do not hold any more, so that they are told when they come again. */
export async function endAlarms({ db }: Pick<Kernel, 'db'>, prefix: string, holding: readonly string[]): Promise<void> {
  await db
    .delete(notificationsAlarm)
    .where(and(like(notificationsAlarm.name, `${prefix}%`), holding.length ? notInArray(notificationsAlarm.name, [...holding]) : undefined))
}
