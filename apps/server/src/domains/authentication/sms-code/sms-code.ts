import { randomInt } from 'node:crypto'
import { and, eq, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { SmsError, sendCode } from '../../sms/index.ts'
import type { User } from '../../users/index.ts'
import { isTooMany } from '../password-reset-limits.ts'
import { authenticationSmsCode } from './tables.ts'

/**
 * How long a code is valid; a phone gets one code in that time (docs/rules/authentication.md#mfa).
 */
const CODE_SECONDS = 60
/**
 * Digits of a code. One that opens an account by itself is longer than one that follows a password.
 */
const DIGITS = { mfa: 4, reset: 6 } as const

/** The purpose of a code; one that resets a password signs nobody in. */
export type SmsPurpose = 'mfa' | 'reset'
type Person = Pick<User, 'id' | 'phone'>

/**
 * Sends a new code to the person's phone. It is valid for this purpose and `holder` (the sign-in or
 * browser that asked) alone.
 * @throws AppError 400 code_send_too_frequently, 400 verify_code_sign_tmpl_invalid, 500
 * unexpect_error (docs/rules/authentication.md#mfa)
 */
export async function sendSmsCode(
  kernel: Kernel,
  { id, phone }: Person,
  purpose: SmsPurpose,
  holder: string,
): Promise<void> {
  if (!phone) throw new AppError(400, 'phone_not_set', 'There is no phone number to send a code to')
  const code = newCode(DIGITS[purpose])
  const claimed = await claimPhone(kernel, phone, {
    user_id: id,
    purpose,
    holder,
    code_hash: kernel.secrets.fingerprint(sentence(phone, id, purpose, holder, code)),
  })
  if (!claimed || (await isTooMany(kernel.db, 'sms', id)))
    throw new AppError(400, 'code_send_too_frequently', 'A code was sent a moment ago: wait a minute before the next')
  try {
    const settings = settingsOf(kernel)
    await sendCode(kernel, settings.get('SMS_BACKEND'), settings.all(), phone, code)
  } catch (error) {
    // Nothing was sent: the next one may be asked for at once.
    await kernel.db
      .delete(authenticationSmsCode)
      .where(and(eq(authenticationSmsCode.phone, phone), eq(authenticationSmsCode.holder, holder)))
    if (!(error instanceof SmsError)) throw error
    kernel.app.log.warn({ reason: error.reason, detail: error.message }, 'a code could not be sent by short message')
    throw error.reason === 'template'
      ? new AppError(
          400,
          'verify_code_sign_tmpl_invalid',
          'The SMS signature or template is not valid. Tell an administrator.',
        )
      : new AppError(
          500,
          'unexpect_error',
          'The code could not be sent, please try again later or tell an administrator',
        )
  }
}

type Claim = Pick<typeof authenticationSmsCode.$inferInsert, 'user_id' | 'purpose' | 'holder' | 'code_hash'>

/**
 * Whether the phone may get a code now. One statement, so that of simultaneous requests on all
 * nodes one may.
 */
async function claimPhone({ db }: Kernel, phone: string, claim: Claim): Promise<boolean> {
  const values = { ...claim, date_sent: sql`now()`, date_expired: sql`now() + make_interval(secs => ${CODE_SECONDS})` }
  const rows = await db
    .insert(authenticationSmsCode)
    .values({ phone, ...values })
    .onConflictDoUpdate({
      target: authenticationSmsCode.phone,
      set: values,
      setWhere: lte(authenticationSmsCode.date_sent, sql`now() - make_interval(secs => ${CODE_SECONDS})`),
    })
    .returning({ phone: authenticationSmsCode.phone })
  return rows.length === 1
}

/**
 * Whether this is the code that was sent to the person's phone for this purpose and holder; it is
 * then used up on all nodes. `expired` when no code of theirs is valid any more. The attempt has
 * been counted before.
 */
export async function takeSmsCode(
  kernel: Kernel,
  { id, phone }: Person,
  purpose: SmsPurpose,
  holder: string,
  code: string,
): Promise<boolean | 'expired'> {
  if (!phone) return false
  const open = and(
    eq(authenticationSmsCode.phone, phone),
    eq(authenticationSmsCode.user_id, id),
    eq(authenticationSmsCode.purpose, purpose),
    eq(authenticationSmsCode.holder, holder),
    isNotNull(authenticationSmsCode.code_hash),
    gt(authenticationSmsCode.date_expired, sql`now()`),
  )
  const taken = await kernel.db
    .update(authenticationSmsCode)
    .set({ code_hash: null })
    .where(
      and(
        open,
        inArray(
          authenticationSmsCode.code_hash,
          kernel.secrets.fingerprints(sentence(phone, id, purpose, holder, code)),
        ),
      ),
    )
    .returning({ phone: authenticationSmsCode.phone })
  if (taken.length) return true
  const waiting = await kernel.db.select({ phone: authenticationSmsCode.phone }).from(authenticationSmsCode).where(open)
  return waiting.length ? false : 'expired'
}

/** Digits from the system's random source. */
function newCode(length: number): string {
  const figures = [...'0123456789']
  return Array.from({ length }, () => figures.splice(randomInt(figures.length), 1)[0]).join('')
}

/** The text that is hashed with a key: so few digits could be guessed from a plain hash. */
const sentence = (phone: string, userId: string, purpose: SmsPurpose, holder: string, code: string): string =>
  ['sms', phone, userId, purpose, holder, code].join('\n')
