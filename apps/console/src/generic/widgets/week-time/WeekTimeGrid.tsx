import './week-time-body.css'
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import type { WidgetProps } from '../../view/form-view.ts'
import { dayName, WeekTimeText } from './WeekTimeText.tsx'
import {
  type CellPlace,
  type Cells,
  cellOf,
  cellsOf,
  clockOf,
  everyCell,
  periodsOf,
  SLOTS,
  type TimePeriod,
  WEEK_DAYS,
  withRectangle,
} from './week-time.ts'

const HOURS = Array.from({ length: SLOTS / 2 }, (_, hour) => hour)
const STEPS: Readonly<Record<string, readonly [rows: number, slots: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

interface Drag {
  from: CellPlace
  add: boolean
  before: Cells
}

/** Chooses cells by dragging and by keys; every change goes to `write`. */
function useDrawing(cells: Cells, disabled: boolean, write: (next: Cells) => void) {
  const [focused, setFocused] = useState<CellPlace>({ row: 0, slot: 0 })
  const drag = useRef<Drag>(undefined)
  const drawTo = (to: CellPlace) => {
    if (drag.current) write(withRectangle(drag.current.before, drag.current.from, to, drag.current.add))
  }
  const end = () => {
    drag.current = undefined
  }
  const step = ([rows, slots]: readonly [number, number], grid: HTMLElement, isDrawing: boolean) => {
    const next = { row: within(focused.row + rows, WEEK_DAYS.length), slot: within(focused.slot + slots, SLOTS) }
    if (isDrawing) {
      drag.current ??= { from: focused, add: true, before: cells }
      drawTo(next)
    } else end()
    setFocused(next)
    grid.querySelector<HTMLElement>(`[data-row="${next.row}"][data-slot="${next.slot}"]`)?.focus()
  }
  return {
    focused,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        const at = placeAt(event.target)
        if (!at || disabled || event.button !== 0) return
        event.preventDefault()
        drag.current = { from: at, add: !isOn(cells, at), before: cells }
        setFocused(at)
        drawTo(at)
      },
      // Fingers keep the cell that they came down on as target, so the place is asked for.
      onPointerMove: (event: PointerEvent) => {
        if (!drag.current) return
        const at = placeAt(document.elementFromPoint(event.clientX, event.clientY))
        if (at) drawTo(at)
      },
      onPointerUp: end,
      onPointerLeave: end,
      onPointerCancel: end,
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        const steps = STEPS[event.key]
        if (steps) {
          event.preventDefault()
          step(steps, event.currentTarget, event.shiftKey && !disabled)
        } else if ((event.key === ' ' || event.key === 'Enter') && !disabled) {
          event.preventDefault()
          write(withRectangle(cells, focused, focused, !isOn(cells, focused)))
          end()
        }
      },
      onKeyUp: (event: KeyboardEvent) => event.key === 'Shift' && end(),
      onFocus: (event: FocusEvent) => setFocused(placeAt(event.target) ?? focused),
    },
  }
}

/**
 * The hours of a week: seven rows of half hours, chosen by dragging, or with arrows and the space
 * bar; Shift with an arrow draws on. The value is the list of
 * docs/rules/acls.md#time_period_syntax.
 */
export function WeekTimeGrid({ value, onChange, disabled = false, id, field }: WidgetProps<TimePeriod[]>) {
  const cells = cellsOf(value ?? [])
  const write = (next: Cells) => onChange?.(periodsOf(next))
  const { focused, handlers } = useDrawing(cells, disabled, write)
  return (
    <div className="week-time" id={id}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is worked in is a grid (WAI-ARIA "grid pattern")
        role="grid"
        aria-label={t(field.label)}
        aria-multiselectable
        {...handlers}
      >
        <thead aria-hidden="true">
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th key={hour} colSpan={2}>
                {hour % 3 === 0 ? hour : ''}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {WEEK_DAYS.map((day, row) => (
            <tr key={day}>
              <th scope="row">{dayName(day)}</th>
              {Array.from({ length: SLOTS }, (_, slot) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its index
                  key={slot}
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as its table
                  role="gridcell"
                  aria-label={`${dayName(day)} ${clockOf(slot)}`}
                  aria-selected={cells.has(cellOf(day, slot))}
                  aria-disabled={disabled}
                  data-row={row}
                  data-slot={slot}
                  tabIndex={focused.row === row && focused.slot === slot ? 0 : -1}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="week-time-tools">
        <Button size="small" disabled={disabled} onClick={() => write(everyCell())}>
          {t('Select all hours')}
        </Button>
        <Button size="small" disabled={disabled} onClick={() => write(new Set())}>
          {t('Clear selection')}
        </Button>
      </div>
      <WeekTimeText periods={value ?? []} />
    </div>
  )
}

const isOn = (cells: Cells, { row, slot }: CellPlace) => cells.has(cellOf(WEEK_DAYS[row] ?? 0, slot))
const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value))

function placeAt(target: EventTarget | null): CellPlace | undefined {
  const { row, slot } = target instanceof HTMLElement ? target.dataset : {}
  return row === undefined || slot === undefined ? undefined : { row: Number(row), slot: Number(slot) }
}
