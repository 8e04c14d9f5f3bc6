import { sql } from 'drizzle-orm'
import type { TargetLimits } from '../../../kernel/access/target-limits.ts'

/** See `TargetLimits`: by the targets that a service identity names, and the nodes that assets are in or below. */
export const serviceTargetLimits: TargetLimits = {
  within: (family, target, user) => sql<boolean>`NOT EXISTS (
    SELECT 1 FROM authentication_service_identity i WHERE i.id = ${user} AND i.limits_targets AND NOT ${
      family === 'asset'
        ? sql`(EXISTS (SELECT 1 FROM authentication_service_identity_asset l WHERE l.identity = i.id AND l.asset = ${target})
          OR EXISTS (SELECT 1 FROM authentication_service_identity_node l JOIN assets_asset_under_node an ON an.node_id = l.node
            WHERE l.identity = i.id AND an.asset_id = ${target}))`
        : sql`EXISTS (SELECT 1 FROM authentication_service_identity_application l
          WHERE l.identity = i.id AND l.application = ${target})`
    })`,
}
