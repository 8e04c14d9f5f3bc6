import { useEffect, useSyncExternalStore } from 'react'

let pending = 0
const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}

/** Something the person waits for has begun. */
export function startProgress(): void {
  pending++
  changed()
}

/** It has ended. */
export function finishProgress(): void {
  pending = Math.max(0, pending - 1)
  changed()
}

/** Draw it where code is waited for: the bar at the top of the page runs meanwhile. */
export function InProgress(): null {
  useEffect(() => {
    startProgress()
    return finishProgress
  }, [])
  return null
}

/** Whether something that was begun goes on. */
export const useProgress = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending > 0,
  )
