import { sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { anyOf } from './grants.ts'
import type { Relation } from './relations.ts'

export interface LinkChange {
  relation: Relation
  added: readonly string[]
  removed: readonly string[]
}

/**
 * Logs what was added to or removed from a permission, pair by pair: `left ADD right`
 * (docs/rules/audits.md#operate_log).
 */
export async function recordLinks(
  kernel: Kernel,
  db: Database,
  call: Call,
  permission: { type: string; id: string; name: string; org_id: string },
  changes: readonly LinkChange[],
): Promise<void> {
  for (const { relation, added, removed } of changes) {
    if (!added.length && !removed.length) continue
    const { rows } = await db.execute<{ id: string; text: string }>(
      sql`SELECT t.id, ${relation.display} AS text FROM ${relation.target} t WHERE t.id = ${anyOf([...added, ...removed])}`,
    )
    const texts = new Map(rows.map(({ id, text }) => [id, text]))
    const line = (action: 'create' | 'delete', verb: string) => (id: string) => ({
      action,
      resourceType: relation.definition.label,
      resource: `${permission.name} ${verb} ${texts.get(id) ?? id}`,
      orgId: permission.org_id,
      object: { type: permission.type, id: permission.id },
      changes: [
        verb === 'ADD'
          ? { field: relation.field, added: [texts.get(id) ?? id] }
          : { field: relation.field, removed: [texts.get(id) ?? id] },
      ],
    })
    await kernel.audit.record(db, call, [...added.map(line('create', 'ADD')), ...removed.map(line('delete', 'REMOVE'))])
  }
}
