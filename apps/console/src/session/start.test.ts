import { WIRE } from '@sallyport/contract/constants.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readCookie, writeCookie } from '../lib/cookies.ts'
import { serve } from '../test/harness.tsx'
import { storedOrg } from './org.ts'
import type { Org, Profile, PublicSettings } from './session.ts'
import { loadSession, loginAddress } from './start.ts'

const ROOT: Org = { id: '00000000-0000-0000-0000-000000000000', name: 'GLOBAL', is_root: true }
const DEFAULT: Org = { id: '00000000-0000-0000-0000-000000000002', name: 'Default', is_default: true }
const HARBOUR: Org = { id: '11111111-1111-4111-8111-111111111111', name: 'Harbour' }
const LICENSED = { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true }

/**
 * A server where the person has these organizations; `current` is the one that a call without `oid`
 * runs in.
 */
function at(
  orgs: readonly Org[],
  current: Org,
  { settings = LICENSED, ...change }: Partial<Profile> & { settings?: PublicSettings } = {},
) {
  const profile = {
    id: 'u1',
    name: 'Ada',
    username: 'ada',
    role: 'User',
    current_org_roles: ['Admin'],
    admin_or_audit_orgs: orgs,
    ...change,
  }
  return serve(({ path, query }) => {
    if (path === '/api/v1/settings/public/') return { body: { data: settings } }
    if (path === '/api/v1/users/profile/') return { body: profile }
    const known = [...orgs, current].find(({ id }) => id === (query.get('oid') ?? current.id))
    return known ? { body: known } : { status: 403, body: { detail: 'no' } }
  })
}

beforeEach(() => {
  localStorage.clear()
  writeCookie(WIRE.csrfCookie, 'token', 1)
  writeCookie(WIRE.orgCookie, '', 1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[A1.17 A1.18 A6.24] the root organization is offered with a valid license only, and nobody stays in it without one', async () => {
  at([ROOT, DEFAULT, HARBOUR], HARBOUR)
  expect((await loadSession())?.orgs.map(({ name }) => name)).toEqual(['GLOBAL', 'Default', 'Harbour'])
  at([ROOT, DEFAULT, HARBOUR], HARBOUR, { settings: {} })
  expect((await loadSession())?.orgs.map(({ name }) => name)).toEqual(['Default', 'Harbour'])
  at([ROOT, DEFAULT, HARBOUR], ROOT, { settings: {} })
  expect(await loadSession()).toBeUndefined()
  expect([storedOrg('ada')?.name, readCookie(WIRE.orgCookie)]).toEqual(['Default', DEFAULT.id])
})

test('[A6.30 A6.31] a person who lost the organization they worked in, or their role there, is led to Default, or else to the first they have', async () => {
  at([HARBOUR, DEFAULT], { id: '22222222-2222-4222-8222-222222222222', name: 'Withdrawn' })
  localStorage.setItem('jms_current_role_ada', '18')
  expect(await loadSession()).toBeUndefined()
  expect([storedOrg('ada')?.name, readCookie(WIRE.orgCookie)]).toEqual(['Default', DEFAULT.id])
  expect(localStorage.getItem('jms_current_role_ada')).toBeNull()
  at([HARBOUR], DEFAULT)
  expect(await loadSession()).toBeUndefined()
  expect([storedOrg('ada')?.name, readCookie(WIRE.orgCookie)]).toEqual(['Harbour', HARBOUR.id])
})

test('[A6.26 A6.27 A6.28] the stored role is kept while the bits hold it; who administers nothing has the user pages and no organization', async () => {
  at([HARBOUR], HARBOUR)
  localStorage.setItem('jms_current_role_ada', '1')
  expect((await loadSession())?.role).toBe(1)
  at([HARBOUR], HARBOUR, { current_org_roles: ['Auditor'] })
  localStorage.setItem('jms_current_role_ada', '18')
  expect((await loadSession())?.role).toBe(2)
  at([], DEFAULT, { current_org_roles: ['User'] })
  const plain = await loadSession()
  expect([plain?.role, plain?.org, plain?.orgs]).toEqual([1, undefined, []])
})

test('[B7.06] the current organization is asked for, and by its id when it is to be another', async () => {
  const asked = (calls: ReturnType<typeof serve>) =>
    calls
      .filter(({ path }) => path === '/api/v1/orgs/orgs/current/')
      .map(({ method, query }) => [method, query.get('oid')])
  const calls = at([DEFAULT, HARBOUR], HARBOUR)
  expect((await loadSession())?.org?.name).toBe('Harbour')
  expect(asked(calls)).toEqual([['GET', null]])
  // A person who may not be in the current one is moved to another: by its id.
  const moved = at([HARBOUR], DEFAULT)
  expect(await loadSession()).toBeUndefined()
  expect(asked(moved)).toEqual([
    ['GET', null],
    ['GET', HARBOUR.id],
  ])
})

test('[A2.69] a signed-out person comes from /login to the sign-in page, not back to /login', () => {
  for (const [search, address] of [
    ['?next=%2Fui%2Fusers%2Fusers', '/core/auth/login/?next=%2Fui%2Fusers%2Fusers'],
    ['', '/core/auth/login/'],
  ]) {
    vi.stubGlobal('location', { pathname: '/ui/login', search })
    expect(loginAddress()).toBe(address)
  }
})

test('[B7.02 B8.18 B8.01] without a token, or with a profile that is refused, the sign-in page comes after a tenth of a second', async () => {
  vi.useFakeTimers()
  const assign = vi.fn()
  const leaves = async () => {
    assign.mockClear()
    vi.stubGlobal('location', { pathname: '/ui/', search: '', assign })
    expect(await loadSession()).toBeUndefined()
    vi.advanceTimersByTime(99)
    expect(assign).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(assign).toHaveBeenCalledExactlyOnceWith('/core/auth/login/?next=%2Fui%2F')
  }
  for (const status of [401, 403]) {
    serve(({ path }) =>
      path === '/api/v1/users/profile/' ? { status, body: { detail: 'no' } } : { body: { data: {} } },
    )
    await leaves()
  }
  writeCookie(WIRE.csrfCookie, '', -1)
  await leaves()
})
