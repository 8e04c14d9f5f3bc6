import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { session } from '../../session/session.ts'
import { type ListState, readListState, writeListState } from '../rows/list-state.ts'
import { type Paging, sizesOf } from '../rows/paging.ts'
import { chosenSize } from './table-memory.ts'

/** How many rows a page has until somebody chooses otherwise: what this person chose last. */
export function usualSize(paging: Paging): number {
  return paging === 'offset' ? chosenSize(session().profile.username) : (sizesOf(paging)[0] ?? 0)
}

/**
 * State of a list in the address, or in memory for a list inside another page (whose address is not
 * its own).
 */
export function useListState(
  filterNames: readonly string[],
  defaultOrder: string,
  inAddress: boolean,
  paging: Paging = 'offset',
  /** Filters that a list in memory begins with. */
  initial: Readonly<Record<string, string>> = {},
): [ListState, (next: ListState, step?: 'push' | 'replace') => void] {
  const [address, setAddress] = useSearchParams()
  const [memory, setMemory] = useState(() => new URLSearchParams(initial))
  const [size, setSize] = useState(() => usualSize(paging))
  const query = inAddress ? address : memory
  const key = query.toString()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the query, `filterNames` for a list rebuilt at each render
  const state = useMemo(
    () => readListState(query, filterNames, { size, sizes: sizesOf(paging), order: defaultOrder }),
    [key, filterNames.join(), size, defaultOrder, paging],
  )
  const set = (next: ListState, step: 'push' | 'replace' = 'push') => {
    const resized = next.size !== state.size
    if (resized) setSize(next.size)
    // The size that everybody has who chose none; one who has another says it.
    const usual = sizesOf(paging)[0]
    const defaults = { size: (resized ? next.size : size) === usual ? usual : undefined, order: defaultOrder }
    // The size is kept for the person, not a place to come back to.
    const replace = step === 'replace' || resized
    if (inAddress) setAddress((current) => writeListState(current, next, filterNames, defaults), { replace })
    else setMemory((current) => writeListState(current, next, filterNames, defaults))
  }
  return [state, set]
}
