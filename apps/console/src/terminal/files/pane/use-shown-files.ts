import { useEffect, useMemo, useRef, useState } from 'react'
import { kept, NOTHING, type Order, type Selection, shownEntries } from '../folder/entries.ts'
import type { Listing } from '../folder/files-api.ts'

/**
 * What of a folder is shown, in which order, and what of it is chosen. Another folder begins
 * without a filter and a selection.
 */
export function useShownFiles(path: string, listing: Listing | undefined) {
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>({ by: 'name', down: false })
  const [selection, setSelection] = useState<Selection>(NOTHING)
  const entries = useMemo(() => shownEntries(listing?.entries ?? [], { filter, order }), [listing, filter, order])
  useEffect(
    () =>
      setSelection((now) =>
        kept(
          now,
          entries.map(({ name }) => name),
        ),
      ),
    [entries],
  )
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder begins without a selection
  useEffect(() => {
    if (!isFirst.current) {
      setSelection(NOTHING)
      setFilter('')
    }
    isFirst.current = false
  }, [path])
  const chosen = entries.filter(({ name }) => selection.chosen.has(name))
  return { entries, chosen, filter, setFilter, order, setOrder, selection, setSelection }
}

export type ShownFiles = ReturnType<typeof useShownFiles>
