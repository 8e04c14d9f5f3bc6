import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ResultGrid } from './ResultGrid.tsx'
import type { ResultView } from './result-view.ts'

afterEach(cleanup)

/** So many rows of a thousand that have come, from one on. */
const view = (before: number, count: number, more: Partial<ResultView> = {}): ResultView => ({
  ...{ result: 1, before, shown: 1000, isHeld: true },
  columns: [{ name: 'n', isNumber: true }],
  rows: Array.from({ length: count }, (_, at) => [String(before + at + 1)]),
  ...more,
})

test('at either end of the window the rows next to it are asked for, once, and what is in view stays where it is', async () => {
  const [onMore, onAgain, onMoveTo] = [vi.fn(), vi.fn(), vi.fn()]
  const grid = (result: ResultView) => <ResultGrid {...{ result, onMore, onMoveOn: vi.fn(), onAgain, onMoveTo }} />
  const { rerender } = render(grid(view(200, 500)))
  expect(onAgain.mock.calls).toEqual([[{ to: 200 }]])
  rerender(grid(view(200, 500, { isAsking: true })))
  // By their roles all cells would be looked through, which takes long.
  const box = document.querySelector('.data-grid') as HTMLElement
  box.scrollTop = 260
  rerender(grid(view(100, 600)))
  // A hundred rows of 26 pixels came above.
  expect(box.scrollTop).toBe(2860)
  expect(screen.queryByText('211')).not.toBeNull()
  onAgain.mockClear()
  act(() => {
    box.scrollTop = 550 * 26
  })
  fireEvent.scroll(box)
  expect(onAgain.mock.calls).toEqual([[{ from: 700 }]])
  // Behind the last that has come the server has more.
  rerender(grid(view(500, 500)))
  act(() => {
    box.scrollTop = 450 * 26
  })
  fireEvent.scroll(box)
  expect(onMore).toHaveBeenCalledTimes(1)
  onAgain.mockClear()
  // Sorted, nothing is above or below.
  await userEvent.click(screen.getByTitle('n'))
  box.scrollTop = 0
  fireEvent.scroll(box)
  expect(onAgain).not.toHaveBeenCalled()
})

test('the bar says which rows are loaded, leads to those before them and to a row of a number, and to none that are gone', async () => {
  const onMoveTo = vi.fn()
  const grid = (result: ResultView) => (
    <ResultGrid {...{ result, onMore: vi.fn(), onMoveOn: vi.fn(), onAgain: vi.fn(), onMoveTo }} />
  )
  const { rerender } = render(grid(view(200, 500, { first: 50 })))
  expect(screen.queryByText('Rows 201 to 700, and there are more')).not.toBeNull()
  await userEvent.click(screen.getByText('Previous rows'))
  const field = screen.getByLabelText('To row')
  for (const number of ['7', '333', '99999', 'x']) await userEvent.type(field, `${number}{Enter}`)
  expect(onMoveTo.mock.calls).toEqual([[50], [50], [332], [999]])
  rerender(grid(view(200, 500, { first: 200 })))
  expect(screen.queryByText('Previous rows')).toBeNull()
  rerender(<ResultGrid result={view(0, 1000)} onMore={vi.fn()} />)
  expect(screen.queryByLabelText('To row')).toBeNull()
})

test('the cell that keys move from stays the same when rows come above it', async () => {
  const grid = (result: ResultView) => (
    <ResultGrid {...{ result, onMore: vi.fn(), onMoveOn: vi.fn(), onAgain: vi.fn(), onMoveTo: vi.fn() }} />
  )
  const { rerender } = render(grid(view(200, 500)))
  document.querySelector<HTMLElement>('.data-grid')?.focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  const marked = () => document.querySelector('.data-grid-cursor')?.textContent
  expect(marked()).toBe('203')
  rerender(grid(view(100, 600)))
  expect(marked()).toBe('203')
  await userEvent.keyboard('{ArrowDown}')
  expect(marked()).toBe('204')
})

test('a choice in a box beside its button closes it, and the focus is back on the button', async () => {
  const onExport = vi.fn()
  render(<ResultGrid result={view(0, 3)} onMore={vi.fn()} mayExport onExport={onExport} />)
  await userEvent.click(screen.getByRole('button', { name: 'Export' }))
  screen.getByRole('button', { name: 'JSON' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(onExport.mock.calls).toEqual([['json']])
  expect(document.activeElement?.textContent).toBe('Export')
})
