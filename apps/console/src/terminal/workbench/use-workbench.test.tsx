import { act, cleanup, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedbackHost } from '../../design/dialogs/feedback.tsx'
import { GatewayLine } from '../../test/gateway-line.ts'
import { serve } from '../../test/harness.tsx'
import type { EditOutcome } from '../grid/value-edit.ts'
import { runningSince, statementSince } from './answers.ts'
import { GrowingFile } from './growing-file.ts'
import { keepDraft } from './kept-texts.ts'
import { Results } from './Results.tsx'
import { useWorkbench } from './use-workbench.ts'
import { WorkbenchPane } from './WorkbenchPane.tsx'

/** Fields of an event that these tests do not look at. */
const REST = { of: 1, isPlanned: false, isFailed: false, isCut: false, words: '', milliseconds: 1, kind: 'plain' }
const START = { dialect: 'mysql', version: '11', mayEdit: true, mayExport: true, database: 'shop', transaction: 'none' }
const RESULTS = {
  ...{ onMore: () => {}, onMoveOn: () => {}, onAgain: () => {}, onMoveTo: () => {} },
  ...{ mayExport: false, onExport: undefined, onEdit: undefined },
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', GatewayLine)
  serve(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a change of a value without a possible answer is over, and takes nothing from the next statement', async () => {
  const target = { type: 'mysql', target_id: 'shop' }
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  const line = GatewayLine.last
  act(() => line.begin(START))
  let outcome: Promise<EditOutcome> | undefined
  const edit = () =>
    act(() => {
      outcome = result.current.bench.edit({ question: 1, text: 'UPDATE' })
    })
  edit()
  expect(line.sent.at(-1)).toEqual({ type: 'WORKBENCH_EDIT', data: { run: 1, question: 1 } })
  // The session goes on, and has not heard of it.
  act(() => line.say('WORKBENCH_START', { ...START, run: 0, newest: 0, text: '' }))
  expect((await outcome)?.error).toMatch(/^The connection was lost/)
  expect(result.current.answers.isRunning).toBe(false)
  act(() => result.current.bench.run('select 1'))
  act(() =>
    line.say('WORKBENCH', {
      event: 'statement',
      run: 1,
      statement: 0,
      of: 1,
      text: 'select 1',
      from: 0,
      to: 8,
      isPlanned: false,
    }),
  )
  expect(result.current.answers.statements).toHaveLength(1)
  act(() => line.say('WORKBENCH', { event: 'idle', run: 1, database: 'shop', transaction: 'none' }))

  act(() => line.lose())
  edit()
  expect(await outcome).toMatchObject({ error: 'Not connected' })
  expect(result.current.answers.isRunning).toBe(false)
})

test('while a file is on its way the page says so, until it is whole or can not become so; stopping it shows no error', async () => {
  const target = { type: 'mysql', target_id: 'shop' }
  render(<FeedbackHost />)
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  act(() => GatewayLine.last.begin(START))
  const begin = () => act(() => result.current.bench.export({ from: 0, to: 0 }, 'csv'))
  const over = (run: number, error: string) =>
    act(() => GatewayLine.last.say('WORKBENCH', { event: 'exported', run, rows: 0, cut: 0, error }))
  begin()
  expect(result.current.isExporting).toBe(true)
  over(1, 'denied')
  expect(result.current.isExporting).toBe(false)
  await screen.findByText('denied')
  begin()
  act(() => result.current.bench.cancel())
  over(2, 'canceling statement')
  expect(result.current.isExporting).toBe(false)
  begin()
  act(() => GatewayLine.last.lose())
  expect(result.current.isExporting).toBe(false)
  await screen.findByText('Connection lost; the file is incomplete.')
  expect(screen.queryByText('canceling statement')).toBeNull()
})

