import { type RefObject, useEffect, useRef } from 'react'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen, type Screen, type ScreenEvents } from '../screen/screen.ts'

interface PaneScreenEvents extends Pick<ScreenEvents, 'onInput' | 'onResize'> {
  onTitle: (title: string) => void
  /** Where others find this terminal's input; undefined when it is gone. */
  onScreen: (screen: Screen | undefined) => void
}

/**
 * An emulator in `box` that lives as long as the pane; its events are those of today. It fits and
 * takes the focus when the pane becomes active.
 */
export function useScreen(box: RefObject<HTMLDivElement | null>, events: PaneScreenEvents, active: boolean) {
  const screen = useRef<Screen>(null)
  const latest = useRef(events)
  latest.current = events
  useEffect(() => {
    const opened = openScreen(box.current as HTMLDivElement, readPreferences(), {
      onInput: (bytes) => latest.current.onInput(bytes),
      onResize: (size) => latest.current.onResize(size),
      onTitle: (title) => latest.current.onTitle(title),
    })
    screen.current = opened
    latest.current.onScreen(opened)
    return () => {
      latest.current.onScreen(undefined)
      screen.current = null
      opened.dispose()
    }
  }, [box])
  useEffect(() => {
    if (!active) return
    screen.current?.fit()
    screen.current?.focus()
  }, [active])
  return screen
}
