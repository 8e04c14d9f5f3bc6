import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { orgsMembership } from '../../orgs/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { wasUsedBefore } from './password.ts'
import { isStrongEnough } from './password-rules.ts'

/**
 * Throws 400 on the field given when a password breaks the rules or is one of the person's last
 * ones.
 */
export async function checkNewPassword(
  kernel: Kernel,
  db: Database,
  user: { id: string; role: string },
  password: string,
  field: string,
): Promise<void> {
  const settings = settingsOf(kernel)
  if (!isStrongEnough(password, settings, await isAnyAdmin(db, user)))
    throw invalid({ [field]: 'Password does not match security rules' })
  if (await wasUsedBefore(db, user.id, password, settings.get('OLD_PASSWORD_HISTORY_LIMIT_COUNT')))
    throw invalid({ [field]: 'The new password cannot be one of the last ones' })
}

/**
 * Whether this is a system administrator or an administrator of any organization: their passwords
 * have a minimum length of their own.
 */
export async function isAnyAdmin(db: Database, user: { id: string; role: string }): Promise<boolean> {
  if (user.role === 'Admin') return true
  const [row] = await db
    .select({ one: sql`1` })
    .from(orgsMembership)
    .where(and(eq(orgsMembership.user_id, user.id), eq(orgsMembership.role, 'Admin')))
    .limit(1)
  return row !== undefined
}