test('what runs says for how long, also to a page that has come back to it; what waits for who reads does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const target = { type: 'mysql', target_id: 'shop' }
    const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
    const shown = () => {
      const { container, unmount } = render(<Results {...RESULTS} answers={result.current.answers} />)
      act(() => vi.advanceTimersByTime(0))
      const text = container.querySelector('.tool-pane-count')?.textContent
      unmount()
      return text
    }
    const news = (event: string, more: object = {}) =>
      act(() => GatewayLine.last.say('WORKBENCH', { event, run: 1, statement: 0, ...REST, ...more }))
    const begins = () => news('statement', { of: 2, text: 'select 1', from: 0, to: 8 })
    act(() => GatewayLine.last.begin(START))
    act(() => result.current.bench.run('select 1; select 2'))
    begins()
    expect(shown()).toBe('Running ')
    vi.advanceTimersByTime(64_999)
    expect(shown()).toBe('Running 1:04')
    // The session is gone on with.
    act(() =>
      GatewayLine.last.say('WORKBENCH_START', { ...START, run: 1, newest: 1, isRunning: true, runningFor: 3_605_000 }),
    )
    begins()
    expect(shown()).toBe('Running 1:00:05')
    news('columns', { result: 1, columns: [{ name: 'n', isNumber: true }] })
    news('rows', { result: 1, rows: [['1']] })
    news('held', { result: 1 })
    expect(runningSince(result.current.answers)).toBeUndefined()
    news('done', { result: 1, rows: 1, isCut: false })
    news('over', { milliseconds: 5000 })
    news('statement', { statement: 1, of: 2, text: 'select 2', from: 9, to: 17 })
    expect(statementSince(result.current.answers)).toBe(performance.now() - 3_600_000)
  } finally {
    vi.useRealTimers()
  }
})

test('a file of rows is saved under the name of its application and table', async () => {
  const target = { type: 'mysql', target_id: 'shop' }
  const saved = vi.spyOn(GrowingFile.prototype, 'save').mockImplementation(() => {})
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  act(() => GatewayLine.last.begin(START))
  act(() => result.current.bench.run('select 1; select * from 商品'))
  act(() => result.current.bench.export({ from: 10, to: 26 }, 'xlsx'))
  expect(GatewayLine.last.sent.at(-1)).toMatchObject({ data: { text: 'select * from 商品' } })
  act(() => GatewayLine.last.say('WORKBENCH', { event: 'exported', run: 2, rows: 1, cut: 0 }))
  expect(saved.mock.calls[0]?.[0]).toMatch(/^shop_商品_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.xlsx$/)
})

test('a statement that others must confirm says whom it waits for, and where, until it is decided', () => {
  const target = { type: 'mysql', target_id: 'shop' }
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  const shown = () => {
    const { container, unmount } = render(<Results {...RESULTS} answers={result.current.answers} />)
    const [text, link] = [container.querySelector('.tool-pane-count')?.textContent, container.querySelector('a')?.href]
    unmount()
    return [text?.trim(), link]
  }
  const address = 'https://door.example/ui/tickets/tickets/7'
  act(() => GatewayLine.last.begin(START))
  act(() => result.current.bench.run('truncate t'))
  const news = (event: string, more: object = {}) =>
    act(() => GatewayLine.last.say('WORKBENCH', { event, run: 1, statement: 0, ...REST, ...more }))
  news('statement', { of: 1, text: 'truncate t', from: 0, to: 10 })
  act(() => GatewayLine.last.say('WORKBENCH_NOTICE', { code: 'held', text: `Waiting for Ada to confirm: ${address}` }))
  expect(shown()).toEqual([`Waiting for Ada to confirm: ${address}`, address])
  act(() => GatewayLine.last.say('WORKBENCH_DECIDED'))
  expect(shown()).toEqual(['Running', undefined])
  news('done', { result: 1, rows: 1 })
  news('over', { milliseconds: 9 })
  expect(shown()).toEqual(['Answer: 1 · 9 ms', undefined])

  const held = () => act(() => GatewayLine.last.say('WORKBENCH_NOTICE', { code: 'held', text: 'Waiting for Ada' }))
  act(() => result.current.bench.export({ from: 0, to: 10 }, 'csv'))
  held()
  news('again', { result: 1, from: 0, rows: [] })
  expect(result.current.answers.awaits).toBe('Waiting for Ada')
  act(() => GatewayLine.last.say('WORKBENCH', { event: 'exported', run: 2, rows: 0, cut: 0, error: 'no' }))
  expect(result.current.answers.awaits).toBeUndefined()
  act(() => void result.current.bench.edit({ question: 1, text: 'UPDATE' }))
  held()
  act(() => GatewayLine.last.say('WORKBENCH', { event: 'edited', run: 3, rows: 0, warnings: 0, error: 'no' }))
  expect(result.current.answers.awaits).toBeUndefined()
})

