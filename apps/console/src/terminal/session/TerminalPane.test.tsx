import { act, cleanup, render, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GatewayLine } from '../../test/gateway-line.ts'
import { serve } from '../../test/harness.tsx'
import { TerminalPane } from './TerminalPane.tsx'

beforeEach(() => {
  vi.stubGlobal('WebSocket', GatewayLine)
  vi.stubGlobal('matchMedia', () =>
    Object.assign(new EventTarget(), { matches: false, addListener() {}, removeListener() {} }),
  )
  serve(() => undefined)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function show(state: 'connecting' | 'connected', attempt = 0) {
  return (
    <TerminalPane
      target={{ type: 'ssh', target_id: 'a1' }}
      attempt={attempt}
      active
      state={state}
      title={{ target: 'web-1', systemUser: 'Deploy' }}
      watermark={{ text: 'Ada(ada)\nweb-1', strength: 0.04 }}
      mayShare={false}
      onState={() => {}}
      onReconnect={() => {}}
    />
  )
}

const person = (id: string, user: string, primary: boolean) => ({
  ...{ id, user, primary, remote_addr: '::1', created: `2026-11-21T08:00:0${id}Z` },
})

test('the head of a terminal says target, account, time, that it is recorded, and who else is in it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { rerender, container } = render(show('connecting'))
  const head = () => container.querySelector('.pane-head')?.textContent
  expect(head()).toBe('web-1Deploy')
  const line = GatewayLine.last
  const session = { id: 's1', user: 'Ada(ada)', asset: 'web-1(10.0.0.1)', system_user: 'Deploy(deploy)' }
  act(() => {
    line.dispatchEvent(new Event('open'))
    line.say('CONNECT')
    line.say('TERMINAL_SESSION', { session, reattach: 5 })
    line.say('TERMINAL_READY')
  })
  rerender(show('connected'))
  expect(head()).toBe('web-1 10.0.0.1Deploy deploy0:00Recorded')
  act(() => vi.advanceTimersByTime(3_725_000))
  expect(head()).toContain('1:02:05')
  const present = { 1: person('1', 'Ada(ada)', true), 2: person('2', 'Bob(bob)', false) }
  act(() => line.say('TERMINAL_SHARE_USERS', present))
  expect(head()).toContain('With Bob')
  act(() => line.say('TERMINAL_SHARE_USERS', { 1: present[1] }))
  expect(head()).not.toContain('With')
  act(() => line.say('TERMINAL_WATCHERS', { users: ['Eve(eve)', 'Sam(sam)'] }))
  expect(head()).toContain('Watched by Eve, Sam')
  rerender(show('connecting', 1))
  expect(head()).toBe('web-1Deploy')
})

test('the watermark lies over the picture of a terminal at the strength of the setting, below its tools', () => {
  const { container } = render(show('connected'))
  const mark = container.querySelector('.wt-watermark')
  expect(mark?.querySelector('rect')?.getAttribute('opacity')).toBe('0.04')
  expect(mark?.closest('.pane-head, .wt-find-bar')).toBeNull()
})

test('the search of a terminal opens by its keys, counts the places, and gives the keyboard back', async () => {
  const { container } = render(show('connected'))
  const typedInto = container.querySelector('.xterm-helper-textarea') as HTMLTextAreaElement
  act(() => {
    GatewayLine.last.dispatchEvent(new Event('open'))
    GatewayLine.last.dispatchEvent(
      new MessageEvent('message', { data: new TextEncoder().encode('one two\r\nTwo three two\r\n').buffer }),
    )
  })
  act(() => {
    typedInto.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'F', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }),
    )
  })
  const find = within(container.querySelector('.wt-find-bar') as HTMLElement)
  const field = find.getByRole('textbox')
  expect(document.activeElement).toBe(field)
  await userEvent.type(field, 'two')
  await find.findByText(/^\d of 3$/)
  await userEvent.click(find.getByRole('button', { name: 'Match case' }))
  await find.findByText(/^\d of 2$/)
  await userEvent.type(field, 'zzz')
  await find.findByText('No matches')
  await userEvent.type(field, '{Escape}')
  expect(container.querySelector('.wt-find-bar')).toBeNull()
  expect(document.activeElement).toBe(typedInto)
})
