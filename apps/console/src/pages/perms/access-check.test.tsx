import type { AccessExplanation } from '@sallyport/contract/resources/perms/explanation.ts'
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { pages } from './AccessCheck.page.tsx'
import { pages as ownPages } from './OwnAccess.page.tsx'

const EXPLANATIONS = '/api/v1/perms/explanations/'
const ROUTES = {
  AccessCheck: '/perms/access-check',
  AssetPermissionUpdate: '/perms/asset-permission/:id/update',
  AssetPermissionCreate: '/perms/asset-permissions/create',
  AssetPermissionDetail: '/perms/asset-permissions/:id',
}
const { AccessCheck } = pages
const { OwnAccess } = ownPages

const refused: AccessExplanation = {
  verdict: 'refused',
  user: { id: 'u1', name: 'Ann' },
  target: { family: 'asset', id: 'a1', name: 'web-1' },
  system_user: { id: 's1', name: 'root' },
  action: 'connect',
  steps: [
    { step: 'person', state: 'passed', text: 'Ann is active', remedy: null },
    {
      step: 'permission',
      state: 'failed',
      text: 'No permission grants it. web comes nearest: it ended on 2026-11-01',
      remedy: { text: 'Edit web', resource: 'asset_permission', id: 'p1' },
    },
  ],
  permissions: [
    {
      id: 'p1',
      name: 'web',
      lacks: ['it ended on 2026-11-01'],
      actions: ['connect'],
      people: [{ kind: 'user_group', id: 'g1', name: 'operators' }],
      targets: [{ kind: 'node', id: 'n1', name: '/Default/Web' }],
    },
  ],
}

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const opened = (search: string) =>
  show(<AccessCheck title="Access check" />, `/perms/access-check${search}`, '/perms/access-check', ROUTES)

test('an access check names the verdict, each condition, and the form that mends the one that fails', async () => {
  const calls = serve(({ path }) => (path === EXPLANATIONS ? { body: refused } : { body: { results: [], count: 0 } }))
  opened('?user=u1&asset=a1')
  await screen.findByText('Ann cannot work on web-1 now.')
  const asked = calls.filter(({ path }) => path === EXPLANATIONS).map(({ query }) => Object.fromEntries(query))
  expect(asked).toMatchObject([{ user_id: 'u1', asset_id: 'a1' }])
  const steps = within(screen.getByRole('list', { name: 'Conditions' })).getAllByRole('listitem')
  expect(steps.map(({ textContent }) => textContent)).toEqual([
    'PersonAnn is active',
    'PermissionNo permission grants it. web comes nearest: it ended on 2026-11-01Edit web',
  ])
  expect(screen.getByRole('link', { name: 'Edit web' }).getAttribute('href')).toBe(
    '/perms/asset-permission/p1/update?return=%2Fperms%2Faccess-check%3Fuser%3Du1%26asset%3Da1',
  )
  expect(screen.getByRole('row', { name: /^web/ }).textContent).toBe(
    'weboperators/Default/WebConnectit ended on 2026-11-01',
  )
})

test('where no permission comes near, a new one is offered, filled in with person, machine and system user', async () => {
  const remedy = { text: 'Create a permission', resource: 'asset_permission', id: null } as const
  const steps = [{ step: 'permission', state: 'failed', text: 'No permission', remedy } as const]
  serve(() => ({ body: { ...refused, steps, permissions: [] } }))
  opened('?user=u1&asset=a1')
  const address = (await screen.findByRole('link', { name: 'Create a permission' })).getAttribute('href') ?? ''
  expect(address).toMatch(/^\/perms\/asset-permissions\/create\?user=u1&asset=a1&system_user=s1&return=/)
  expect(screen.queryByRole('table')).toBeNull()
})

test('nothing is asked before a person and a target are chosen', async () => {
  const calls = serve(() => ({ body: { results: [], count: 0 } }))
  opened('?user=u1')
  await screen.findByText('Choose a person, and an asset or an application')
  expect(calls.filter(({ path }) => path === EXPLANATIONS)).toEqual([])
})

test('people see why they cannot connect, with a request for access that is filled in; the whole check is for administrators', async () => {
  const reasons = [{ step: 'permission', state: 'failed', text: 'Yours ended on 2026-11-01' }]
  const calls = serve(() => ({ body: { verdict: 'refused', reasons, wants_permission: true } }))
  const routes = { RequestAssetPermTicketCreateUpdate: '/tickets/tickets/request-asset-perm/create' }
  const search = '?asset=a1&system_user=s1'
  show(<OwnAccess title="My access" />, `/perms/own-access${search}`, '/perms/own-access', routes)
  await screen.findByText('You cannot connect now.')
  expect(calls.map(({ path, query }) => [path, Object.fromEntries(query)])).toContainEqual([
    '/api/v1/perms/users/explanation/',
    { asset_id: 'a1', system_user_id: 's1' },
  ])
  expect(screen.getByRole('listitem').textContent).toBe('Yours ended on 2026-11-01')
  expect(screen.getByRole('link', { name: 'Request access' }).getAttribute('href')).toBe(
    '/tickets/tickets/request-asset-perm/create?asset=a1&system_user=s1',
  )
  expect(screen.queryByRole('link', { name: 'Access check' })).toBeNull()
})

test('a request for an application is filled in as well, with the kind that its form begins with', async () => {
  const application = { category: 'db', type: 'mysql' }
  serve(() => ({ body: { verdict: 'refused', reasons: [], wants_permission: true, application } }))
  const routes = { RequestApplicationPermTicketCreateUpdate: '/tickets/tickets/request-application-perm/create' }
  show(<OwnAccess title="My access" />, '/perms/own-access?application=p1', '/perms/own-access', routes)
  expect((await screen.findByRole('link', { name: 'Request access' })).getAttribute('href')).toBe(
    '/tickets/tickets/request-application-perm/create?application=p1&category=db&type=mysql',
  )
})
