import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import { authenticationFailure } from './tables.ts'

/**
 * What is counted: requests for a new password by mail address or name, by phone and by network
 * address; links that were wrong, and codes by name; codes that were sent to a person, and those
 * that were asked for without any proof, by network address and by name.
 */
type Kind = 'forgot' | 'forgot_ip' | 'forgot_phone' | 'reset' | 'reset_code' | 'sms' | 'sms_ip' | 'sms_name'

/** Tries in a window of minutes. One address may stand for a whole office. */
const LIMITS: Readonly<Record<Kind, { tries: number; minutes: number }>> = {
  forgot: { tries: 5, minutes: 60 },
  forgot_ip: { tries: 30, minutes: 60 },
  forgot_phone: { tries: 5, minutes: 60 },
  reset_code: { tries: 10, minutes: 60 },
  reset: { tries: 20, minutes: 10 },
  sms: { tries: 20, minutes: 60 },
  sms_ip: { tries: 120, minutes: 60 },
  sms_name: { tries: 10, minutes: 60 },
}

/**
 * Counts a try and answers whether it is one too many. In one statement, so that tries in parallel
 * are all counted.
 */
export async function isTooMany(db: Database, kind: Kind, key: string): Promise<boolean> {
  const { tries, minutes } = LIMITS[kind]
  const over = sql`${authenticationFailure.date_expired} <= now()`
  const date_expired = sql`now() + make_interval(mins => ${minutes})`
  const [row] = await db
    .insert(authenticationFailure)
    .values({ kind, username: '', remote_addr: key.slice(0, 128), failures: 1, date_expired })
    .onConflictDoUpdate({
      target: [authenticationFailure.kind, authenticationFailure.username, authenticationFailure.remote_addr],
      set: {
        failures: sql`CASE WHEN ${over} THEN 1 ELSE ${authenticationFailure.failures} + 1 END`,
        date_expired: sql`CASE WHEN ${over} THEN ${date_expired} ELSE ${authenticationFailure.date_expired} END`,
      },
    })
    .returning({ failures: authenticationFailure.failures })
  return (row?.failures ?? 1) > tries
}

/** Whether the tries of the window are used up already, without counting one. */
export async function isUsedUp(db: Database, kind: Kind, key: string): Promise<boolean> {
  const [row] = await db
    .select({ failures: authenticationFailure.failures })
    .from(authenticationFailure)
    .where(
      and(
        eq(authenticationFailure.kind, kind),
        eq(authenticationFailure.remote_addr, key.slice(0, 128)),
        sql`${authenticationFailure.date_expired} > now()`,
      ),
    )
  return (row?.failures ?? 0) >= LIMITS[kind].tries
}

export const tooMany = () => new AppError(429, 'throttled', 'Too many tries, please wait a while')
