import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../../lib/api.ts'
import { openRun } from './import-run.ts'
import { buttonLabel, type ImportRow, type RowAnswer } from './import-task.ts'
import type { RowCalls } from './row-calls.ts'

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `r${n}` }))
const neither: RowCalls = {
  send: () => Promise.reject(new Error('not one by one')),
  sendAll: () => Promise.reject(new Error('not all at once')),
}
const statuses = (run: ReturnType<typeof openRun>) => run.state().task.rows.map(({ status }) => status)

test('[B7.45 B9.06] rows go one by one in their order, with a pause between two and none after the last', async () => {
  const log: string[] = []
  const send = async ({ index, values }: ImportRow) => {
    log.push(String(values.name))
    return { index, errors: index === 1 ? { name: 'Taken' } : undefined }
  }
  const run = openRun(rows(3), { ...neither, send }, async () => void log.push('pause'))
  await run.start('here')
  expect(log).toEqual(['r0', 'pause', 'r1', 'pause', 'r2'])
  expect([...statuses(run), run.state().task.state, buttonLabel(run.state().task)]).toEqual([
    'ok',
    'error',
    'ok',
    'done',
    'Continue',
  ])
  await run.start('here')
  expect(log.slice(5)).toEqual(['r1'])
})

test('[B9.06] the pause between two rows is a tenth of a second', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sent: number[] = []
  const send = async ({ index }: ImportRow) => {
    sent.push(index)
    return { index, errors: undefined }
  }
  const done = openRun(rows(2), { ...neither, send }).start('here')
  await vi.advanceTimersByTimeAsync(99)
  expect(sent).toEqual([0])
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toEqual([0, 1])
  await done
})

test('[A4.18 B4.01] after Stop no further row is sent; Continue goes on with those that wait, also while one is on its way', async () => {
  const sent: number[] = []
  let answer: (value: RowAnswer) => void = () => {}
  const send = ({ index }: ImportRow) => {
    sent.push(index)
    return new Promise<RowAnswer>((resolve) => {
      answer = resolve
    })
  }
  const run = openRun(rows(3), { ...neither, send }, async () => {})
  const first = run.start('here')
  run.stop()
  answer({ index: 0, errors: undefined })
  await first
  expect([sent, run.state().task.state]).toEqual([[0], 'stopped'])
  const second = run.start('here')
  run.stop()
  void run.start('here')
  answer({ index: 1, errors: undefined })
  await expect.poll(() => sent).toEqual([0, 1, 2])
  answer({ index: 2, errors: undefined })
  await second
  expect(statuses(run)).toEqual(['ok', 'ok', 'ok'])
})

test('a row without a server stops the import, so that the others keep waiting', async () => {
  const send = async ({ index }: ImportRow) => ({ index, errors: { '': 'The server cannot be reached' }, halt: true })
  const run = openRun(rows(3), { ...neither, send }, async () => {})
  await run.start('here')
  expect([...statuses(run), run.state().task.state]).toEqual(['error', 'pending', 'pending', 'stopped'])
})

test('on the server all waiting rows go together, cannot be edited meanwhile, and a stop reaches the server', async () => {
  let given: readonly ImportRow[] = []
  const sendAll: RowCalls['sendAll'] = async (waiting, tell, signal) => {
    given = waiting
    tell([
      { index: 0, errors: undefined },
      { index: 1, errors: { name: 'Taken' } },
    ])
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    tell([{ index: 2, errors: undefined }])
    return 'stopped'
  }
  const run = openRun(rows(4), { ...neither, sendAll }, async () => {})
  const running = run.start('server')
  run.edit(3, 'name', 'other')
  expect(run.state()).toMatchObject({ onServer: true, task: { rows: { 3: { values: { name: 'r3' } } } } })
  run.stop()
  await running
  expect(given).toHaveLength(4)
  expect([...statuses(run), run.state().task.state, run.state().onServer]).toEqual([
    'ok',
    'error',
    'ok',
    'pending',
    'stopped',
    false,
  ])
})

test('an import that the server does not take, or breaks off, says why and can be continued', async () => {
  const refuse = () =>
    Promise.reject(new ApiError(409, { detail: 'Two imports of yours are under way', code: 'conflict' }, ''))
  const refused = openRun(rows(1), { ...neither, sendAll: refuse }, async () => {})
  await refused.start('server')
  expect(refused.state()).toMatchObject({
    failure: 'Two imports of yours are under way',
    onServer: false,
    task: { state: 'stopped' },
  })
  const broken = openRun(rows(1), { ...neither, sendAll: async () => 'interrupted' }, async () => {})
  await broken.start('server')
  expect(broken.state().failure).toMatch(/stopped the import/)
  expect(buttonLabel(broken.state().task)).toBe('Continue')
})
