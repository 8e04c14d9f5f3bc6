import type { Database } from '../database/database.ts'
import type { MountedResource } from '../resource/registry.ts'
import { fieldOfColumn, relationOfTable } from './fields-of-rows.ts'
import { isSame, type NetRow } from './net-rows.ts'
import {
  currentRows,
  insertImages,
  type KeptTable,
  parentsFirst,
  removeRows,
  setImages,
  withoutParent,
} from './row-images.ts'
import type { RowImage } from './tables.ts'

/** The writes by which rows are as they were. */
export interface Plan {
  sets: { table: string; key: RowImage; values: Record<string, unknown> }[]
  inserts: { table: string; image: RowImage }[]
  removals: { table: string; key: RowImage }[]
  /** Rows of which fields have changed since, with the names of these. */
  conflicts: { row: NetRow; fields: string[] }[]
  /** Rows, or places of rows, that cannot come back: what they name is gone. */
  lost: NetRow[]
  /** Rows with secrets that have changed since; those are never taken back. */
  stays: NetRow[]
}

type Tables = ReadonlyMap<string, KeptTable>

/** Machinery of every row: changes with any write. */
const UNMINDED = new Set(['date_updated'])

/**
 * Compares rows with what is there now. Columns that are no field and have changed since belong to
 * the machinery: they stay as they are.
 * @param keep names of fields that stay as they are now
 */
export async function planOf(
  db: Database,
  tables: Tables,
  resource: MountedResource,
  rows: readonly NetRow[],
  keep: ReadonlySet<string>,
): Promise<Plan> {
  const plan: Plan = { sets: [], inserts: [], removals: [], conflicts: [], lost: [], stays: [] }
  const byTable = Map.groupBy(rows, ({ table }) => table)
  for (const name of parentsFirst(byTable.keys(), tables)) {
    const some = byTable.get(name) ?? []
    const table = tables.get(name)
    const relation = relationOfTable(resource, name)
    if (!table || (relation && keep.has(relation))) continue
    const current = await currentRows(
      db,
      table,
      some.map(({ key }) => key),
    )
    const missing: NetRow[] = []
    for (const [at, row] of some.entries()) {
      const now = current.get(at)
      if (!row.before) {
        if (now) plan.removals.push({ table: name, key: row.key })
      } else if (!row.after) {
        if (!now) missing.push(row)
      } else if (now) planColumns(plan, resource, row, now, keep)
    }
    await planMissing(db, table, missing, plan, tables)
  }
  return plan
}

function planColumns(
  plan: Plan,
  resource: MountedResource,
  row: NetRow,
  now: RowImage,
  keep: ReadonlySet<string>,
): void {
  const { table, key, before = {}, after = {} } = row
  const values: Record<string, unknown> = {}
  const changed: string[] = []
  const columns = Object.entries(before).map(
    ([column, value]) => [column, value, fieldOfColumn(resource, table, column)] as const,
  )
  // A secret belongs to the address that it had: where a part of the row stays, it does not come back.
  const isPart = columns.some(([column, value, field]) => field && keep.has(field) && !isSame(now[column], value))
  for (const [column, value, field] of columns) {
    const isSecret = column.endsWith('_sealed')
    if (UNMINDED.has(column) || isSame(now[column], value) || (field && keep.has(field))) continue
    if (isPart && (isSecret || !field)) {
      if (isSecret) plan.stays.push(row)
    } else if (isSame(now[column], after[column])) values[column] = value
    else if (isSecret) plan.stays.push(row)
    else if (field) {
      values[column] = value
      changed.push(field)
    }
  }
  if (Object.keys(values).length) plan.sets.push({ table, key, values })
  if (changed.length) plan.conflicts.push({ row, fields: changed })
}

/** Rows that went come back, as far as what they name is still there or comes back with them. */
async function planMissing(
  db: Database,
  table: KeptTable,
  missing: readonly NetRow[],
  plan: Plan,
  tables: Tables,
): Promise<void> {
  let left = missing.map((row) => ({ row, image: row.before ?? {} }))
  for (const reference of table.references) {
    const { parent, columns, parentColumns } = reference
    // Those that come back are put in first.
    const returning = new Set(
      tables.has(parent)
        ? plan.inserts.filter((one) => one.table === parent).map(({ image }) => valuesOf(image, parentColumns))
        : [],
    )
    const gone = await withoutParent(
      db,
      table,
      reference,
      left.map(({ image }) => image),
    )
    const canBeEmpty = columns.every((name) => table.columns.get(name))
    left = left.flatMap(({ row, image }, at) => {
      if (!gone.has(at) || returning.has(valuesOf(image, columns))) return [{ row, image }]
      plan.lost.push(row)
      return canBeEmpty
        ? [{ row, image: { ...image, ...Object.fromEntries(columns.map((name) => [name, null])) } }]
        : []
    })
  }
  plan.inserts.push(...left.map(({ image }) => ({ table: table.name, image })))
}

const valuesOf = (image: RowImage, columns: readonly string[]) => JSON.stringify(columns.map((name) => image[name]))

/**
 * Writes it. A trigger may have a say in a row that comes (a new machine, a new account), and this
 * one is not new: it is set once more to what it was.
 * @param strictly the table whose rows must come back, or an error of the database says why not
 */
export async function carryOutPlan(db: Database, tables: Tables, plan: Plan, strictly?: string): Promise<void> {
  const removals = Map.groupBy(plan.removals, ({ table }) => table)
  for (const name of parentsFirst(removals.keys(), tables).reverse())
    await removeRows(
      db,
      tables.get(name) as KeptTable,
      (removals.get(name) ?? []).map(({ key }) => key),
    )
  const inserts = Map.groupBy(plan.inserts, ({ table }) => table)
  for (const name of parentsFirst(inserts.keys(), tables)) {
    const images = (inserts.get(name) ?? []).map(({ image }) => image)
    const table = tables.get(name) as KeptTable
    await insertImages(db, table, images, name === strictly)
    if (images.some((image) => 'id' in image))
      await setImages(
        db,
        table,
        images.map((image) => ({ key: { id: image.id }, values: image })),
      )
  }
  for (const [name, some] of Map.groupBy(plan.sets, ({ table }) => table))
    await setImages(db, tables.get(name) as KeptTable, some)
}
