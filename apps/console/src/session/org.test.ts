import { WIRE } from '@sallyport/contract/constants.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { readCookie } from '../lib/cookies.ts'
import { serve } from '../test/harness.tsx'
import { storedOrg, switchOrg } from './org.ts'
import { storedRole, storeRole } from './roles.ts'

const HARBOUR = { id: '11111111-1111-4111-8111-111111111111', name: 'Harbour' }
const ROW = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

afterEach(() => vi.unstubAllGlobals())

/** Where somebody is led who switches the organization at an address. */
async function switchedAt(pathname: string, search = ''): Promise<unknown> {
  serve(() => ({ body: HARBOUR }))
  const assign = vi.fn()
  vi.stubGlobal('location', { pathname, search, assign })
  await switchOrg('ada', HARBOUR)
  expect(assign).toHaveBeenCalledOnce()
  return assign.mock.calls[0]?.[0]
}

test.each([
  [`/ui/assets/labels/${ROW}`, '', '/ui/'],
  [`/ui/assets/labels/${ROW.toUpperCase()}/update`, '?activeTab=x', '/ui/'],
  ['/ui/assets/labels/create', `?clone_from=${ROW}`, '/ui/'],
  ['/ui/assets/labels', '', '/ui/assets/labels'],
  ['/ui/assets/labels', '?search=a&page=2', '/ui/assets/labels?search=a&page=2'],
  // The organization that the address named is the one that was left.
  ['/ui/assets/labels', `?oid=${ROW}`, '/ui/assets/labels'],
])(
  '[A6.31] switching the organization at %s%s leads to %s: its objects are not in the other one',
  async (path, search, to) => {
    expect(await switchedAt(path, search)).toBe(to)
  },
)

test('[A6.30 A6.31] a switch is kept for the person and forgets the role', async () => {
  storeRole('ada', 146)
  await switchedAt('/ui/')
  expect([storedOrg('ada'), readCookie(WIRE.orgCookie), storedRole('ada')]).toEqual([HARBOUR, HARBOUR.id, undefined])
})

test('[A6.31] a switch that the server refuses changes nothing', async () => {
  localStorage.clear()
  serve(() => ({ status: 403, body: { detail: 'no' } }))
  const assign = vi.fn()
  vi.stubGlobal('location', { pathname: '/ui/', search: '', assign })
  await expect(switchOrg('ada', HARBOUR)).rejects.toThrow()
  expect([storedOrg('ada'), assign.mock.calls]).toEqual([undefined, []])
})
