import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setCatalog } from '../../lib/i18n.ts'
import { type IsoRange, isoOf } from '../../lib/time/date-range.ts'
import chinese from '../../locales/cn/widgets.json' with { type: 'json' }
import { signIn } from '../../test/harness.tsx'
import { DateRangePicker } from './DateRangePicker.tsx'
import { DateTimePicker } from './DateTimePicker.tsx'
import { DateTimeRangePicker } from './DateTimeRangePicker.tsx'

/** The calendars of a week in which nothing is special, whatever today is. */
const NOON = new Date(2026, 10, 25, 12, 30, 40)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
  signIn()
})
afterEach(() => {
  cleanup()
  setCatalog({})
  vi.useRealTimers()
})

interface KeptProps<Value> {
  first: Value
  picker: (value: Value, change: (next: Value) => void) => ReactNode
}

function Kept<Value>({ first, picker }: KeptProps<Value>) {
  const [value, setValue] = useState(first)
  return picker(value, setValue)
}

/** A picker with its value, and what it changed that to. */
function showMoment(first: string | null = new Date(2026, 9, 31, 8, 5, 9).toISOString()) {
  const changed = vi.fn()
  const picker = (value: string | null, change: (next: string | null) => void) => (
    <DateTimePicker
      aria-label="Ends"
      value={value}
      isClearable
      onChange={(next) => {
        changed(next && new Date(next))
        change(next)
      }}
    />
  )
  render(<Kept first={first} picker={picker} />)
  return { changed, box: screen.getByRole<HTMLInputElement>('textbox', { name: 'Ends' }) }
}

function showDays() {
  const changed = vi.fn()
  const picker = (value: IsoRange, change: (next: IsoRange) => void) => (
    <DateRangePicker
      value={value}
      onChange={(next) => {
        changed(next.map((date) => new Date(date)))
        change(next)
      }}
    />
  )
  render(<Kept first={isoOf([new Date(2026, 10, 18), new Date(2026, 10, 25)])} picker={picker} />)
  const group = within(screen.getByRole('group', { name: 'Date range' }))
  const [from, to] = group.getAllByRole<HTMLInputElement>('textbox')
  return { changed, from: from as HTMLInputElement, to: to as HTMLInputElement }
}

const calendar = async (name = 'Choose a date') => within(await screen.findByRole('dialog', { name }))

test('a date is typed, seconds and time may be missing; it is taken when it is left, not on its way', async () => {
  const { changed, box } = showMoment()
  expect(box.value).toBe('2026-10-31 08:05:09')
  await userEvent.clear(box)
  await userEvent.type(box, '2026-12-11 18:00')
  expect(changed).not.toHaveBeenCalled()
  await userEvent.tab()
  expect(changed.mock.calls).toEqual([[new Date(2026, 11, 11, 18)]])
  expect(box.value).toBe('2026-12-11 18:00:00')

  await userEvent.clear(box)
  await userEvent.type(box, '2026/1/2{Enter}')
  expect(changed).toHaveBeenLastCalledWith(new Date(2026, 0, 2))
})

