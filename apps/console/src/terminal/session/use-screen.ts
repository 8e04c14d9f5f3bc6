import { type RefObject, useEffect, useRef } from 'react'
import { onPreferences, readPreferences } from '../screen/preferences.ts'
import { openScreen, type Screen, type ScreenEvents } from '../screen/screen.ts'

interface PaneScreenEvents extends Pick<ScreenEvents, 'onInput' | 'onResize'> {
  onTitle: (title: string) => void
  onFind: () => void
  /** Where others find this terminal's input; undefined when it is gone. */
  onScreen: (screen: Screen | undefined) => void
}

/**
 * An emulator in `box` that lives as long as the pane; its events are those of today. It fits when the
 * pane is shown, and takes the focus when it becomes active.
 */
export function useScreen(
  box: RefObject<HTMLDivElement | null>,
  events: PaneScreenEvents,
  { active, isShown }: { active: boolean; isShown: boolean },
) {
  const screen = useRef<Screen>(null)
  const latest = useRef(events)
  latest.current = events
  useEffect(() => {
    const opened = openScreen(box.current as HTMLDivElement, readPreferences(), {
      onInput: (bytes) => latest.current.onInput(bytes),
      onResize: (size) => latest.current.onResize(size),
      onTitle: (title) => latest.current.onTitle(title),
      onFind: () => latest.current.onFind(),
    })
    screen.current = opened
    latest.current.onScreen(opened)
    const stop = onPreferences(opened.apply)
    return () => {
      stop()
      latest.current.onScreen(undefined)
      screen.current = null
      opened.dispose()
    }
  }, [box])
  useEffect(() => {
    if (isShown) screen.current?.fit()
  }, [isShown])
  useEffect(() => {
    if (active) screen.current?.focus()
  }, [active])
  return screen
}
