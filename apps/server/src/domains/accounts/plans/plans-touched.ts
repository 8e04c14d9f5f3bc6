import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { addPreviewPart, orgOfLook, touchedRows } from '../../../kernel/resource/preview/parts.ts'

/**
 * Says in previews which plans of secrets are about what changes: they name a target, a system user or
 * a node that is touched, or a node above one, in which assets come or go.
 */
export function addPlansToPreviews(kernel: Kernel): void {
  addPreviewPart(kernel, {
    before(look) {
      const org = orgOfLook(look)
      return touchedRows(
        look,
        sql`WITH touched AS (SELECT kind, id, other, path FROM preview_change)
          SELECT p.id, p.name FROM accounts_change_plan p
          WHERE ${org ? sql`p.org_id = ${org}::uuid` : sql`true`} AND p.id IN (
            SELECT plan FROM accounts_change_plan_asset WHERE asset IN (SELECT id FROM touched WHERE kind = 'target')
            UNION SELECT plan FROM accounts_change_plan_app WHERE app IN (SELECT id FROM touched WHERE kind = 'target')
            UNION SELECT plan FROM accounts_change_plan_system_user
              WHERE "system_user" IN (SELECT id FROM touched WHERE kind = 'account')
            UNION SELECT pn.plan FROM accounts_change_plan_node pn JOIN assets_listed_node above ON above.id = pn.node
              WHERE EXISTS (SELECT 1 FROM touched c JOIN assets_listed_node n ON n.id = c.id
                WHERE c.kind IN ('node', 'node_target') AND (above.path @> n.path OR above.path @> c.path)))`,
      )
    },
    after: async (_look, plans) => ({ plans }),
  })
}
