import { and, eq, inArray } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { isRoot } from '../../kernel/access/call.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { columnOf, type WriteContext } from '../../kernel/resource/mount.ts'

/** The organisation that a row is, or will be, in; in the root organisation a new row names it itself. */
export function orgOfWrite({ row, call, body }: Pick<WriteContext, 'row' | 'call' | 'body'>): string {
  if (row) return String(row.org_id)
  if (!isRoot(call)) return call.org.id
  if (!isUuid(body.org_id)) throw invalid({ org_id: 'Choose an organization first: nothing can be created in the root organization.' })
  return body.org_id.toLowerCase()
}

/**
 * In the root organisation a person sees rows of all organisations, but a row may only refer to rows of its own:
 * otherwise one organisation's machines would be opened with another's secrets. Elsewhere the engine's scope sees to it.
 */
export function refuseForeignRows(references: Readonly<Record<string, PgTable>>) {
  return async (context: WriteContext): Promise<void> => {
    if (!isRoot(context.call)) return
    const orgId = orgOfWrite(context)
    for (const [field, table] of Object.entries(references)) {
      const ids = [context.draft[field]].flat().filter((id) => id !== null && id !== undefined)
      if (!ids.length) continue
      const found = await context.db
        .select({ id: columnOf(table, 'id') })
        .from(table)
        .where(and(inArray(columnOf(table, 'id'), ids), eq(columnOf(table, 'org_id'), orgId)))
      if (found.length < new Set(ids.map(String)).size) throw invalid({ [field]: 'It belongs to another organization.' })
    }
  }
}
