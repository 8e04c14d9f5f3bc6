import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve } from '../test/harness.tsx'
import { SinglePage, type SinglePageProps } from './SinglePage.tsx'
import type { Viewer } from './viewer.ts'

const VIEWER: Viewer = {
  profile: { id: 'u1', name: 'Ada', username: 'ada', role: 'User', admin_or_audit_orgs: [] },
  // Clients of one's own are on offer.
  settings: { DESKTOP_PORTS: { rdp: 3389 } },
} as unknown as Viewer

const VIEW: SinglePageProps['view'] = { name: 'single', loginTo: 'win-1', family: 'asset', systemUser: null }

const desktopUser = (id: string) => ({
  id,
  name: id,
  username: id,
  priority: 20,
  protocol: 'rdp',
  login_mode: 'auto',
})

/** A machine with Windows that was granted with two accounts; no machine of another id is. */
function desktopServer({ path, query }: { path: string; query: URLSearchParams }) {
  if (path.endsWith('/system-users/')) return { body: [desktopUser('administrator'), desktopUser('operator')] }
  if (path.endsWith('/tree/'))
    return {
      body:
        query.get('id') === 'win-1'
          ? [
              {
                id: 'win-1',
                name: 'win-1',
                title: '',
                pId: '',
                isParent: false,
                open: false,
                meta: { type: 'asset', data: { id: 'win-1', hostname: 'win-1' } },
              },
            ]
          : [],
    }
  return undefined
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  vi.stubGlobal('location', new URL('http://console/luna/connect?login_to=win-1'))
  serve(desktopServer)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a window of one connection asks as whom, and offers no file or program, which would leave it empty', async () => {
  render(<SinglePage viewer={VIEWER} view={VIEW} />)
  await screen.findByRole('dialog', { name: 'win-1' })
  screen.getByRole('button', { name: 'Confirm' })
  expect(screen.queryAllByRole('radio')).toEqual([])
})

test('a window of a machine that is not granted says so, and leads to those that are', async () => {
  render(<SinglePage viewer={VIEWER} view={{ ...VIEW, loginTo: 'win-2' }} />)
  await screen.findByText('This is not granted to you.')
  expect(screen.getByRole('link', { name: 'Web Terminal' }).getAttribute('href')).toBe('/luna/')
})
