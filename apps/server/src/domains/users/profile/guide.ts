import { and, eq, sql } from 'drizzle-orm'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import { recordOwnChange } from '../../../kernel/audit/own-change.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { usersUser } from '../tables.ts'

const DISMISSED = 'Guide to the first session dismissed'

/** The guide to the first session is sent away for a person and an organization, in every browser. */
export function registerGuide(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/users/profile/dismiss-guide/',
    config: { access: ['org_admin'], summary: 'Show me the guide of this organization no more', answers: 'nothing' },
    handler: async ({ call }, reply) => {
      await dismissGuide(kernel, call)
      return reply.status(204).send()
    },
  })
}

async function dismissGuide(kernel: Kernel, call: Call): Promise<void> {
  const user = callerOf(call)
  await kernel.db.transaction(async (db) => {
    const { guide_dismissed_in: known } = usersUser
    const changed = await db
      .update(usersUser)
      .set({ guide_dismissed_in: sql`array_append(${known}, ${call.org.id}::uuid)` })
      .where(and(eq(usersUser.id, user.id), sql`${call.org.id}::uuid <> ALL (${known})`))
      .returning({ id: usersUser.id })
    if (!changed.length) return
    await recordOwnChange(kernel, db, call, [
      { field: 'guide_dismissed_in', label: DISMISSED, before: false, after: true },
    ])
  })
}
