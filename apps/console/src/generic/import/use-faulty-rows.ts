import { useLayoutEffect, useState } from 'react'
import { type ImportRow, isPending } from './import-task.ts'
import type { FaultsOf } from './row-faults.ts'

/** So long at most are rows looked through before the page has its turn. */
const SLICE_MS = 12

/**
 * How many of the rows that wait would be refused; undefined while they are looked through, which goes
 * on in slices, so that the page answers meanwhile.
 */
export function useFaultyRows(rows: readonly ImportRow[], faultsOf: FaultsOf, paused: boolean): number | undefined {
  const [found, setFound] = useState<{ rows: readonly ImportRow[]; faultsOf: FaultsOf; count: number }>()
  useLayoutEffect(() => {
    if (paused) return
    let timer: ReturnType<typeof setTimeout>
    const lookThrough = (from: number, before: number) => {
      const end = performance.now() + SLICE_MS
      let index = from
      let count = before
      for (; index < rows.length && performance.now() < end; index++) {
        const row = rows[index]
        if (row && isPending(row) && Object.keys(faultsOf(row.values)).length > 0) count++
      }
      if (index < rows.length) timer = setTimeout(() => lookThrough(index, count))
      else setFound({ rows, faultsOf, count })
    }
    lookThrough(0, 0)
    return () => clearTimeout(timer)
  }, [rows, faultsOf, paused])
  return found?.rows === rows && found.faultsOf === faultsOf ? found.count : undefined
}
