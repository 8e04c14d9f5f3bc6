import { act, cleanup, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedbackHost } from '../../design/feedback.tsx'
import { GatewayLine } from '../../test/gateway-line.ts'
import { serve } from '../../test/harness.tsx'
import { type EditOutcome, useWorkbench } from './use-workbench.ts'

const START = { dialect: 'mysql', version: '11', mayEdit: true, mayExport: true, database: 'shop', transaction: 'none' }

beforeEach(() => {
  vi.stubGlobal('WebSocket', GatewayLine)
  serve(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a change of a value that can not be told of any more is over, and takes nothing from what is run next', async () => {
  const target = { type: 'mysql', target_id: 'shop' }
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  const line = GatewayLine.last
  act(() => line.begin(START))
  let outcome: Promise<EditOutcome> | undefined
  const edit = () =>
    act(() => {
      outcome = result.current.edit({ question: 1, text: 'UPDATE' })
    })
  edit()
  expect(line.sent.at(-1)).toEqual({ type: 'WORKBENCH_EDIT', data: { run: 1, question: 1 } })
  // The session goes on, and has not heard of it.
  act(() => line.say('WORKBENCH_START', { ...START, run: 0, newest: 0, text: '' }))
  expect((await outcome)?.error).toMatch(/^The connection was lost/)
  expect(result.current.answers.isRunning).toBe(false)
  act(() => result.current.run('select 1'))
  act(() =>
    line.say('WORKBENCH', { event: 'statement', run: 1, statement: 0, of: 1, text: 'select 1', from: 0, to: 8 }),
  )
  expect(result.current.answers.statements).toHaveLength(1)
  act(() => line.say('WORKBENCH', { event: 'idle', run: 1, database: 'shop', transaction: 'none' }))

  act(() => line.lose())
  edit()
  expect(await outcome).toMatchObject({ error: 'Not connected' })
  expect(result.current.answers.isRunning).toBe(false)
})

test('while a file is on its way the page says so, until it is whole or can not become so; who stops it is told no error', async () => {
  const target = { type: 'mysql', target_id: 'shop' }
  render(<FeedbackHost />)
  const { result } = renderHook(() => useWorkbench({ target, attempt: 0, onState: () => {} }))
  act(() => GatewayLine.last.begin(START))
  const begin = () => act(() => result.current.export({ from: 0, to: 0 }, 'csv'))
  const over = (run: number, error: string) =>
    act(() => GatewayLine.last.say('WORKBENCH', { event: 'exported', run, rows: 0, cut: 0, error }))
  begin()
  expect(result.current.isExporting).toBe(true)
  over(1, 'denied')
  expect(result.current.isExporting).toBe(false)
  await screen.findByText('denied')
  begin()
  act(() => result.current.cancel())
  over(2, 'canceling statement')
  expect(result.current.isExporting).toBe(false)
  begin()
  act(() => GatewayLine.last.lose())
  expect(result.current.isExporting).toBe(false)
  await screen.findByText('The connection was lost before the file was whole.')
  expect(screen.queryByText('canceling statement')).toBeNull()
})
