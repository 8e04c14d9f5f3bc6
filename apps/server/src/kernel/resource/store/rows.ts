import { eq } from 'drizzle-orm'
import { columnOf, nameInCode, readableColumns, type StoredRow, type WriteContext } from '../mount.ts'
import type { MountedResource } from '../registry.ts'
import { sealShapes } from '../shapes.ts'

/** Stores new rows in one statement; they are answered in the order of `contexts`, of one transaction. */
export async function storeCreated(
  { definition, mount }: MountedResource,
  contexts: readonly WriteContext[],
): Promise<StoredRow[]> {
  const [first] = contexts
  if (!first) return []
  const values = contexts.map((context) => newValues({ definition, mount }, context))
  const stored = await first.db.insert(mount.table).values(values).returning(readableColumns(mount))
  return stored as StoredRow[]
}

function newValues(resource: MountedResource, context: WriteContext): Record<string, unknown> {
  const { definition, mount } = resource
  const { call, draft } = context
  const columns = readableColumns(mount)
  const values = columnValues(resource, context)
  if (definition.scope === 'org') values.org_id = call.org.id
  if (mount.owner && definition.scope === 'self') values[nameInCode(mount.owner)] = call.user?.id
  for (const [name, column] of Object.entries(mount.parameters ?? {}))
    values[nameInCode(column)] ??= context.parameters[name]
  // Cut to 30 characters, as clients expect (docs/rules/api.md#writes).
  if ('created_by' in columns && !draft.created_by) values.created_by = call.user?.name.slice(0, 30) ?? 'System'
  return values
}

/** Stores what the draft changes of a row, and answers the row as it is then. */
export async function storeUpdated(
  resource: MountedResource,
  row: StoredRow,
  context: WriteContext,
): Promise<StoredRow> {
  const { mount } = resource
  const columns = readableColumns(mount)
  const values = columnValues(resource, context)
  if (!Object.keys(values).length) return row
  const [stored] = await context.db
    .update(mount.table)
    .set(values)
    .where(eq(columnOf(mount.table, 'id'), row.id))
    .returning(columns)
  return stored as StoredRow
}

/** The draft's stored part: columns by name, secrets sealed. */
function columnValues(
  { definition, mount }: MountedResource,
  { draft, row, kernel }: WriteContext,
): Record<string, unknown> {
  const columns = readableColumns(mount)
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(draft)) {
    if (mount.sealed?.includes(name)) {
      // An empty secret means "leave it": forms never get the stored one to send back.
      if (typeof value === 'string' && value !== '') values[`${name}_sealed`] = kernel.secrets.seal(value)
    } else if (columns[name] && !(value instanceof Date && value === row?.[name])) values[name] = value
  }
  return Object.assign(values, sealShapes(definition, draft, row, kernel.secrets))
}
