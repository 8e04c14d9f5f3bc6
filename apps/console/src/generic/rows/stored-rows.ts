/**
 * The rows behind ids that are stored somewhere, whatever their number (B7.39,
 * docs/rules/lists-and-forms.md#remote_select).
 */
import { displayOf } from '@sallyport/contract/define.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, type ListPage, type Row } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { asListPage } from './paging.ts'
import { selectionReference } from './selection-reference.ts'

/** More ids would make an address too long; they are traded for a reference. */
const MAX_IN_ADDRESS = 100
/** Rows in one answer. */
const PAGE = 500

export interface StoredRows {
  /** By id, or by `valueField`. */
  named: ReadonlyMap<string, Row>
  waiting: boolean
}

const NOTHING: ReadonlyMap<string, Row> = new Map()

/**
 * Reads the rows of these ids; those that are gone or of another organization are missing.
 * `valueField` where the values are not ids.
 */
export function useStoredRows(path: string, values: readonly string[], valueField = 'id'): StoredRows {
  const wanted = [...values].toSorted()
  // The same functions at every render: while earlier names are shown, new ones would make new
  // rows, and each of those another render.
  const byValue = useCallback(
    (rows: readonly Row[]) => new Map(rows.map((row) => [String(row[valueField]), row])),
    [valueField],
  )
  const stored = useQuery({
    queryKey: keys.list(path, { stored: wanted, valueField }),
    queryFn: ({ signal }) => readStored(path, wanted, valueField, signal),
    enabled: wanted.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    select: byValue,
  })
  return { named: stored.data ?? NOTHING, waiting: stored.isFetching }
}

async function readStored(
  path: string,
  wanted: readonly string[],
  valueField: string,
  signal: AbortSignal,
): Promise<Row[]> {
  const filter =
    wanted.length <= MAX_IN_ADDRESS
      ? { [valueField === 'id' ? 'ids' : valueField]: wanted.join() }
      : { spm: await selectionReference(wanted) }
  const rows: Row[] = []
  for (let next: string | null = 'first'; next !== null; ) {
    const query = { ...filter, limit: Math.min(PAGE, wanted.length), offset: rows.length }
    const page: ListPage = asListPage(await api.get(path, { query, signal }))
    rows.push(...page.results)
    next = page.results.length > 0 ? page.next : null
  }
  return rows
}

/** A row in words, by a template such as `{name}({username})` or a function. */
export function nameOfRow(display: string | ((row: Row) => string), row: Row): string {
  return (typeof display === 'function' ? display(row) : displayOf({ display }, row)) || String(row.name ?? row.id)
}
