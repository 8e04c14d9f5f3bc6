import { isFocusLost, LEFT_AND_RIGHT, moveFocus } from '../../../design/focus.ts'

const CONTROLS = 'a, button, input, select, textarea, [tabindex]'

/** Where arrows belong to what is typed or chosen. */
const TAKES_ARROWS = 'input:not([type=checkbox]), select, textarea, [contenteditable], [role=combobox]'

/** Those that have been taken out of the order of the Tab key here. */
const taken = new WeakSet<HTMLElement>()

/**
 * The rows of a table are one stop of the Tab key, and so are its heads: up and down lead from row
 * to row in the same column, left and right, Home and End within a row, Ctrl with Home and End to
 * the first and the last row, Page Up and Page Down to other pages. It stays a table for screen readers, which reach every control by the
 * keys they have for tables; a grid would promise that cells without a control take the focus.
 *
 * Cells are drawn by many hands, so the controls are found in the document. `onPage` turns the page
 * where there is another one, and says whether there was. Returns a function that ends it.
 */
export function rowKeys(table: HTMLTableElement, onPage: (step: 1 | -1) => boolean = () => false): () => void {
  /** Where a person has been. */
  const stops = new Map<HTMLElement, HTMLElement>()
  /** The element that has the focus, or had it when it went away. */
  let held: Held | undefined

  const settle = () => {
    for (const part of partsOf(table)) {
      const all = controlsIn(part)
      const before = stops.get(part)
      const stays = before && all.includes(before)
      stopAt(stays ? before : (part.querySelector<HTMLElement>('.name a[href]') ?? all[0]), all)
    }
    // A row was taken away, or a cell shows something else: the keyboard stays where it was.
    if (!held || held.control.isConnected || !isFocusLost()) return
    const { part, row, column } = held
    held = undefined
    const now = part.rows[Math.min(row, part.rows.length - 1)]
    const next = (now && nearest(controlsIn(now), column)) ?? controlsIn(part)[0]
    // The row of a long table may only have been scrolled away, by a person who looks elsewhere.
    ;(next ?? document.querySelector<HTMLElement>('main h1'))?.focus({
      preventScroll: table.hasAttribute('aria-rowcount'),
    })
  }

  const handleKey = (event: KeyboardEvent) => {
    const control = event.target as HTMLElement
    const part = partOf(control)
    if (!part || event.altKey || event.metaKey || event.shiftKey) return
    const inRow = controlsIn(rowOf(control))
    if (!inRow.includes(control)) return
    if (!event.ctrlKey && moveFocus(event, inRow, LEFT_AND_RIGHT)) return event.stopPropagation()
    if (part.tagName === 'THEAD') return
    const step = ({ PageDown: 1, PageUp: -1 } as const)[event.key]
    if (step && !event.ctrlKey && onPage(step)) return event.preventDefault()
    const rows = [...part.rows].filter((row) => controlsIn(row).length > 0)
    const at = rows.indexOf(rowOf(control))
    const next = event.ctrlKey
      ? { Home: 0, End: rows.length - 1 }[event.key]
      : { ArrowUp: at - 1, ArrowDown: at + 1 }[event.key]
    if (next === undefined) return
    // A menu in the row opens by Enter alone.
    event.stopPropagation()
    const row = rows[next]
    if (!row) return
    nearest(controlsIn(row), columnOf(control))?.focus()
    event.preventDefault()
  }
  const handleFocus = ({ target }: FocusEvent) => {
    const control = target as HTMLElement
    const part = partOf(control)
    const all = part ? controlsIn(part) : []
    if (!part || !all.includes(control)) return
    held = { control, part, row: rowOf(control).sectionRowIndex, column: columnOf(control) }
    stops.set(part, control)
    stopAt(control, all)
  }
  // A removed element loses the focus first, as does a button that waits; a focus that a person moves is
  // still there.
  const handleLeave = () =>
    queueMicrotask(() => {
      const control = held?.control
      if (control?.isConnected && !control.matches(':disabled') && document.activeElement !== control) held = undefined
    })

  settle()
  const observer = new MutationObserver(settle)
  observer.observe(table, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  table.addEventListener('keydown', handleKey)
  table.addEventListener('focusin', handleFocus)
  table.addEventListener('focusout', handleLeave)
  return () => {
    observer.disconnect()
    table.removeEventListener('keydown', handleKey)
    table.removeEventListener('focusin', handleFocus)
    table.removeEventListener('focusout', handleLeave)
  }
}

interface Held {
  control: HTMLElement
  part: HTMLTableSectionElement
  row: number
  column: number
}

const partsOf = ({ tHead, tBodies }: HTMLTableElement) => [...(tHead ? [tHead] : []), ...tBodies]

const partOf = (control: HTMLElement) => control.closest<HTMLTableSectionElement>('thead, tbody')

const rowOf = (control: HTMLElement) => control.closest('tr') as HTMLTableRowElement

/** Room for this many controls in a cell. */
const IN_CELL = 100

/** Its place in the row: the cell, and among the controls of the cell. */
function columnOf(control: HTMLElement): number {
  const cell = control.closest<HTMLTableCellElement>('td, th')
  const among = [...(cell?.querySelectorAll(CONTROLS) ?? [])].indexOf(control)
  return (cell?.cellIndex ?? 0) * IN_CELL + among
}

/** The control in the same place, or the last before it, or the first of all. */
const nearest = (controls: readonly HTMLElement[], column: number) =>
  controls.findLast((control) => columnOf(control) <= column) ?? controls[0]

/** What pops up in a cell has keys of its own, and what nobody can tab to stays so. */
const controlsIn = (part: HTMLElement) =>
  [...part.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    (control) =>
      (control.tabIndex === 0 || taken.has(control)) &&
      // It could not be left by them: the Tab key leads to it and on.
      !control.matches(TAKES_ARROWS) &&
      !control.matches(':disabled') &&
      !control.closest('.popup'),
  )
/** The Tab key stops at this one of them all. */
const stopAt = (stop: HTMLElement | undefined, all: readonly HTMLElement[]) => {
  for (const control of all) {
    const wanted = control === stop ? 0 : -1
    if (wanted === -1) taken.add(control)
    if (control.tabIndex !== wanted) control.tabIndex = wanted
  }
}
