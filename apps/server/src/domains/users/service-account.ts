import { eq, or, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { type AccessKey, credentials } from './credentials.ts'
import { looksOf } from './look-alike/look-alike.ts'
import { lookAlikes } from './look-alike/refuse-look-alikes.ts'
import { usersUser } from './tables.ts'
import { lookOf, UNSEEN } from './username.ts'

export const serviceAccountName = z.string().trim().min(1).max(128)

/**
 * Makes the account of a component: role App, no password, and an access key to sign with. Throws
 * 400 on `name` when it is taken, or looks like one that is, and 400 `error`, in `language`, while
 * registration is off (docs/rules/users.md#service_account).
 */
export async function createServiceAccount(
  kernel: Kernel,
  db: Database,
  { name, language }: { name: string; language: Language },
): Promise<{ id: string; name: string; access_key: AccessKey }> {
  if (!settingsOf(kernel).get('SECURITY_SERVICE_ACCOUNT_REGISTRATION'))
    throw new AppError(400, 'registration_disabled', 'Registration is disabled', {
      body: { error: translate(language, 'Registration is disabled') },
    })
  if (UNSEEN.test(name)) throw invalid({ name: 'A username holds no invisible characters' })
  const email = `${name}@serviceaccount.local`
  const [taken] = await db
    .select({ id: usersUser.id })
    .from(usersUser)
    .where(or(eq(lookOf(usersUser.username), lookOf(name)), eq(sql`lower(${usersUser.email})`, email.toLowerCase())))
  if (taken || (await lookAlikes(db, [name])).get(name)?.length) throw invalid({ name: 'This field must be unique.' })
  const [account] = await db
    .insert(usersUser)
    .values({
      name,
      username: name,
      looks: looksOf(name),
      email,
      role: 'App',
      source: 'local',
      is_first_login: false,
      created_by: 'System',
    })
    .returning({ id: usersUser.id, name: usersUser.name })
  if (!account) throw new Error('the service account was not stored')
  return { ...account, access_key: await credentials.value.createAccessKey(kernel, db, account.id) }
}
