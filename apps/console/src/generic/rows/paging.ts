/**
 * How a list is read: by offset as every resource here, or by numbered pages as some other services
 * answer (B3.01 B3.15 B7.29 B9.10 to B9.12).
 */
import { PAGE_SIZES } from '@sallyport/contract/constants.ts'
import type { ListPage, Query, Row } from '../../lib/api.ts'
import { type ListState, listQuery } from './list-state.ts'

/** `pages`: page, size, sort and direction; `none`: everything in one answer. */
export type Paging = 'offset' | 'pages' | 'none'

const NUMBERED_SIZES = [10, 20, 30, 40, 50] as const
/** Page and size that ask for everything. */
const EVERYTHING = { page: -1, size: 999 }

/** Sizes a person may choose. */
export function sizesOf(paging: Paging): readonly number[] {
  return paging === 'offset' ? PAGE_SIZES : NUMBERED_SIZES
}

/** The query of the list call. */
export function pagedQuery(state: ListState, paging: Paging): Query {
  if (paging === 'offset') return listQuery(state)
  const descending = state.order.startsWith('-')
  return {
    ...state.filters,
    search: state.search.join(','),
    ...(paging === 'none' ? EVERYTHING : { page: state.page, size: state.size }),
    sort: state.order.replace(/^-/, ''),
    direction: state.order === '' ? '' : descending ? 'desc' : 'asc',
  }
}

/**
 * An answer of any of them, a bare array too; `content` and `totalElements` are read where
 * `results` and `count` are missing.
 */
export function asListPage(answer: unknown): ListPage {
  if (Array.isArray(answer)) return { results: answer, count: answer.length, next: null, previous: null }
  const {
    results,
    count,
    content,
    totalElements,
    next = null,
    previous = null,
  } = (answer ?? {}) as Partial<ListPage> & {
    content?: Row[]
    totalElements?: number
  }
  const rows = results ?? content ?? []
  return { results: rows, count: count ?? totalElements ?? rows.length, next, previous }
}
