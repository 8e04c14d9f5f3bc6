import { sshAuthority } from '@sallyport/contract/resources/assets/ssh-authority.ts'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { assetsSshAuthority } from '../tables.ts'

export { trustedAuthorities } from './certified-keys.ts'
export { ensureAuthority } from './new-authority.ts'

/** Ends the overlap: what an earlier version certified is asked for no more. */
export function registerAuthorities({ app, db, audit }: Kernel): void {
  app.route({
    method: 'POST',
    url: `${sshAuthority.path}:id/retire/`,
    config: {
      access: ['org_admin'],
      summary: 'Retire an earlier version of the SSH certificate authority: its key is deleted',
      answers: 'nothing',
    },
    handler: async (request, reply) => {
      const { id } = request.params as { id: string }
      const { call } = request
      // Undo keeps nothing of it: the key is gone for good.
      await db.transaction(async (tx) => {
        const row = await rowInOrg(tx, call, assetsSshAuthority, id)
        const [newer] = await tx
          .select({ id: assetsSshAuthority.id })
          .from(assetsSshAuthority)
          .where(
            and(
              eq(assetsSshAuthority.org_id, row.org_id),
              gt(assetsSshAuthority.version, row.version),
              isNull(assetsSshAuthority.date_retired),
            ),
          )
          .limit(1)
        if (!newer) throw refused('authority_is_current', 'Create the next version first: this one certifies now')
        const { rowCount } = await tx
          .update(assetsSshAuthority)
          .set({ date_retired: sql`now()`, private_key_sealed: null, date_updated: sql`now()` })
          .where(and(eq(assetsSshAuthority.id, row.id), isNull(assetsSshAuthority.date_retired)))
        if (!rowCount) return
        await audit.record(tx, call, [
          {
            action: 'update',
            resourceType: sshAuthority.label,
            resource: `v${row.version}`,
            orgId: row.org_id,
            object: { type: sshAuthority.name, id: row.id },
            changes: [{ field: 'date_retired', before: null, after: new Date().toISOString() }],
          },
        ])
      })
      return reply.status(204).send()
    },
  })
}
