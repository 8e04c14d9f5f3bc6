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

/** Nothing has the focus, or something that has just been hidden. */
export function isFocusLost(): boolean {
  const held = document.activeElement
  return held === null || held === document.body || held.checkVisibility?.() === false
}

const CAN_HAVE_IT = 'a[href], button:enabled, input:enabled'

/**
 * For dialogs: called when one has gone, the answer gives the focus back to what had it. What the
 * dialog has taken away, such as the row whose Delete was pressed, passes it on to the row that is
 * there now, in the same column, or to the dialog or the heading of the page around it.
 */
export function rememberFocus(): () => void {
  const before = document.activeElement
  const row = before?.closest('tr')
  const body = row?.closest('tbody')
  const at = row?.sectionRowIndex ?? 0
  const column = before?.closest('td')?.cellIndex ?? 0
  return () => {
    // An element that got the focus meanwhile keeps it.
    if (!(before instanceof HTMLElement) || before === document.body || !isFocusLost()) return
    before.focus({ preventScroll: true })
    if (document.activeElement === before) return
    const rows = [...(body?.isConnected ? body.rows : [])]
    const now = rows[Math.min(at, rows.length - 1)]
    const inColumn = [...(now?.cells[column]?.querySelectorAll<HTMLElement>(CAN_HAVE_IT) ?? [])].at(-1)
    const place = inColumn ?? now?.querySelector<HTMLElement>(CAN_HAVE_IT)
    const around = [...document.querySelectorAll<HTMLElement>('[aria-modal=true]')].at(-1)
    ;(place ?? around ?? document.querySelector<HTMLElement>('main h1'))?.focus()
  }
}
