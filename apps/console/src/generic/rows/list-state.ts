/**
 * The address is the only home of list state: reload, back, share and bookmark all give the same
 * rows (A2.81 B2.05).
 */
import { PAGE_SIZES } from '@sallyport/contract/constants.ts'
import type { Query } from '../../lib/api.ts'

export interface ListState {
  page: number
  size: number
  /** Field, with a leading minus when descending; empty for the page's own order. */
  order: string
  /** Free words; every one must match. */
  search: readonly string[]
  /** Field filters. */
  filters: Readonly<Record<string, string>>
}

export interface ListDefaults {
  /** Sizes that may be asked for. */
  sizes?: readonly number[]
  size: number
  order: string
}

const OWN_KEYS = ['page', 'size', 'order', 'search'] as const

/** Reads the state; `filterNames` says which further keys are ours. */
export function readListState(
  query: URLSearchParams,
  filterNames: readonly string[],
  defaults: ListDefaults,
): ListState {
  const page = Number(query.get('page'))
  const size = Number(query.get('size'))
  const filters: Record<string, string> = {}
  for (const name of filterNames) {
    const value = query.get(name)
    if (value) filters[name] = value
  }
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    size: (defaults.sizes ?? (PAGE_SIZES as readonly number[])).includes(size) ? size : defaults.size,
    order: query.get('order') ?? defaults.order,
    search: (query.get('search') ?? '').split(',').filter(Boolean),
    filters,
  }
}

/**
 * Defaults are left out, so that an untouched list has a clean address; keys that are not ours are
 * kept. A page says its size with it, or a link would show other rows to a person who likes another
 * size.
 */
export function writeListState(
  current: URLSearchParams,
  next: ListState,
  filterNames: readonly string[],
  defaults: { size: number | undefined; order: string },
): URLSearchParams {
  const query = new URLSearchParams(current)
  for (const name of [...OWN_KEYS, ...filterNames]) query.delete(name)
  if (next.page > 1) query.set('page', String(next.page))
  if (next.page > 1 || next.size !== defaults.size) query.set('size', String(next.size))
  if (next.order !== defaults.order) query.set('order', next.order)
  if (next.search.length > 0) query.set('search', next.search.join(','))
  for (const [name, value] of Object.entries(next.filters)) query.set(name, value)
  return query
}

/** Any change of what is listed goes back to page 1. */
export function changeList(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, ...change }
}

/** The query of the list call (B7.28). */
export function listQuery(state: ListState): Query {
  return {
    ...state.filters,
    search: state.search.join(','),
    order: state.order,
    offset: (state.page - 1) * state.size,
    limit: state.size,
    draw: 1,
    display: 1,
  }
}

/** After rows went away, the last page that still has some (A4.29). */
export function lastPage(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size))
}

/** Click cycle of a column head: ascending, descending, none. */
export function nextOrder(order: string, field: string): string {
  if (order === field) return `-${field}`
  return order === `-${field}` ? '' : field
}
