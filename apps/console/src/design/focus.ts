import { useEffect, useRef } from 'react'

const UP_AND_DOWN = ['ArrowUp', 'ArrowDown'] as const
export const LEFT_AND_RIGHT = ['ArrowLeft', 'ArrowRight'] as const

/**
 * Moves the focus among items that are one stop of the Tab key: by two arrows, round and round, and
 * by Home and End. Answers whether the key was one of them; then it does nothing else.
 */
export function moveFocus(
  event: Pick<KeyboardEvent, 'key' | 'preventDefault'>,
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
 * A button that waits for what it has started is disabled, and the browser then takes the focus from
 * it: here it is given back once the button can be pressed again, unless the person has gone on.
 */
export function keepFocusOfWaiting(): void {
  let waiting: Element | undefined
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue
      // It is reported before the browser takes the focus.
      if (target.matches(':disabled')) waiting = target === document.activeElement ? target : waiting
      else if (target === waiting) {
        if (isFocusLost()) target.focus({ preventScroll: true })
        waiting = undefined
      }
    }
  })
  observer.observe(document, { subtree: true, attributeFilter: ['disabled'] })
  // A press on something that takes no focus counts as going on, too.
  document.addEventListener('pointerdown', () => void (waiting = undefined), true)
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

/** Nothing has the focus, or something that has just been hidden. */
export function isFocusLost(): boolean {
  const held = document.activeElement
  return held === null || held === document.body || held.checkVisibility?.() === false
}

const CAN_HAVE_IT = 'a[href], button:enabled, input:enabled'

/**
 * For a question whose answer may take away what asked it, such as Delete in a row or on a page:
 * called when the dialog has gone, the answer gives the focus to the row that is there now, in
 * the same column, or to the heading of the page.
 */
export function rememberFocus(): () => void {
  const before = document.activeElement
  const row = before?.closest('tr')
  const body = row?.closest('tbody')
  const at = row?.sectionRowIndex ?? 0
  const column = before?.closest('td')?.cellIndex ?? 0
  return () => {
    if (before?.isConnected || !isFocusLost()) return
    const rows = [...(body?.isConnected ? body.rows : [])]
    const now = rows[Math.min(at, rows.length - 1)]
    const inColumn = [...(now?.cells[column]?.querySelectorAll<HTMLElement>(CAN_HAVE_IT) ?? [])].at(-1)
    const place = inColumn ?? now?.querySelector<HTMLElement>(CAN_HAVE_IT)
    ;(place ?? document.querySelector<HTMLElement>('main h1'))?.focus()
  }
}
