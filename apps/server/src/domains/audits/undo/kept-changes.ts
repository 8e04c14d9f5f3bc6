import { UNDO_AT_ONCE } from '@sallyport/contract/resources/audits/undo.ts'
import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { and, asc, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { type Call, callerOf, isOrgAuditor, isSuperAdmin } from '../../../kernel/access/call.ts'
import type { FieldChange } from '../../../kernel/audit/audit.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { inOrganization } from '../../../kernel/resource/in-organization.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { resourcesOf } from '../../../kernel/resource/registry.ts'
import { tableOf } from '../../../kernel/undo/fields-of-rows.ts'
import { type NetRow, netRows } from '../../../kernel/undo/net-rows.ts'
import { type KeptTable, rowsByOwner } from '../../../kernel/undo/row-images.ts'
import { kernelUndoLog, kernelUndoRow } from '../../../kernel/undo/tables.ts'
import type { KeptObject } from '../../../kernel/undo/take-back.ts'
import { SETTINGS_TABLE } from '../../settings/index.ts'
import { auditsOperateLog } from '../tables.ts'

export type LogRow = typeof auditsOperateLog.$inferSelect

/** A row of the operate log, and the change that it tells of; without one, nothing is kept. */
export interface LoggedChange {
  log: LogRow
  change: string | null
  isUndone: boolean
}

/** Rows of the log that one call reads; of a larger import the newest that are open. */
const MOST_READ = 5 * UNDO_AT_ONCE

/**
 * The rows of the log by an id of one, of a change or of an import, newest first. Throws 404 where
 * there is none that the caller may read; everybody may read their own changes.
 */
export async function findChanges(db: Database, call: Call, id: string): Promise<LoggedChange[]> {
  if (!isUuid(id)) throw notFound()
  const found = await db
    .select({ log: auditsOperateLog, change: kernelUndoLog.change, date_undone: kernelUndoLog.date_undone })
    .from(auditsOperateLog)
    .leftJoin(kernelUndoLog, eq(kernelUndoLog.log, auditsOperateLog.id))
    .where(
      and(
        inArray(
          auditsOperateLog.id,
          sql`(SELECT ${id}::uuid UNION SELECT log FROM kernel_undo_log WHERE change = ${id} OR batch = ${id})`,
        ),
        // Global objects are logged in the organization of the call; settings belong to none, and members to
        // that which they came into.
        isSuperAdmin(call)
          ? orOfAll(inOrganization(call, auditsOperateLog.org_id))
          : inOrganization(call, auditsOperateLog.org_id),
        isOrgAuditor(call) ? undefined : eq(auditsOperateLog.user_id, callerOf(call).id),
      ),
    )
    .orderBy(sql`${kernelUndoLog.date_undone} IS NOT NULL`, desc(auditsOperateLog.id))
    .limit(MOST_READ)
  if (!found.length) throw notFound()
  return found.map(({ log, change, date_undone }) => ({ log, change, isUndone: date_undone !== null }))
}

const orOfAll = (condition: SQL | undefined) =>
  condition && or(condition, inArray(auditsOperateLog.object_type, [SETTING, organizationMember.name]))

/** What rows of the log about settings call their object. */
export const SETTING = 'setting'

/** Kept rows of settings, as these changes wrote them. */
export async function keptSettings(db: Database, changes: readonly LoggedChange[]): Promise<NetRow[]> {
  const names = new Set(changes.map(({ log }) => log.object_id))
  const ids = [...new Set(changes.flatMap(({ change }) => (change ? [change] : [])))]
  if (!ids.length) return []
  const rows = await db
    .select()
    .from(kernelUndoRow)
    .where(and(inArray(kernelUndoRow.change, ids), eq(kernelUndoRow.table_name, SETTINGS_TABLE)))
    .orderBy(asc(kernelUndoRow.id))
  return netRows(rows).filter(({ key }) => names.has(String(key.name)))
}

/** An object with its rows of the log. */
export interface ChangedObject extends KeptObject {
  logs: readonly LogRow[]
}

/** The newest objects of these changes with the rows that were kept of them, and how many there are. */
export async function keptObjects(
  { kernel, db, call }: ReadContext,
  changes: readonly LoggedChange[],
  tables: ReadonlyMap<string, KeptTable>,
): Promise<{ objects: ChangedObject[]; total: number }> {
  const groups = [...Map.groupBy(changes, ({ log }) => `${log.object_type} ${log.object_id}`).values()]
  const wanted = groups.slice(0, UNDO_AT_ONCE)
  const ids = [...new Set(wanted.flat().flatMap(({ change }) => (change ? [change] : [])))]
  const rows = await db
    .select()
    .from(kernelUndoRow)
    .where(inArray(kernelUndoRow.change, ids))
    .orderBy(asc(kernelUndoRow.id))
  const isWhole = await areWhole(db, ids, changes)
  const net = netRows(rows)
  const ofOwner = rowsByOwner(net, tables)
  const objects = wanted.flatMap((group) => {
    const [{ log } = {} as LoggedChange] = group
    const resource = resourcesOf(kernel).find(log.object_type ?? '')
    if (!resource || !log.object_id) return []
    const own = isWhole && groups.length === 1 ? net : ofOwner(tableOf(resource), log.object_id)
    const inverted = group.flatMap((one) => (one.log.changes ?? []).map(invertedChange))
    if (!own.length) return []
    const logs = group.map((one) => one.log)
    const isOwn = logs.every(({ user_id }) => user_id === call.user?.id)
    return [{ resource, id: log.object_id, words: log.resource, orgId: log.org_id, isOwn, rows: own, inverted, logs }]
  })
  // Rows that name none of the objects went with one of them, as the groups of a member do.
  const [first] = objects
  if (first && isWhole && objects.length === groups.length) {
    const owned = new Set(objects.flatMap((object) => object.rows))
    first.rows = [...first.rows, ...net.filter((row) => !owned.has(row))]
  }
  if (changes.length < MOST_READ) return { objects, total: groups.length }
  const [change] = changes
  const whole = await db.execute<{ total: number }>(sql`
    SELECT count(*)::int AS total FROM kernel_undo_log o
    JOIN kernel_undo_log k ON o.change = k.change OR o.batch = k.batch
    WHERE k.log = ${change?.log.id} AND o.date_undone IS NULL`)
  return { objects, total: whole.rows[0]?.total ?? groups.length }
}

/** Whether these rows of the log are all that tell of the changes: then all rows are theirs. */
async function areWhole(db: Database, ids: readonly string[], changes: readonly LoggedChange[]): Promise<boolean> {
  return (await db.$count(kernelUndoLog, inArray(kernelUndoLog.change, [...ids]))) === changes.length
}

const invertedChange = ({ before, after, added, added_amount, removed, removed_amount, ...rest }: FieldChange) => ({
  ...rest,
  ...(after === undefined ? {} : { before: after }),
  ...(before === undefined ? {} : { after: before }),
  ...(removed ? { added: removed, added_amount: removed_amount ?? removed.length } : {}),
  ...(added ? { removed: added, removed_amount: added_amount ?? added.length } : {}),
})

/** Notes that these were taken back; what they had taken back themselves is open again. */
export async function noteUndone(db: Database, changes: readonly LoggedChange[]): Promise<void> {
  const logs = changes.map(({ log }) => log.id)
  const undone = await db
    .update(kernelUndoLog)
    .set({ date_undone: sql`now()` })
    .where(inArray(kernelUndoLog.log, logs))
    .returning({ undoes: kernelUndoLog.undoes })
  const again = [...new Set(undone.flatMap(({ undoes }) => (undoes ? [undoes] : [])))]
  if (!again.length) return
  const { log, change, batch } = kernelUndoLog
  await db
    .update(kernelUndoLog)
    .set({ date_undone: null })
    .where(or(inArray(log, again), inArray(change, again), inArray(batch, again)))
}

/** Says of rows of the log whether their change can be taken back, and by which id all of it. */
export async function undoStates(
  db: Database,
  logs: readonly { id: string }[],
): Promise<{ undo_state: 'open' | 'done' | null; change_id: string | null }[]> {
  if (!logs.length) return []
  const { rows } = await db.execute<{ log: string; whole: string; is_done: boolean; is_one: boolean }>(sql`
    SELECT k.log, coalesce(k.batch, k.change) AS whole, k.date_undone IS NOT NULL AS is_done,
      NOT EXISTS (
        SELECT FROM kernel_undo_log o
        WHERE o.log <> k.log AND (o.change = k.change OR o.batch = k.batch)
      ) AS is_one
    FROM kernel_undo_log k
    WHERE k.log = ANY(${sql.param(logs.map(({ id }) => id))}::uuid[])
      AND EXISTS (SELECT FROM kernel_undo_row r WHERE r.change = k.change)`)
  const found = new Map(rows.map((row) => [row.log, row]))
  return logs.map(({ id }) => {
    const row = found.get(id)
    if (!row) return { undo_state: null, change_id: null }
    return { undo_state: row.is_done ? 'done' : 'open', change_id: row.is_one ? null : row.whole }
  })
}
