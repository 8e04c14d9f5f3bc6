import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { addPreviewPart, orgOfLook, touchedRows } from '../../kernel/resource/preview/parts.ts'

/**
 * Says in previews which open tickets are about what changes: its applicant or somebody who decides,
 * or a target or system user that it asks for.
 */
export function addTicketsToPreviews(kernel: Kernel): void {
  addPreviewPart(kernel, {
    // Before the write: it may close them.
    before(look) {
      const org = orgOfLook(look)
      return touchedRows(
        look,
        sql`SELECT t.id, t.serial_num || ' ' || t.title AS name FROM tickets_ticket t
          WHERE t.status = 'open'${org ? sql` AND t.org_id = ${org}::uuid` : sql``} AND EXISTS (
            SELECT 1 FROM (
              SELECT id FROM preview_change WHERE kind IN ('person', 'target', 'account')
              UNION SELECT other FROM preview_change WHERE kind = 'member') touched
            WHERE touched.id = t.applicant
              OR EXISTS (SELECT 1 FROM tickets_assignee a WHERE a.ticket_id = t.id AND a.user_id = touched.id)
              OR position(touched.id::text IN coalesce(t.amended, t.meta)::text) > 0)`,
      )
    },
    after: async (_look, tickets) => ({ tickets }),
  })
}
