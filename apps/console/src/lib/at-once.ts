/** Changes that are shown before the server has them, and go back when it refuses. */
import type { QueryKey } from '@tanstack/react-query'
import { concerns, forget, queryClient } from './query.ts'

/** A change of the rows that were read: of a list, a page, several pages, or one row. */
type ChangeRows = (rows: readonly unknown[]) => readonly unknown[]

/** Changes of an address that the server has not answered yet: until then nothing is read again. */
const waiting = new Map<string, number>()

/**
 * Shows a change in everything that was read from `path`, and sends it. When it is refused, what was
 * shown before is back, and the refusal is thrown; the call has told the person why.
 * @param change of the rows that are read from there
 */
export async function atOnce<T>(path: string, change: ChangeRows, send: () => Promise<T>): Promise<T> {
  const filter = { predicate: ({ queryKey }: { queryKey: QueryKey }) => concerns(path, queryKey) }
  waiting.set(path, (waiting.get(path) ?? 0) + 1)
  // An answer that is on its way knows nothing of the change.
  await queryClient.cancelQueries(filter)
  const before = queryClient.getQueriesData(filter)
  for (const [key, data] of before) queryClient.setQueryData(key, changed(data, change))
  try {
    return await send()
  } catch (error) {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
    throw error
  } finally {
    const others = (waiting.get(path) ?? 1) - 1
    waiting.set(path, others)
    if (others === 0) await forget(path)
  }
}

/** Gives rows other values, by their ids. */
export const withValues =
  (ids: readonly string[], values: object): ChangeRows =>
  (rows) =>
    rows.map((row) => (isRow(row) && ids.includes(row.id) ? { ...row, ...values } : row))

/** Leaves out rows of which this is so. */
export const without =
  <R>(isGone: (row: R) => boolean): ChangeRows =>
  (rows) =>
    rows.filter((row) => !isGone(row as R))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isRow = (value: unknown): value is { id: string } => isObject(value) && typeof value.id === 'string'

function changed(data: unknown, change: ChangeRows): unknown {
  if (Array.isArray(data)) return change(data)
  if (!isObject(data)) return data
  if (Array.isArray(data.pages)) return { ...data, pages: data.pages.map((page) => changed(page, change)) }
  if (!Array.isArray(data.results)) return isRow(data) ? (change([data])[0] ?? data) : data
  const results = change(data.results)
  const count = Number(data.count) + results.length - data.results.length
  return { ...data, results, ...(data.count === undefined ? {} : { count }) }
}