test('a text that is no date is said to be none once it is left, and the date of before stays', async () => {
  const { changed, box } = showMoment()
  await userEvent.clear(box)
  await userEvent.type(box, '2026-02-29')
  expect(screen.queryByRole('alert')).toBeNull()
  await userEvent.tab()
  const fault = screen.getByRole('alert')
  expect(fault.textContent).toBe('Write it as YYYY-MM-DD HH:mm:ss')
  expect([box.getAttribute('aria-invalid'), box.getAttribute('aria-describedby')]).toEqual(['true', fault.id])
  expect(changed).not.toHaveBeenCalled()
  await userEvent.type(box, '{Backspace}8')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('the calendar is used by keys alone: it opens at its date, arrows and page keys lead on, Escape leads back', async () => {
  const { changed, box } = showMoment()
  box.focus()
  await userEvent.keyboard('{ArrowDown}')
  await calendar()
  const focused = () => document.activeElement?.getAttribute('aria-label')
  expect(focused()).toBe('Saturday, October 31, 2026')
  await userEvent.keyboard('{ArrowRight}')
  expect(focused()).toBe('Sunday, November 1, 2026')
  await userEvent.keyboard('{PageDown}{ArrowUp}')
  expect(focused()).toBe('Tuesday, November 24, 2026')
  await userEvent.keyboard('{Enter}')
  expect(changed).toHaveBeenLastCalledWith(new Date(2026, 10, 24, 8, 5, 9))
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(box)
})

test('the time of day is chosen too; the Tab key leads through the calendar, and on from it', async () => {
  const { changed } = showMoment()
  await userEvent.click(screen.getByRole('button', { name: 'Open the calendar' }))
  const popup = await calendar()
  await userEvent.selectOptions(popup.getByRole('combobox', { name: 'Hour' }), '23')
  expect(changed).toHaveBeenLastCalledWith(new Date(2026, 9, 31, 23, 5, 9))
  for (const name of ['Minute', 'Second']) {
    await userEvent.tab()
    expect(document.activeElement).toBe(popup.getByRole('combobox', { name }))
  }
  await userEvent.tab()
  expect(document.activeElement).toBe(popup.getByRole('button', { name: 'Done' }))
  await userEvent.keyboard('{Enter}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('textbox'))
})

test('month and year are chosen, eighty years ahead too; a week begins with Monday', async () => {
  const { changed } = showMoment()
  await userEvent.click(screen.getByRole('button', { name: 'Open the calendar' }))
  const popup = await calendar()
  expect(popup.getAllByRole('columnheader', { hidden: true }).map((head) => head.textContent)[0]).toBe('Mon')
  await userEvent.selectOptions(popup.getByRole('combobox', { name: 'Year' }), '2096')
  await userEvent.selectOptions(popup.getByRole('combobox', { name: 'Month' }), 'Feb')
  await userEvent.click(popup.getByRole('button', { name: 'Wednesday, February 29, 2096' }))
  expect(changed).toHaveBeenLastCalledWith(new Date(2096, 1, 29, 8, 5, 9))
})

test('a click opens the calendar and leaves the focus where one types; the Tab key closes it on the way', async () => {
  const { box } = showMoment()
  await userEvent.click(box)
  await calendar()
  expect(document.activeElement).toBe(box)
  await userEvent.tab()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Clear' }))
})

test('a date is taken away, and the first one has the time of now', async () => {
  const { changed } = showMoment()
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(changed).toHaveBeenLastCalledWith(null)
  await userEvent.click(screen.getByRole('button', { name: 'Open the calendar' }))
  await userEvent.click((await calendar()).getByRole('button', { name: 'Wednesday, November 25, 2026, today' }))
  expect(changed).toHaveBeenLastCalledWith(new Date(2026, 10, 25, 12, 30, 40))
})

test('[B9.17] two days are chosen one after the other, in any order; the range is of whole days', async () => {
  const { changed, from, to } = showDays()
  await userEvent.click(from)
  const popup = await calendar('Choose dates')
  await userEvent.click(popup.getByRole('button', { name: 'Friday, November 20, 2026' }))
  expect(changed).not.toHaveBeenCalled()
  await userEvent.click(popup.getByRole('button', { name: 'Tuesday, November 17, 2026' }))
  expect(changed).toHaveBeenLastCalledWith([new Date(2026, 10, 17, 0, 0, 1), new Date(2026, 10, 20, 23, 59, 59)])
  expect([from.value, to.value]).toEqual(['2026-11-17', '2026-11-20'])
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a range of the past ends today: later days can neither be chosen nor typed', async () => {
  const { changed, from, to } = showDays()
  await userEvent.click(from)
  const popup = await calendar('Choose dates')
  expect(popup.getByRole<HTMLButtonElement>('button', { name: 'Thursday, November 26, 2026' }).disabled).toBe(true)
  expect(popup.getByRole('button', { name: 'Next month' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.clear(to)
  await userEvent.type(to, '2026-11-26')
  await userEvent.tab()
  await userEvent.click(document.body)
  expect(screen.getByRole('alert').textContent).toBe('What has happened ends today at the latest')
  expect(changed).not.toHaveBeenCalled()

  await userEvent.clear(to)
  await userEvent.type(to, '2026-11-01')
  await userEvent.click(document.body)
  expect(screen.getByRole('alert').textContent).toBe('The first date must not be later than the last one')
  // A preset takes the place of what was typed.
  await userEvent.click(from)
  await userEvent.click((await calendar('Choose dates')).getByRole('button', { name: 'Last 7 days' }))
  expect(screen.queryByRole('alert')).toBeNull()
  expect([from.value, to.value]).toEqual(['2026-11-18', '2026-11-25'])
})

test('a range in the future is one of moments, each with its own time of day', async () => {
  const changed = vi.fn()
  const range = [new Date(2026, 10, 26, 9), new Date(2026, 10, 27, 17)] as const
  render(<DateTimeRangePicker aria-label="Window" isFutureAllowed value={isoOf(range)} onChange={changed} />)
  await userEvent.click(screen.getByRole('button', { name: 'Open the calendar' }))
  const popup = await calendar('Choose dates')
  const to = within(popup.getByRole('group', { name: 'To' }))
  await userEvent.selectOptions(to.getByRole('combobox', { name: 'Minute' }), '45')
  expect(changed).toHaveBeenLastCalledWith(isoOf([range[0], new Date(2026, 10, 27, 17, 45)]))
  await userEvent.click(popup.getByRole('button', { name: 'Monday, November 30, 2026' }))
  await userEvent.click(popup.getByRole('button', { name: 'Friday, December 4, 2026' }))
  expect(changed).toHaveBeenLastCalledWith(isoOf([new Date(2026, 10, 30, 9), new Date(2026, 11, 4, 17)]))
})

test('on a Chinese page the calendar has Chinese words, weekdays and months', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'django_language=zh-hans; path=/'
  setCatalog(chinese)
  showMoment()
  await userEvent.click(screen.getByRole('button', { name: '打开日历' }))
  const popup = await calendar('选择日期')
  expect(popup.getAllByRole('columnheader', { hidden: true }).map((head) => head.textContent)).toEqual([
    '一',
    '二',
    '三',
    '四',
    '五',
    '六',
    '日',
  ])
  expect(popup.getByRole<HTMLSelectElement>('combobox', { name: '月' }).selectedOptions[0]?.textContent).toBe('10月')
  expect(popup.getByRole('button', { name: '2026年10月31日星期六' })).toBeTruthy()
})
