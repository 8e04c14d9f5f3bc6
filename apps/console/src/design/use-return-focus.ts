import { useEffect, useRef } from 'react'

/**
 * Gives the focus back to where it was when a dialog is taken away at once, without the leaving in
 * which it would do so itself. What has moved the focus to somewhere else meanwhile keeps it.
 */
export function useReturnFocus(isOpen: boolean): void {
  const opener = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  // While it is drawn: by the time effects run, the dialog has the focus.
  if (isOpen && !wasOpen.current) opener.current = document.activeElement
  wasOpen.current = isOpen
  useEffect(() => {
    if (!isOpen) return
    return () => {
      const now = document.activeElement
      const isLost = !now || now === document.body
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus()
    }
  }, [isOpen])
}
