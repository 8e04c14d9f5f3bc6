import type { SQL } from 'drizzle-orm'
import { refused } from '../errors/app-error.ts'
import { refuseIgnoredKeys } from '../watched-query.ts'
import { anyOf, listConditions } from './conditions.ts'
import {
  columnOf,
  type DeleteContext,
  isUnaudited,
  type ReadContext,
  readableColumns,
  type StoredRow,
} from './mount.ts'
import { deletionsOf } from './operate-log/write-log.ts'
import { getStored } from './read.ts'
import type { MountedResource } from './registry.ts'
import { type AfterCommit, inTransaction } from './transaction.ts'

/**
 * DELETE of one row, or of several by a comma list of ids (B7.36, B7.38). Throws 404 when one
 * of them does not exist.
 */
export async function deleteRowsById(
  resource: MountedResource,
  ids: readonly string[],
  context: ReadContext,
): Promise<void> {
  await inTransaction(context, async (inside, afterCommit) => {
    const rows: StoredRow[] = []
    for (const id of ids) rows.push(await getStored(resource, id, inside, true))
    await deleteStored(resource, rows, ids.length > 1, inside, afterCommit)
  })
}

/**
 * DELETE of the list: everything that its filters select. Refused with 400 when nothing narrows a
 * list of more than one row, so that a lost query string can't empty a table
 * (docs/rules/api.md#bulk_delete). Answers how many rows were deleted.
 */
export async function deleteListed(resource: MountedResource, context: ReadContext): Promise<number> {
  return inTransaction(context, async (inside, afterCommit) => {
    const { where, narrowed } = await listConditions(resource, inside)
    refuseIgnoredKeys(inside.query, inside.call.language)
    const rows = await selectForDelete(resource, where, inside)
    if (!narrowed && rows.length > 1)
      throw refused('bad_request', 'Say which rows to delete: the selection matches everything.')
    await deleteStored(resource, rows, true, inside, afterCommit)
    return rows.length
  })
}

async function selectForDelete(
  { mount }: MountedResource,
  where: SQL | undefined,
  { db }: ReadContext,
): Promise<StoredRow[]> {
  const columns = readableColumns(mount)
  return db.select(columns).from(mount.table).where(where).orderBy(columnOf(mount.table, 'id')).for('update')
}

async function deleteStored(
  resource: MountedResource,
  rows: readonly StoredRow[],
  bulk: boolean,
  context: ReadContext,
  afterCommit: AfterCommit,
): Promise<void> {
  if (!rows.length) return
  const { mount } = resource
  const deleting: DeleteContext = { ...context, rows, bulk, afterCommit: (work) => afterCommit.push(work) }
  const operations = isUnaudited(mount, context.call) ? [] : await deletionsOf(resource, rows, context)
  for (const rule of mount.rules?.beforeDelete ?? []) await rule(deleting)
  await context.db.delete(mount.table).where(
    anyOf(
      columnOf(mount.table, 'id'),
      rows.map((row) => row.id),
    ),
  )
  for (const rule of mount.rules?.afterDelete ?? []) await rule(deleting)
  if (operations.length) await context.kernel.audit.record(context.db, context.call, operations)
}
