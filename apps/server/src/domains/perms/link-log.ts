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

/** A permission, as the operate log names it. */
export interface LoggedPermission {
  type: string
  id: string
  name: string
  org_id: string
}

/**
 * Logs what was added to or removed from permissions, pair by pair: `left ADD right`
 * (docs/rules/audits.md#operate_log). The statements depend on the number of relations alone.
 */
export async function recordLinks(
  kernel: Kernel,
  db: Database,
  call: Call,
  changes: readonly (LinkChange & { permission: LoggedPermission })[],
): Promise<void> {
  for (const [relation, some] of Map.groupBy(changes, ({ relation }) => relation)) {
    const ids = [...new Set(some.flatMap(({ added, removed }) => [...added, ...removed]))]
    if (!ids.length) continue
    const { rows } = await db.execute<{ id: string; text: string }>(
      sql`SELECT t.id, ${relation.display} AS text FROM ${relation.target} t WHERE t.id = ${anyOf(ids)}`,
    )
    const texts = new Map(rows.map(({ id, text }) => [id, text]))
    const operations = some.flatMap(({ permission, added, removed }) => {
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
      return [...added.map(line('create', 'ADD')), ...removed.map(line('delete', 'REMOVE'))]
    })
    await kernel.audit.record(db, call, operations)
  }
}
