import { type Query, useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useProgress } from '../../design/waiting-progress.ts'
import { LATE_MS } from '../../lib/late.ts'
import { queryClient } from '../../lib/query.ts'

/** Read for the first time: what is asked for again, such as every few seconds, nobody waits for. */
const isFirst = ({ state }: Query) => state.data === undefined && state.errorUpdateCount === 0
const FIRST = { type: 'active', predicate: isFirst } as const

/** Whether code or first data of what the person has chosen is on its way. */
export function useWaiting(): boolean {
  const isCodeComing = useProgress()
  const isDataComing = useIsFetching(FIRST, queryClient) > 0
  return isCodeComing || isDataComing
}

/** The same for longer than somebody waits without wondering. */
export function useLate(): boolean {
  const isWaiting = useWaiting()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isWaiting])
  return isLate
}

/** Asks again for the data that has not come; code that has not can only be loaded with the page. */
export async function askAgain(): Promise<void> {
  const late = queryClient.getQueryCache().findAll({ ...FIRST, fetchStatus: 'fetching' })
  if (late.length === 0) return location.reload()
  await Promise.all(late.map(({ queryKey }) => queryClient.cancelQueries({ queryKey, exact: true })))
  await Promise.all(late.map(({ queryKey }) => queryClient.refetchQueries({ queryKey, exact: true })))
}
