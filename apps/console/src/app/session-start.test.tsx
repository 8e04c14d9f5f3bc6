import { act, screen, waitFor } from '@testing-library/react'
import type { Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writeCookie } from '../lib/cookies.ts'
import { serve } from '../test/harness.tsx'
import { screenOf } from './shell/shell-fixture.tsx'

const roots = vi.hoisted((): Root[] => [])
// Everything that a test starts ends with it.
vi.mock('react-dom/client', async (original) => {
  const real = await original<typeof import('react-dom/client')>()
  const createRoot = (...given: Parameters<typeof real.createRoot>) => {
    const root = real.createRoot(...given)
    roots.push(root)
    return root
  }
  return { ...real, createRoot }
})

const DEFAULT = { id: '00000000-0000-0000-0000-000000000002', name: 'Default', is_default: true }
const SETTINGS = '/api/v1/settings/public/'
const PROFILE = '/api/v1/users/profile/'
const CURRENT = '/api/v1/orgs/orgs/current/'

/** Starts the console at an address, for an administrator who signs in for the first time or not. */
async function start(address: string, is_first_login: boolean, orgs: object[] = [DEFAULT]) {
  history.replaceState(null, '', address)
  document.body.innerHTML = '<div id="root"></div>'
  const calls = serve(({ method, path }) => {
    if (path === SETTINGS) return { body: { data: {} } }
    if (path === PROFILE)
      return {
        body: {
          id: 'u1',
          name: 'Ada',
          username: 'ada',
          role: 'User',
          current_org_roles: orgs.length ? ['Admin', 'User'] : ['User'],
          admin_or_audit_orgs: orgs,
          is_first_login,
        },
      }
    if (path === CURRENT) return { body: DEFAULT }
    return method === 'OPTIONS'
      ? { body: { actions: { GET: {}, POST: {}, PUT: {} } } }
      : { body: { count: 0, next: null, previous: null, results: [] } }
  })
  vi.resetModules()
  await import('./main.tsx')
  await waitFor(() => expect(document.querySelector('main')).not.toBeNull())
  return calls
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  writeCookie('csrftoken', 'token', 1)
  writeCookie('django_language', 'en', 1)
  screenOf(1280)
  vi.stubGlobal('scrollTo', () => {})
})
afterEach(() => {
  act(() => {
    for (const root of roots.splice(0)) root.unmount()
  })
  vi.unstubAllGlobals()
  history.replaceState(null, '', '/')
})

test('[A2.71 B7.05] once in a session: public settings, then the person, the organization, role and pages, and at last the way to the first sign-in', async () => {
  localStorage.setItem('jms_current_role_ada', '1')
  const calls = await start('/ui/', true)
  const steps = () => calls.map(({ path }) => path).filter((path) => [SETTINGS, PROFILE, CURRENT].includes(path))
  expect(steps().slice(0, 3)).toEqual([SETTINGS, PROFILE, CURRENT])
  expect(location.pathname).toBe('/ui/users/first-login/personal-information-improvement/')
})

test('[A2.71] the pages are those of the role that was found', async () => {
  localStorage.setItem('jms_current_role_ada', '1')
  await start('/ui/', false)
  await screen.findByRole('heading', { name: 'My assets' })
  expect(location.pathname).toBe('/ui/')
})

test('nothing is asked for a list that the person has no page of', async () => {
  localStorage.setItem('jms_current_role_ada', '1')
  const calls = await start('/ui/users/groups', false)
  await screen.findByRole('heading', { name: /not found|404/i })
  expect(calls.filter(({ path }) => path === '/api/v1/users/groups/')).toEqual([])
})
