import type { Database } from '../../kernel/database/database.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import { countTry, highestCount } from './tries.ts'

/**
 * The counted requests. `forgot…`: requests for a new password by email or name, network address,
 * and phone; `reset`: wrong links and codes by network address, `reset_code` by name; `sms`: codes
 * sent to a person, `sms_ip` and `sms_name` those asked for without any proof.
 */
type Kind = 'forgot' | 'forgot_ip' | 'forgot_phone' | 'reset' | 'reset_code' | 'sms' | 'sms_ip' | 'sms_name'

/** Attempts in a window of minutes. One network address may be that of a whole office. */
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

/** Counts an attempt and answers whether it is beyond the limit. */
export async function isTooMany(db: Database, kind: Kind, key: string): Promise<boolean> {
  const { tries, minutes } = LIMITS[kind]
  return (await countTry(db, keyOf(kind, key), { minutes, since: 'first' })) > tries
}

/** Whether the limit has been reached, without counting an attempt. */
export async function isUsedUp(db: Database, kind: Kind, key: string): Promise<boolean> {
  return (await highestCount(db, keyOf(kind, key))) >= LIMITS[kind].tries
}

const keyOf = (kind: Kind, key: string) => ({ kind, username: '', remote_addr: key.slice(0, 128) })

export const tooMany = () => new AppError(429, 'throttled', 'Too many tries, please wait a while')
