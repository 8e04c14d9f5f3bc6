import type { RefObject } from 'react'
import type { DesktopScreen, DesktopScreenEvents } from './desktop-screen.ts'

interface DesktopViewerOptions {
  box: RefObject<HTMLDivElement | null>
  /** The viewer, while there is one. */
  screen: RefObject<DesktopScreen | undefined>
  events: DesktopScreenEvents
  onShown: (screen: DesktopScreen) => void
}

/** Shows a desktop in a box, one viewer for each connection: its code is loaded with the first. */
export function desktopViewer({ box, screen, events, onShown }: DesktopViewerOptions) {
  /** One for each connection: a picture of an earlier one is not drawn. */
  let shown: object | undefined
  /** Bytes that arrive before the viewer is there. */
  const early: Uint8Array[] = []
  const hide = () => {
    shown = undefined
    early.length = 0
    screen.current?.dispose()
    screen.current = undefined
  }
  return {
    hide,
    async show() {
      hide()
      const mine = {}
      shown = mine
      const { openDesktop } = await import('./desktop-screen.ts')
      if (shown !== mine || !box.current) return
      const opened = openDesktop(box.current, events)
      screen.current = opened
      onShown(opened)
      for (const bytes of early.splice(0)) opened.receive(bytes)
    },
    receive(bytes: Uint8Array) {
      if (screen.current) screen.current.receive(bytes)
      else early.push(bytes)
    },
  }
}
