import { COMMAND_NEWS, TASK_LOG } from '@sallyport/contract/socket/news.ts'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NewsLine } from '../../test/news-line.ts'
import { useCommandNews } from './batch/use-command-news.ts'
import { useTaskOutput } from './use-task-output.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', NewsLine)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const opened = async () => {
  await vi.dynamicImportSettled()
  act(() => void NewsLine.last.dispatchEvent(new Event('open')))
}
const sent = (...frames: (string | object)[]) =>
  act(() => {
    for (const frame of frames) NewsLine.last.say(frame)
    vi.advanceTimersByTime(20)
  })
/** Messages that are in no contract: no JSON, fields missing, other types, of another socket. */
const REFUSED = ['x', '', 'null', '[]', '{}', '{"message":7,"task":"t"}', '{"execution":"e","output":[{}]}']
REFUSED.push('{"type":"unread_count","unread_count":1}')

test('[A2.06] the output of a task is read again after its connection was lost; malformed messages change nothing', async () => {
  const { result, unmount } = renderHook(() => useTaskOutput('t', false))
  await opened()
  expect(NewsLine.last.address).toMatch(new RegExp(`^ws.*${TASK_LOG.path}$`))
  expect(NewsLine.last.sent.map((text) => JSON.parse(text))).toEqual([{ task: 't' }])
  sent({ task: 't', message: 'one\n' }, ...REFUSED, { task: 't', message: 'two\n' })
  expect(result.current).toBe('one\ntwo\n')
  act(() => NewsLine.last.lose())
  expect(result.current).toContain('Connection lost, connecting again')
  act(() => vi.advanceTimersByTime(2000))
  await opened()
  sent({ task: 't', message: 'one\n' })
  expect(result.current).toBe('one\n')
  unmount()
  expect(NewsLine.last.isClosed).toBe(true)
})

test('the output of a batch command is shown by machine until it is over; malformed messages change nothing', async () => {
  const onChange = vi.fn()
  const { result } = renderHook(() => useCommandNews('e', onChange))
  await opened()
  expect(NewsLine.last.address).toMatch(new RegExp(`^ws.*${COMMAND_NEWS.path}$`))
  expect(NewsLine.last.sent.map((text) => JSON.parse(text))).toEqual([{ execution: 'e' }])
  const news = (data: string, more: object = {}) => ({
    ...{ execution: 'e', output: [{ asset: 'web', stream: 'stdout', data }], is_changed: false, is_over: false },
    ...more,
  })
  const shown = () => result.current.live.get('web')?.stdout
  sent(news('one '), ...REFUSED, news('two'))
  expect([shown(), result.current.isConnected, onChange.mock.calls.length]).toEqual(['one two', true, 0])
  act(() => NewsLine.last.lose())
  expect(result.current.isConnected).toBe(false)
  act(() => vi.advanceTimersByTime(2000))
  await opened()
  sent(news('one two three'))
  expect([shown(), result.current.isConnected]).toEqual(['one two three', true])
  sent(news('.', { is_over: true }))
  expect([shown(), result.current.isConnected, onChange.mock.calls.length]).toEqual(['one two three.', false, 1])
  expect(NewsLine.last.isClosed).toBe(true)
  const sockets = NewsLine.opened.length
  act(() => NewsLine.last.lose(1000))
  act(() => vi.advanceTimersByTime(10_000))
  expect(NewsLine.opened).toHaveLength(sockets)
})
