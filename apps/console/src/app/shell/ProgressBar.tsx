import { useEffect, useSyncExternalStore } from 'react'
import { t } from '../../lib/i18n.ts'

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

/** A thin bar at the top of the page while a navigation is pending. */
export function ProgressBar() {
  const busy = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending > 0,
  )
  return busy ? <div className="progress-bar" role="progressbar" aria-hidden="true" /> : null
}

/**
 * In the place of a page whose code is on its way: the progress bar runs, and the grey lines stay
 * that the document shows first (index.html).
 */
export function Waiting() {
  useEffect(() => {
    startProgress()
    return finishProgress
  }, [])
  return (
    <div className="page-waiting" role="status" aria-label={t('Loading')}>
      <b />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  )
}
