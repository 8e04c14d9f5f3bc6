import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { addPreviewPart, orgOfLook, touchedRows } from '../../../kernel/resource/preview/parts.ts'

/**
 * Says in previews which schedules of runbooks would lose a machine, or go with their author: they
 * run with the author's rights. The rights that change are in `preview_right` by then
 * (docs/design/access.md).
 */
export function addSchedulesToPreviews(kernel: Kernel): void {
  addPreviewPart(kernel, {
    async before(look) {
      const org = orgOfLook(look)
      await look.db.execute(sql`
        CREATE TEMP TABLE preview_schedule ON COMMIT DROP AS
        SELECT s.id, s.user_id, s.run_as, h.asset, r.name
        FROM ops_runbook_schedule s JOIN ops_runbook r ON r.id = s.runbook
        LEFT JOIN ops_runbook_schedule_host h ON h.schedule = s.id
        WHERE s.is_periodic${org ? sql` AND s.org_id = ${org}::uuid` : sql``}`)
    },
    after: async (look) => ({
      schedules: await touchedRows(
        look,
        sql`SELECT DISTINCT s.id, s.name FROM preview_schedule s
          WHERE NOT EXISTS (SELECT 1 FROM ops_runbook_schedule kept WHERE kept.id = s.id)
            OR EXISTS (SELECT 1 FROM preview_right lost WHERE lost.after = 0
              AND lost.person = s.user_id AND lost.account = s.run_as AND lost.target = s.asset)`,
      ),
    }),
  })
}
