import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { signIn } from '../../../test/harness.tsx'
import { IpGroup } from '../IpGroup.tsx'
import { WeekTimeGrid } from './WeekTimeGrid.tsx'
import { cellsOf, periodsOf, type TimePeriod } from './week-time.ts'

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  Reflect.deleteProperty(document, 'elementFromPoint')
})

const context = { mode: 'create' as const, row: undefined, query: new URLSearchParams() }
const field = { name: 'time_period', label: 'Time period', type: 'list', required: false, read_only: false }

let latest: unknown
function Holder({ Widget, first }: { Widget: typeof WeekTimeGrid | typeof IpGroup; first: unknown }) {
  const [value, setValue] = useState(first)
  latest = value
  const Any = Widget as unknown as React.ComponentType<Record<string, unknown>>
  return <Any value={value} onChange={setValue} field={field} context={context} id="x" />
}
const cell = (name: string) => screen.getByRole('gridcell', { name })

test.each<[TimePeriod[]]>([
  [[]],
  [[{ id: 1, value: '09:00~18:00' }]],
  [
    [
      { id: 0, value: '00:00~00:00' },
      { id: 6, value: '08:30~12:00、13:00~00:00' },
    ],
  ],
])('[A3.19] the periods %j are the same after the grid', (periods) => {
  expect(periodsOf(cellsOf(periods))).toEqual(periods)
})

test('[A3.19] dragging over cells chooses the rectangle; dragging from a chosen cell takes it away', () => {
  render(<Holder Widget={WeekTimeGrid} first={[]} />)
  const drag = (from: string, to: string) => {
    document.elementFromPoint = () => cell(to)
    fireEvent.pointerDown(cell(from), { button: 0 })
    fireEvent.pointerMove(cell(from))
    fireEvent.pointerUp(cell(to))
  }
  drag('Monday 09:00', 'Tuesday 17:30')
  expect(latest).toEqual([
    { id: 1, value: '09:00~18:00' },
    { id: 2, value: '09:00~18:00' },
  ])
  drag('Monday 12:00', 'Monday 12:30')
  expect(latest).toEqual([
    { id: 1, value: '09:00~12:00、13:00~18:00' },
    { id: 2, value: '09:00~18:00' },
  ])
  expect(screen.getByText(/Monday: 09:00 – 12:00, 13:00 – 18:00/)).toBeTruthy()
})

test('[A3.19] by keyboard: arrows move one tab stop, space chooses, Shift with an arrow draws on', () => {
  render(<Holder Widget={WeekTimeGrid} first={[]} />)
  expect(screen.getAllByRole('gridcell').filter((one) => one.tabIndex === 0)).toEqual([cell('Monday 00:00')])
  cell('Monday 00:00').focus()
  const press = (key: string, shiftKey = false) =>
    fireEvent.keyDown(document.activeElement as Element, { key, shiftKey })
  press('ArrowDown')
  press('ArrowRight')
  expect(document.activeElement).toBe(cell('Tuesday 00:30'))
  press(' ')
  expect(latest).toEqual([{ id: 2, value: '00:30~01:00' }])
  press('ArrowRight', true)
  press('ArrowRight', true)
  expect(latest).toEqual([{ id: 2, value: '00:30~02:00' }])
  fireEvent.keyUp(document.activeElement as Element, { key: 'Shift' })
  press(' ')
  expect(latest).toEqual([{ id: 2, value: '00:30~01:30' }])
  for (let n = 0; n < 60; n++) press('ArrowUp')
  expect(document.activeElement).toBe(cell('Monday 01:30'))
})

test('[A3.19] all hours and none, each by a button', () => {
  render(<Holder Widget={WeekTimeGrid} first={[{ id: 3, value: '09:00~10:00' }]} />)
  fireEvent.click(screen.getByText('Select all hours'))
  expect(latest).toEqual([0, 1, 2, 3, 4, 5, 6].map((id) => ({ id, value: '00:00~00:00' })))
  fireEvent.click(screen.getByText('Clear selection'))
  expect(latest).toEqual([])
  expect(screen.getByText(/at all times/)).toBeTruthy()
})

test('[A3.19] addresses are typed with commas and go out as a list; empty text is an empty list', () => {
  render(<Holder Widget={IpGroup} first={['*']} />)
  const box = screen.getByRole('textbox')
  expect(box).toHaveProperty('value', '*')
  fireEvent.change(box, { target: { value: '10.0.0.1, 10.1.0.0/16，' } })
  expect(latest).toEqual(['10.0.0.1', '10.1.0.0/16'])
  expect(box).toHaveProperty('value', '10.0.0.1, 10.1.0.0/16，')
  fireEvent.change(box, { target: { value: ' ' } })
  expect(latest).toEqual([])
})
