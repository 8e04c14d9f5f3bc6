import { type KeyboardEvent, useEffect, useRef } from 'react'

const UP_AND_DOWN = ['ArrowUp', 'ArrowDown'] as const
export const LEFT_AND_RIGHT = ['ArrowLeft', 'ArrowRight'] as const

/**
 * Moves the focus among items that are one stop of the Tab key: by two arrows, round and round, and
 * by Home and End. Answers whether the key was one of them; then it does nothing else.
 */
export function moveFocus(
  event: KeyboardEvent,
  items: readonly HTMLElement[],
  [back, forth]: readonly [string, string] = UP_AND_DOWN,
): boolean {
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = { [back]: at - 1, [forth]: at + 1, Home: 0, End: items.length - 1 }[event.key]
  if (next === undefined) return false
  items[(next + items.length) % items.length]?.focus()
  event.preventDefault()
  return true
}

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
