import { CLUSTER_ANSWERS } from '@sallyport/contract/socket/cluster.ts'
import { useEffect, useRef, useState } from 'react'
import type { Ask } from '../pane/questions.ts'
import { changedRows, type Listing, type ObjectChange, type ObjectColumn, type ObjectRow } from './objects.ts'

/** More rows than these are not loaded into the page. */
const OBJECTS_MAX = 50_000
/** Nor more pages, however little a cluster puts into each: it may say of every one that there is another. */
const PAGES_MAX = 500

export interface ObjectList {
  columns: readonly ObjectColumn[]
  rows: readonly ObjectRow[]
  /** How the cluster calls the next page; empty behind the last, undefined before the first. */
  next: string | undefined
  /** How many follow, where the cluster says so. */
  remaining: number | undefined
  isLoading: boolean
  /** No more are loaded, though there are. */
  isFull: boolean
  /** Why there are no more. */
  problem: string | undefined
  /** How often it was read from its beginning; and the moment of that, from which on changes are sent. */
  reads: number
  since: string | undefined
}

const NONE: ObjectList = {
  columns: [],
  rows: [],
  next: undefined,
  remaining: undefined,
  isLoading: false,
  isFull: false,
  problem: undefined,
  reads: 0,
  since: undefined,
}

/** The objects of a listing, page by page; `isReady` when the cluster can be asked. */
export function useObjectList(ask: Ask, isReady: boolean, { kind, namespace, selector }: Listing) {
  const key = `${kind} ${namespace} ${selector}`
  const [known, setKnown] = useState({ of: key, list: NONE })
  // Nothing of another listing is shown, nor gone on with.
  const list = known.of === key ? known.list : NONE
  const now = useRef(list)
  now.current = list
  /** Earlier questions are not waited for any more. */
  const asked = useRef(0)
  /** Pages of this listing. */
  const pages = useRef(0)
  const put = (change: Partial<ObjectList>) => {
    now.current = { ...now.current, ...change }
    setKnown({ of: key, list: now.current })
  }

  /** Goes on where it ends: one page, or all that there are. */
  const load = async (from: string, isAll: boolean) => {
    const own = ++asked.current
    put({ isLoading: true, problem: undefined })
    try {
      let next = from
      do {
        const answer = await ask({ about: 'list', kind, namespace, selector, next }, CLUSTER_ANSWERS.list)
        const page = { remaining: undefined, ...answer }
        if (own !== asked.current) return
        // The last content stays until then.
        const rows = next === '' ? page.rows : [...now.current.rows, ...page.rows]
        const columns = next === '' ? page.columns : now.current.columns
        pages.current = next === '' ? 1 : pages.current + 1
        // Later pages are of the moment of the first.
        const { reads, since } = now.current
        const of = next === '' ? { reads: reads + 1, since: page.since } : { reads, since }
        put({ ...page, ...of, columns, rows, isFull: rows.length >= OBJECTS_MAX || pages.current >= PAGES_MAX })
        next = page.next
      } while (isAll && next && !now.current.isFull)
      put({ isLoading: false })
    } catch (error) {
      if (own === asked.current) put({ isLoading: false, problem: (error as Error).message })
    }
  }
  /** `why` is where there is nothing else to show. */
  const stop = (why?: string) => {
    asked.current++
    put({ isLoading: false, ...(now.current.next === undefined ? { problem: why } : {}) })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the cluster is there, and for another listing
  useEffect(() => {
    if (isReady) void load('', false)
    else stop()
  }, [isReady, key])

  return {
    list,
    begin: () => void load('', false),
    /** Nothing is known of rows that were not loaded yet, and nothing is added before the end. */
    change(changes: readonly ObjectChange[]) {
      const { rows, next } = now.current
      put({ rows: changedRows(rows, changes, next === '' && rows.length < OBJECTS_MAX) })
    },
    more(isAll: boolean) {
      const { next, isLoading, isFull } = now.current
      if (next && !isLoading && !isFull) void load(next, isAll)
    },
    stop,
  }
}
