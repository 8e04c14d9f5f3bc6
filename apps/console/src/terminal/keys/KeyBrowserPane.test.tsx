import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GatewayLine } from '../../test/gateway-line.ts'
import { isGreyed, serve } from '../../test/harness.tsx'
import type { TabState } from '../tabs/tabs.ts'
import { KeyBrowserPane } from './KeyBrowserPane.tsx'

const pane = (attempt: number, state: TabState) => (
  <KeyBrowserPane
    target={{ type: 'redis', target_id: 'cache' }}
    attempt={attempt}
    state={state}
    active
    watermark={undefined}
    onState={() => {}}
    onReconnect={() => {}}
  />
)
/** Open questions of the page, by subject. */
const asked = (about: string) =>
  GatewayLine.last.sent.flatMap(({ type, data: { question, ask } }) =>
    type === 'WORKBENCH_ASK' && (ask as { about: string }).about === about ? [question as number] : [],
  )
const reply = (about: string, answer: object) =>
  act(async () => GatewayLine.last.say('WORKBENCH_REPLY', { question: asked(about).at(-1), ...answer }))
const begin = () => act(async () => GatewayLine.last.begin({ dialect: 'redis', database: '0' }))
const button = (words: string) => screen.getByText(words).closest('button') as HTMLButtonElement

beforeEach(() => {
  // The first of two clicks within a moment counts.
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.stubGlobal('WebSocket', GatewayLine)
  serve(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a key is read once the server is there, again when it is chosen again, and again after a new connection', async () => {
  const { rerender } = render(pane(0, 'connecting'))
  await begin()
  rerender(pane(0, 'connected'))
  await reply('keys', { keys: ['one'], next: '0', total: 1 })
  await userEvent.click(screen.getByRole('treeitem'))
  expect(asked('key')).toHaveLength(1)
  expect(isGreyed(button('Stop'))).toBe(false)
  await reply('key', { error: 'That is refused' })
  screen.getByText('That is refused')
  expect(isGreyed(button('Stop'))).toBe(true)
  vi.setSystemTime(Date.now() + 60_000)
  await userEvent.click(screen.getByRole('treeitem'))
  expect(asked('key')).toHaveLength(2)

  await act(async () => GatewayLine.last.say('CLOSE'))
  rerender(pane(0, 'disconnected'))
  rerender(pane(1, 'connecting'))
  await act(async () => {})
  expect(screen.queryByText('Not connected')).toBeNull()
  await begin()
  rerender(pane(1, 'connected'))
  expect(asked('key')).toHaveLength(1)
  await reply('key', { type: 'string', bytes: 60, length: 2 })
  await reply('elements', { rows: [['hi']], next: '', isCut: false })
  screen.getByText('hi')
})

test('a list that was refused, or stopped, before its first page is not a whole one', async () => {
  const { rerender } = render(pane(0, 'connecting'))
  await begin()
  rerender(pane(0, 'connected'))
  await reply('keys', { error: 'That is refused' })
  screen.getByText('That is refused')
  await userEvent.click(button('More keys'))
  await userEvent.click(button('Stop'))
  button('All keys')
  expect(asked('keys')).toHaveLength(2)
})
