import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { GatewayLine } from '../test/gateway-line.ts'
import { serve } from '../test/harness.tsx'
import { rememberConnect } from './connect/connect-memory.ts'
import { SinglePage } from './SinglePage.tsx'
import type { Viewer } from './viewer.ts'

const ASSET = { id: 'a1', name: 'desk-1', meta: { type: 'asset', data: { id: 'a1', hostname: 'desk-1' } } }
const ACCOUNT = { id: 's1', name: 'ops', username: 'ops', protocol: 'rdp', login_mode: 'auto', priority: 20 }

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
  vi.unstubAllGlobals()
})

test('[A1.16] a window of one connection shows the desktop itself, also of a machine that is usually opened by a file', async () => {
  vi.stubGlobal('WebSocket', GatewayLine)
  const lines = GatewayLine.opened.length
  rememberConnect('u1', 'a1', { automatic: 's1', automaticType: 'rdp_file' })
  const calls = serve(({ path }) => ({ body: path.endsWith('system-users/') ? [ACCOUNT] : [ASSET] }))
  const viewer = { profile: { id: 'u1', name: 'Ada', username: 'ada' }, settings: { DESKTOP_PORTS: { rdp: 3389 } } }
  render(
    <SinglePage
      viewer={viewer as unknown as Viewer}
      view={{ name: 'single', loginTo: 'a1', family: 'asset', systemUser: null }}
    />,
  )
  await expect.poll(() => GatewayLine.opened.length).toBe(lines + 1)
  expect(calls.filter(({ method }) => method === 'POST')).toEqual([])
})
