import { and, eq, isNull, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { credentials } from '../credentials.ts'
import { isAnyAdmin } from '../password/new-password.ts'
import { usersUser } from '../tables.ts'

/** RFC 6238 as every authenticator app supports it: SHA-1, six digits, 30 seconds. */
const PERIOD_SECONDS = 30
const DIGITS = 6
const SECRET_BYTES = 20

type User = typeof usersUser.$inferSelect

/**
 * Whether the installation or an administrator forces this person to use a second factor
 * (docs/rules/users.md#forced_mfa).
 */
export async function isMfaForced(
  kernel: Kernel,
  db: Database,
  user: Pick<User, 'id' | 'role' | 'mfa_level'>,
): Promise<boolean> {
  if (user.role === 'App') return false
  if (user.mfa_level === 2) return true
  const policy = settingsOf(kernel).get('SECURITY_MFA_AUTH')
  return policy === 1 || (policy === 2 && (await isAnyAdmin(db, user)))
}

/** Whether this person signs in with a second factor, because they chose it or are forced. */
export async function isMfaDue(kernel: Kernel, user: Pick<User, 'id' | 'role' | 'mfa_level'>): Promise<boolean> {
  return user.role !== 'App' && (user.mfa_level > 0 || (await isMfaForced(kernel, kernel.db, user)))
}

/** A new secret in base32, 160 bits from the system's random source. */
export const newOtpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** Content of the QR code for authenticator apps. */
export function otpUri(kernel: Kernel, username: string, secret: string): string {
  const issuer = settingsOf(kernel).get('OTP_ISSUER_NAME') || 'Sallyport'
  return totp(secret, { issuer, label: username }).toString()
}

/**
 * Whether the code is valid now and newer than the last one accepted, in which case it is used up.
 * The row stays locked meanwhile: when the same code is sent twice at once, on whichever nodes,
 * only one counts, and the secret can't change between reading and checking.
 */
export async function takeOtpCode(kernel: Kernel, db: Database, userId: string, code: string): Promise<boolean> {
  return db.transaction(async (inside) => {
    const [user] = await inside
      .select({ otp_secret_sealed: usersUser.otp_secret_sealed, last_step: usersUser.otp_last_step })
      .from(usersUser)
      .where(eq(usersUser.id, userId))
      .for('update')
    if (!user?.otp_secret_sealed) return false
    const step = stepOf(
      kernel,
      kernel.secrets.open('sign_in', `authenticator app of ${userId}`)(user.otp_secret_sealed),
      code,
    )
    if (step === undefined || (user.last_step !== null && user.last_step >= step)) return false
    await inside.update(usersUser).set({ otp_last_step: step }).where(eq(usersUser.id, userId))
    return true
  })
}

/**
 * Binds an authenticator app and switches the second factor on, if the code proves that the app
 * knows the secret. Never replaces another app: answers `bound` also when one was bound meanwhile.
 */
export async function bindOtp(
  kernel: Kernel,
  db: Database,
  userId: string,
  secret: string,
  code: string,
): Promise<'ok' | 'wrong' | 'bound'> {
  const step = stepOf(kernel, secret, code)
  if (step === undefined) return 'wrong'
  const stored = await db
    .update(usersUser)
    .set({
      otp_secret_sealed: kernel.secrets.seal(secret),
      otp_last_step: step,
      mfa_level: sql`greatest(${usersUser.mfa_level}, 1)`,
    })
    .where(and(eq(usersUser.id, userId), isNull(usersUser.otp_secret_sealed)))
    .returning({ id: usersUser.id })
  return stored.length ? 'ok' : 'bound'
}

/**
 * Forgets the app, and switches the second factor off unless it is forced or a passkey is left to
 * prove it.
 */
export async function unbindOtp(db: Database, userId: string): Promise<void> {
  await db
    .update(usersUser)
    .set({
      otp_secret_sealed: null,
      otp_last_step: null,
      mfa_level: sql`CASE WHEN ${usersUser.mfa_level} = 1 AND NOT ${credentials.value.hasPasskey(usersUser.id)} THEN 0 ELSE ${usersUser.mfa_level} END`,
    })
    .where(eq(usersUser.id, userId))
}

/**
 * The time step that the code belongs to, within the window; compared in constant time by the
 * library.
 */
function stepOf(kernel: Kernel, secret: string, code: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const timestamp = Date.now()
  const delta = totp(secret).validate({ token: code, timestamp, window: settingsOf(kernel).get('OTP_VALID_WINDOW') })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta
}

function totp(secret: string, name: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({
    ...name,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_SECONDS,
  })
}