test('a statement has run since it began, however long somebody has read what was before; what was given up does not run', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const target = { type: 'mysql', target_id: 'shop' }
    const { result, rerender } = renderHook(
      ({ attempt }: { attempt: number }) => useWorkbench({ target, attempt, onState: () => {} }),
      { initialProps: { attempt: 0 } },
    )
    const news = (event: string, more: object = {}) =>
      act(() => GatewayLine.last.say('WORKBENCH', { event, run: 1, statement: 0, ...REST, ...more }))
    act(() => GatewayLine.last.begin(START))
    act(() => result.current.bench.run('select 1; update t'))
    news('statement', { of: 2, text: 'select 1', from: 0, to: 8 })
    vi.advanceTimersByTime(60_000)
    news('columns', { result: 1, columns: [{ name: 'n', isNumber: true }] })
    news('rows', { result: 1, rows: [['1']] })
    news('held', { result: 1 })
    vi.advanceTimersByTime(300_000)
    act(() => result.current.bench.more())
    expect(runningSince(result.current.answers)).toBe(performance.now())
    news('done', { result: 1, rows: 1, isCut: false })
    news('over', { milliseconds: 360_000 })
    news('statement', { statement: 1, of: 2, text: 'update t', from: 10, to: 18 })
    vi.advanceTimersByTime(5000)
    expect(statementSince(result.current.answers)).toBe(performance.now() - 5000)
    // The session is over, and another one begins.
    rerender({ attempt: 1 })
    act(() => GatewayLine.last.begin(START))
    act(() => result.current.bench.export({ from: 0, to: 8 }, 'csv'))
    expect(result.current.answers.isRunning).toBe(true)
    expect(statementSince(result.current.answers)).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

test('a selection is run as it is, all statements if all is selected; without one the statement at the cursor is run', async () => {
  keepDraft('u1', 'shop', 'select 1;\nselect 2;')
  const target = { type: 'mysql', target_id: 'shop' }
  const props = { target, attempt: 0, active: true, watermark: undefined, userId: 'u1' }
  const handlers = { onState: () => {}, onReconnect: () => {} }
  const { container } = render(<WorkbenchPane {...props} {...handlers} state="connected" />)
  const line = GatewayLine.last
  act(() => line.begin(START))
  const written = container.querySelector('.cm-content') as HTMLElement
  const press = (key: string, keyCode: number) =>
    act(() => {
      written.dispatchEvent(
        new KeyboardEvent('keydown', { key, keyCode, ctrlKey: true, bubbles: true, cancelable: true }),
      )
    })
  const ran = () => line.sent.filter(({ type }) => type === 'WORKBENCH_RUN').map(({ data }) => data)
  press('Enter', 13)
  expect(ran()).toEqual([expect.objectContaining({ text: 'select 1;\nselect 2;', at: 0 })])
  act(() => line.say('WORKBENCH', { event: 'idle', run: 1, database: 'shop', transaction: 'none' }))
  press('a', 65)
  press('Enter', 13)
  expect(ran()[1]).toEqual(expect.objectContaining({ text: 'select 1;\nselect 2;' }))
  expect(ran()[1]).not.toHaveProperty('at')
})
