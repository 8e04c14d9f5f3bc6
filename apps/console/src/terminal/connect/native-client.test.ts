import { afterEach, expect, test, vi } from 'vitest'
import { serve } from '../../test/harness.tsx'
import { openByClient } from './native-client.tsx'

const TARGET = { family: 'asset', id: 'a1', name: 'desk-1', inactive: false } as const
const TOKENS = '/api/v1/authentication/connection-token/'

afterEach(() => {
  vi.useRealTimers()
  localStorage.clear()
  vi.restoreAllMocks()
})

test('[A1.16] a file for a client of RDP is saved under the machine’s name, as the settings want the desktop', async () => {
  localStorage.setItem('luna_settings', JSON.stringify({ rdpFullScreen: true, rdpSize: '1366x768' }))
  const calls = serve(() => ({ body: 'full address:s:gate.test:3389\n' }))
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file')
  let saved = ''
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved = this.download
  })
  await openByClient('rdp_file', { ...TARGET, name: 'desk 1/a' }, 's1')
  expect(saved).toBe('desk-1-a.rdp')
  const [call] = calls
  expect([call?.path, call?.body, Object.fromEntries(call?.query ?? [])]).toEqual([
    `${TOKENS}rdp/file/`,
    { asset: 'a1', system_user: 's1' },
    { full_screen: 'true', width: '1366', height: '768' },
  ])
})

test('[A1.16] a link that a program takes, which has the focus then, leaves nothing behind', async () => {
  // However long this machine takes, the program is in time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  serve(() => ({ body: { url: 'jms://bGluaw==' } }))
  const opened = openByClient('rdp_client', TARGET, 's1')
  const frame = () => document.querySelector('iframe')
  await expect.poll(() => frame()?.getAttribute('src')).toBe('jms://bGluaw==')
  window.dispatchEvent(new Event('blur'))
  await opened
  expect(frame()).toBeNull()
  expect(document.querySelector('[role=dialog]')).toBeNull()
})
