import { useCallback, useEffect, useRef } from 'react'
import { useBlocker } from 'react-router'
import { ask } from '../app/feedback.tsx'
import { t } from '../lib/i18n.ts'

/** Asks before a page with unsaved input is left, by a link or by closing the tab. */
export function useLeaveQuestion(): { setDirty: (dirty: boolean) => void; allow: () => void } {
  const dirty = useRef(false)
  const blocker = useBlocker(({ currentLocation, nextLocation }) => dirty.current && currentLocation.pathname !== nextLocation.pathname)
  const asked = useRef(blocker)
  asked.current = blocker
  // By its state: the blocker is another object at each render, and the question must be asked once.
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    const question = {
      title: t('Leave without saving?'),
      content: t('What you entered will be lost.'),
      okText: t('Leave'),
      cancelText: t('Stay'),
    }
    void ask(question).then((leave) => (leave ? asked.current.proceed?.() : asked.current.reset?.()))
  }, [blocker.state])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (dirty.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
  const setDirty = useCallback((now: boolean) => {
    dirty.current = now
  }, [])
  const allow = useCallback(() => {
    dirty.current = false
  }, [])
  return { setDirty, allow }
}
