import { getTableName } from 'drizzle-orm'
import { readableColumns } from '../resource/mount.ts'
import type { MountedResource } from '../resource/registry.ts'

/** The table that the resource is stored in. */
export const tableOf = ({ mount }: MountedResource): string => getTableName(mount.table)

/**
 * The field of a column of the resource's own table; of other tables their relation. Undefined for
 * what people do not enter.
 */
export function fieldOfColumn(resource: MountedResource, table: string, column: string): string | undefined {
  const { definition, mount } = resource
  if (table !== tableOf(resource)) return relationOfTable(resource, table)
  if (column.endsWith('_sealed')) return column.slice(0, -'_sealed'.length)
  const [name] = Object.entries(readableColumns(mount)).find(([, { name }]) => name === column) ?? []
  const field = name === undefined ? undefined : definition.fields[name]
  return field && !field.readOnly ? name : undefined
}

/** The field whose pairs are in that table. */
export function relationOfTable({ mount }: MountedResource, table: string): string | undefined {
  const [name] =
    Object.entries(mount.relations ?? {}).find(([, relation]) => getTableName(relation.table) === table) ?? []
  return name
}
