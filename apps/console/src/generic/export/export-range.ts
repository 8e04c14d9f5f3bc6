/**
 * The rows that an export may hold, and the query that asks for them (A5.15 to A5.18 B7.42).
 */
import type { Query } from '../../lib/api.ts'

export type ExportRange = 'all' | 'selected' | 'filtered'
/**
 * Pages of rows and the time span do not narrow a list; `show_current_asset` only says how the
 * tree's choice is meant.
 */
const NO_FILTER = new Set(['limit', 'offset', 'draw', 'display', 'order', 'date_from', 'date_to', 'show_current_asset'])

/** The query of the list at the moment. */
export interface ListedRows {
  path: string
  /** Belongs to the page and always applies: no filter. */
  fixed: Query
  /** Chosen by the person: search, filters, tree, time span, order. */
  chosen: Query
  selected: readonly string[]
}

const hasFilter = ({ chosen }: ListedRows) =>
  Object.entries(chosen).some(
    ([key, value]) => !NO_FILTER.has(key) && value !== undefined && value !== null && value !== '',
  )

export const hasDateRange = ({ fixed, chosen }: Pick<ListedRows, 'fixed' | 'chosen'>) =>
  [fixed, chosen].some(({ date_from, date_to }) => Boolean(date_from || date_to))

export function enabledRanges(rows: ListedRows): Readonly<Record<ExportRange, boolean>> {
  const filtered = hasFilter(rows)
  return { all: !filtered, selected: rows.selected.length > 0, filtered }
}

/** The range that is ticked at first: the rows a person has just selected, else all that are shown. */
export function firstRange(rows: ListedRows): ExportRange {
  const enabled = enabledRanges(rows)
  return enabled.selected ? 'selected' : enabled.all ? 'all' : 'filtered'
}

/**
 * Query of the rows of a range. Ticked rows may come from other searches, so that theirs is only
 * the reference; `spm` trades ids for it.
 */
export async function rangeQuery(
  rows: ListedRows,
  range: ExportRange,
  spm: (ids: readonly string[]) => Promise<string>,
): Promise<Query> {
  const { limit: _limit, offset: _offset, draw: _draw, display: _display, ...chosen } = rows.chosen
  if (range === 'selected') return { ...rows.fixed, order: chosen.order, spm: await spm(rows.selected) }
  return { ...chosen, ...rows.fixed }
}
