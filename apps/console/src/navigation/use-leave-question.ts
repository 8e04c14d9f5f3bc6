import { useCallback, useEffect, useRef } from 'react'
import { useBlocker, useLocation } from 'react-router'
import { endTab } from './open-tabs.ts'
import { askToLeave, isUnsaved, setUnsaved } from './unsaved.ts'

type Place = { pathname: string; search: string }
const tabOf = ({ search }: Place) => new URLSearchParams(search).get('activeTab')
const isElsewhere = (one: Place, other: Place) => one.pathname !== other.pathname || tabOf(one) !== tabOf(other)

/**
 * Asks before a page, or the tab of one, with unsaved input is left, by a link or by closing the
 * browser's tab. One form of a page may do so. `isKept`: its input is kept as a draft.
 */
export function useLeaveQuestion({ isKept = false } = {}): { setDirty: (dirty: boolean) => void; allow: () => void } {
  const { current: form } = useRef({})
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isUnsaved(form) && isElsewhere(currentLocation, nextLocation),
  )
  const asked = useRef(blocker)
  asked.current = blocker
  // By its state: the blocker is another object at each render, and the question must be asked
  // once.
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void askToLeave(isKept).then((leave) => (leave ? asked.current.proceed?.() : asked.current.reset?.()))
  }, [blocker.state, isKept])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isUnsaved(form)) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => {
      window.removeEventListener('beforeunload', warn)
      setUnsaved(form, false)
    }
  }, [form])
  const setDirty = useCallback((now: boolean) => setUnsaved(form, now), [form])
  const { pathname } = useLocation()
  const allow = useCallback(() => {
    setUnsaved(form, false)
    endTab(pathname)
  }, [form, pathname])
  return { setDirty, allow }
}
