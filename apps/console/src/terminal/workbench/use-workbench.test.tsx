import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GatewayLine } from '../../test/gateway-line.ts'
import { serve } from '../../test/harness.tsx'
import { type EditOutcome, useWorkbench } from './use-workbench.ts'

const START = { dialect: 'mysql', version: '11', mayEdit: true, database: 'shop', transaction: 'none' }

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
