import { type RefObject, useEffect, useState } from 'react'

const SHOWN_MS = 5000

/**
 * Shown for a while to a person who comes to a screen by the keyboard, or presses Tab in it, which is the
 * machine's: how to get out again (WCAG 2.1.2).
 */
export function WayOut({ pane, text }: { pane: RefObject<HTMLElement | null>; text: string }) {
  const [tabs, setTabs] = useState(0)
  useEffect(() => {
    const box = pane.current
    // Once it is let go, the focus is where the key has led.
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key === 'Tab' && isScreen(target)) setTabs((count) => count + 1)
    }
    box?.addEventListener('keyup', onKey, { capture: true })
    return () => box?.removeEventListener('keyup', onKey, { capture: true })
  }, [pane])
  useEffect(() => {
    if (tabs === 0) return
    const timer = setTimeout(() => setTabs(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [tabs])
  return (
    // Screen readers have it as the description of the screen.
    tabs > 0 && (
      <p className="wt-way-out" aria-hidden="true">
        {text}
      </p>
    )
  )
}

const isScreen = (target: EventTarget | null) =>
  target instanceof Element && target.matches('.xterm-helper-textarea, canvas')
