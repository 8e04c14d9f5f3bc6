import { type RefObject, useEffect, useRef } from 'react'
import type { DesktopScreen } from './desktop-screen.ts'
import { KEYS } from './keys.ts'
import { sorted } from './use-file-drop.ts'

/**
 * Ctrl+V and Cmd+V paste as everywhere: the browser's own paste event brings the text, which goes to
 * the machine's clipboard before its Ctrl+V does. No browser asks for leave for that, and it works
 * on plain http. Files among it are another way's, and press nothing there.
 */
export function usePlainPaste(
  pane: RefObject<HTMLElement | null>,
  screen: RefObject<DesktopScreen | undefined>,
  paste: (text: string) => void,
  onFiles: (files: File[], folders: string[]) => void,
  isOn: boolean,
): void {
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    if (!isOn) return
    const isAtDesktop = () =>
      document.activeElement?.matches('.wt-desktop-keys') && pane.current?.contains(document.activeElement)
    const onKey = (event: KeyboardEvent) => {
      const pastes = (event.ctrlKey || event.metaKey) && !event.altKey && event.code === 'KeyV'
      // The viewer would keep the browser from pasting.
      if (pastes && isAtDesktop()) event.stopImmediatePropagation()
    }
    const onPaste = (event: ClipboardEvent) => {
      if (!isAtDesktop()) return
      event.preventDefault()
      const text = event.clipboardData?.getData('text/plain')
      if (text) paste(text)
      else if (event.clipboardData?.files.length) return latest.current(...sorted(event.clipboardData))
      screen.current?.press(KEYS.v)
    }
    document.addEventListener('keydown', onKey, { capture: true })
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey, { capture: true })
      document.removeEventListener('paste', onPaste)
    }
  }, [pane, screen, paste, isOn])
}
