import { eq, sql } from 'drizzle-orm'
import type { Credentials } from '../../users/index.ts'
import { dropResetLinks, endConnections, endSignIns } from '../end-sign-ins.ts'
import { mfaChoices } from '../factors/index.ts'
import { forgetAllFailures, lockedNames } from '../failures.ts'
import { hasFreshMfa } from '../second-factor/fresh-mfa.ts'
import { authenticationPasskey } from '../tables.ts'
import { createAccessKey, suspendAccessKeys } from './access-key.resource.ts'

/** What people sign in with, as the users domain asks for it. */
export const storedCredentials: Credentials = {
  endSignIns,
  endConnections,
  suspendAccessKeys,
  dropResetLinks,
  unlock: forgetAllFailures,
  lockedNames,
  hasFreshMfa,
  async dropPasskeys(db, userId) {
    await db.delete(authenticationPasskey).where(eq(authenticationPasskey.user_id, userId))
  },
  async passkeyCounts(db, userIds) {
    const rows = await db
      .select({ user_id: authenticationPasskey.user_id, count: sql<number>`count(*)::int` })
      .from(authenticationPasskey)
      .where(sql`${authenticationPasskey.user_id} = ANY(${sql.param([...userIds])}::uuid[])`)
      .groupBy(authenticationPasskey.user_id)
    return new Map(rows.map(({ user_id, count }) => [user_id, count]))
  },
  hasPasskey: (userId) => sql<boolean>`EXISTS (SELECT 1 FROM authentication_passkey p WHERE p.user_id = ${userId})`,
  hasFactor: async (kernel, userId) => (await mfaChoices(kernel, userId)).length > 0,
  createAccessKey: (kernel, db, userId) => createAccessKey(db, kernel.secrets, userId),
}
