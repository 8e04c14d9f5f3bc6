import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { addMemberships } from '../orgs/index.ts'
import { looksOf } from './look-alike/look-alike.ts'
import { BUILT_IN_ADMIN } from './may-change.ts'
import { hashPassword } from './password/password.ts'
import { readablePassword } from './password/readable-password.ts'
import { usersPasswordHistory, usersUser, usersUserGroup, usersUserGroupUser } from './tables.ts'

const GENERATED_LENGTH = 16
const PASSWORD_FILE = 'admin-password.txt'

/**
 * Makes the first administrator where there is none. Without SALLYPORT_ADMIN_PASSWORD the password
 * is made up and must be changed at the first sign-in; it is answered here once, and kept in a file
 * of the data directory (0600) until it has been changed.
 */
export async function ensureFirstAdmin(kernel: Kernel): Promise<string | undefined> {
  const { db, config } = kernel
  const file = join(config.dataDirectory, PASSWORD_FILE)
  const [existing] = await db
    .select({ must: usersUser.need_update_password })
    .from(usersUser)
    .where(eq(usersUser.username, BUILT_IN_ADMIN))
  if (existing) {
    if (!existing.must) await rm(file, { force: true })
    return undefined
  }
  const generated = config.adminPassword === undefined
  const password = config.adminPassword ?? readablePassword(GENERATED_LENGTH)
  const password_hash = await hashPassword(password)
  return db.transaction(async (inside) => {
    const [admin] = await inside
      .insert(usersUser)
      .values({
        name: 'Administrator',
        username: BUILT_IN_ADMIN,
        looks: looksOf(BUILT_IN_ADMIN),
        email: 'admin@sallyport.local',
        role: 'Admin',
        password_hash,
        need_update_password: generated,
        is_first_login: false,
        date_password_last_updated: new Date(),
        created_by: 'System',
      })
      .onConflictDoNothing()
      .returning({ id: usersUser.id })
    // Another node that started at the same time was faster, and has answered its own password.
    if (!admin) return undefined
    await inside.insert(usersPasswordHistory).values({ user_id: admin.id, password_hash })
    await addMemberships(inside, [{ org: DEFAULT_ORG_ID, user: admin.id, role: 'Admin' }])
    const [group] = await inside
      .insert(usersUserGroup)
      .values({ name: 'Default', org_id: DEFAULT_ORG_ID, created_by: 'System' })
      .onConflictDoNothing()
      .returning({ id: usersUserGroup.id })
    if (group) await inside.insert(usersUserGroupUser).values({ usergroup: group.id, user: admin.id })
    if (!generated) return undefined
    // Before the commit: a password that nobody has seen would lock everybody out.
    await rm(file, { force: true })
    await writeFile(file, `${password}\n`, { mode: 0o600, flag: 'wx' })
    return password
  })
}
