import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { StatementView } from './answers.ts'
import { Results } from './Results.tsx'

afterEach(cleanup)

const statement = (text: string, column: string, rows: readonly string[][]): StatementView => ({
  text,
  from: 0,
  to: text.length,
  isPlanned: false,
  messages: [],
  outcome: '',
  isFailed: false,
  milliseconds: 3,
  results: [
    {
      result: 1,
      columns: [
        { name: column, isNumber: true },
        { name: 'note', isNumber: false },
      ],
      rows,
      isHeld: false,
      done: { rows: rows.length, isCut: false },
    },
  ],
})
const nothing = () => {}
const resultsWith = (onExport: (() => void) | undefined) => (
  <Results
    answers={{
      run: 1,
      isRunning: false,
      database: 'shop',
      transaction: 'none',
      statements: [
        statement('select 1', 'id', [
          ['1', 'first'],
          ['2', 'second'],
          ['3', 'third'],
        ]),
        statement('select 2', 'price', [['7', 'seven']]),
      ],
    }}
    onMore={nothing}
    onMoveOn={nothing}
    onAgain={nothing}
    onMoveTo={nothing}
    mayExport={false}
    onExport={onExport}
    onEdit={undefined}
  />
)
const results = resultsWith(nothing)
const activeCell = () =>
  document.getElementById(screen.getByRole('grid').getAttribute('aria-activedescendant') ?? '')?.textContent

test('the results of a run are one stop of the Tab key: arrows go from one to the next and show it', async () => {
  render(results)
  await userEvent.tab()
  expect(document.activeElement?.textContent).toBe('Result 1')
  await userEvent.keyboard('{ArrowRight}')
  expect(document.activeElement?.textContent).toBe('Result 2')
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Result 2')
  expect(screen.getByRole('gridcell', { name: 'seven' })).toBeTruthy()
  await userEvent.keyboard('{End}')
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Messages')
  await userEvent.keyboard('{ArrowRight}')
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Result 1')
})

test('rows are one stop of the Tab key: arrows, Home and End move among the values, Enter shows one whole', async () => {
  render(results)
  const grid = screen.getByRole('grid')
  grid.focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(activeCell()).toBe('1')
  await userEvent.keyboard('{ArrowDown}{ArrowRight}{ArrowRight}')
  expect(activeCell()).toBe('second')
  await userEvent.keyboard('{Home}')
  expect(activeCell()).toBe('2')
  await userEvent.keyboard('{Control>}{End}{/Control}')
  expect(activeCell()).toBe('third')
  await userEvent.keyboard('{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'note' })
  expect(dialog.textContent).toContain('third')
  // None of the values is a stop of its own.
  expect(screen.getAllByRole('gridcell', { hidden: true }).every((cell) => cell.tabIndex === -1)).toBe(true)
})

test('keys go on from a value that was clicked and looked at', async () => {
  render(results)
  await userEvent.click(screen.getByRole('gridcell', { name: 'first' }))
  await screen.findByRole('dialog', { name: 'note' })
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await userEvent.keyboard('{ArrowDown}')
  expect(activeCell()).toBe('second')
})

test('the heads of a result are one stop of the Tab key: arrows go from one to the next, Enter sorts by it', async () => {
  render(results)
  screen.getByRole('grid').focus()
  await userEvent.tab()
  expect(document.activeElement?.textContent).toBe('id')
  await userEvent.keyboard('{ArrowRight}')
  expect(document.activeElement?.textContent).toBe('note')
  await userEvent.keyboard('{Enter}{Enter}')
  expect(screen.getByRole('columnheader', { name: 'note' }).getAttribute('aria-sort')).toBe('descending')
  expect(screen.getAllByRole('gridcell')[1]?.textContent).toBe('third')
  await userEvent.tab({ shift: true })
  expect(document.activeElement).toBe(screen.getByRole('grid'))
})

test('rows of a session that is over are not offered, and what its server said last is shown', () => {
  const begun = { ...statement('select 1', 'id', [['1', 'first']]), milliseconds: undefined }
  const [{ done: _, ...open }] = begun.results as [StatementView['results'][0]]
  const shown = (more: Partial<StatementView>, onMoveOn?: () => void) => (
    <Results
      {...{ onMore: nothing, onMoveOn, onAgain: nothing, onMoveTo: nothing }}
      {...{ mayExport: false, onExport: undefined, onEdit: undefined }}
      answers={{
        ...{ run: 1, isRunning: false, database: 'shop', transaction: 'none' },
        statements: [{ ...begun, results: [open], ...more } as StatementView],
      }}
    />
  )
  const { rerender } = render(shown({}, nothing))
  expect(screen.getByRole('button', { name: 'Keep loading' })).toBeTruthy()
  rerender(shown({}))
  expect(screen.queryByRole('button', { name: 'Keep loading' })).toBeNull()
  rerender(shown({ messages: [{ kind: 'error', text: 'terminating connection' }] }))
  expect(screen.getByText('terminating connection')).toBeTruthy()
})

test('a person who may not take rows as a file gets no such offer', () => {
  const { rerender } = render(results)
  expect(screen.getByRole('button', { name: 'Export' })).toBeTruthy()
  rerender(resultsWith(undefined))
  expect(screen.queryByRole('button', { name: 'Export' })).toBeNull()
})
