import type { ChangedRow } from '../resource/mount.ts'
import type { RowImage } from './tables.ts'

/** The effect of a change on one row, as a whole. */
export type NetRow = ChangedRow

export interface KeptRow {
  table_name: string
  key: RowImage
  before: RowImage | null
  after: RowImage | null
}

/** One entry for each row, however often it was written; none for what is as it was. */
export function netRows(kept: readonly KeptRow[]): NetRow[] {
  const net = new Map<string, NetRow>()
  for (const { table_name: table, key, before, after } of kept) {
    const name = `${table} ${JSON.stringify(key)}`
    const known = net.get(name)
    const now = { table, key, before: before ?? undefined, after: after ?? undefined }
    const merged = known ? merge(known, now) : now
    if (merged) net.set(name, merged)
    else net.delete(name)
  }
  return [...net.values()]
}

function merge(first: NetRow, then: NetRow): NetRow | undefined {
  const { table, key } = first
  if (!first.before) return then.after ? { ...first, after: { ...first.after, ...then.after } } : undefined
  if (!then.after) return { table, key, before: { ...then.before, ...first.before }, after: undefined }
  if (!first.after) return differing({ table, key, before: first.before, after: then.after })
  return differing({
    table,
    key,
    before: { ...then.before, ...first.before },
    after: { ...first.after, ...then.after },
  })
}

/** Without the columns that are as they were. */
function differing({ table, key, before = {}, after = {} }: NetRow): NetRow | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isSame(before[name], after[name]),
  )
  const pick = (image: RowImage) => Object.fromEntries(names.map((name) => [name, image[name]]))
  return names.length ? { table, key, before: pick(before), after: pick(after) } : undefined
}

/** PostgreSQL writes the keys of an object in one order. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
