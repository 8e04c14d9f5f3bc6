import { useEffect } from 'react'
import { sharedValue } from '../lib/hooks/shared-value.ts'

/** So many things that the person waits for have begun and not ended. */
const pending = sharedValue(0)

/** Draw it where code is waited for: the bar at the top of the page runs meanwhile. */
export function InProgress(): null {
  useEffect(() => {
    pending.set(pending.get() + 1)
    return () => pending.set(pending.get() - 1)
  }, [])
  return null
}

/** Whether something that was begun goes on. */
export const useProgress = (): boolean => pending.use() > 0
