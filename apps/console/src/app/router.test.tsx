import { PAGE_ROLE } from '@sallyport/contract/access.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../lib/query.ts'
import { metadataFor, serve, showRouter, signIn } from '../test/harness.tsx'
import { makeRouter } from './router.tsx'
import { screenOf } from './shell/shell-fixture.tsx'

const BEA = {
  id: 'u2',
  name: 'Bea',
  username: 'bea',
  email: 'bea@example.com',
  source: 'local',
  role: 'User',
  groups: [],
  is_active: true,
}

/** The console as it starts at an address, with one other person stored. */
function open(address: string) {
  history.replaceState(null, '', address)
  queryClient.clear()
  const router = makeRouter()
  showRouter(router)
  return router
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  screenOf(1280)
  signIn()
  vi.stubGlobal('scrollTo', () => {})
  serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(user) }
    if (path === user.path) return { body: { count: 1, next: null, previous: null, results: [BEA] } }
    if (path === `${user.path}u2/`) return { body: BEA }
    return { body: query.has('limit') ? { count: 0, next: null, previous: null, results: [] } : [] }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  history.replaceState(null, '', '/')
})

test('[A2.02 A2.01] an address that no page has ends at /404, which leads back to the start', async () => {
  const router = open('/ui/nowhere/at/all')
  await screen.findByRole('heading', { name: 'Page not found' })
  expect(router.state.location.pathname).toBe('/ui/404')
  screen.getByText('This page does not exist, or you may not open it.')
  await userEvent.click(screen.getByRole('button', { name: 'Back to the start' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/ui/dashboard'))
})

test('[A2.69] /login leads to the sign-in page, with the address to come back to', async () => {
  const assign = vi.fn()
  open('/ui/users/users')
  await screen.findByRole('link', { name: 'Bea' })
  cleanup()
  vi.stubGlobal('location', Object.assign(new URL('http://console/ui/login?next=%2Fui%2Fusers%2Fusers'), { assign }))
  const router = makeRouter()
  showRouter(router)
  await router.navigate('/login?next=%2Fui%2Fusers%2Fusers')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/core/auth/login/?next=%2Fui%2Fusers%2Fusers'))
})

test('[A2.05] the guide welcomes by name and shows the way to the user guide and to the start', async () => {
  const { profile } = signIn()
  signIn({ profile: { ...profile, guide_url: 'https://docs.example/start' } })
  open('/ui/users/first-login/guide/')
  await screen.findByText('Welcome, Ada. Your account is ready.')
  expect(screen.getByRole('link', { name: 'Read the user guide' }).getAttribute('href')).toBe(
    'https://docs.example/start',
  )
  expect(screen.getByRole('link', { name: 'Go to the start page' }).getAttribute('href')).toBe('/ui/')
})

test('[A2.09] people have a list, a page to make one, one to change one and one to look at one', async () => {
  const router = open('/ui/users/users')
  expect((await screen.findByRole('link', { name: 'Bea' })).getAttribute('href')).toBe('/ui/users/users/u2')
  await router.navigate('/users/users/create')
  await screen.findByRole('heading', { name: 'Create user' })
  expect((await screen.findByLabelText<HTMLInputElement>('Username')).value).toBe('')
  await router.navigate('/users/users/u2/update')
  await screen.findByRole('heading', { name: 'Update user' })
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Username').value).toBe('bea'))
  await router.navigate('/users/users/u2')
  await screen.findByRole('heading', { name: /: Bea/ })
  await screen.findByText('bea@example.com')
  expect(screen.queryByRole('alert')).toBeNull()
})

const LICENSED = {
  XPACK_ENABLED: true,
  XPACK_LICENSE_IS_VALID: true,
  TICKETS_ENABLED: true,
  SECURITY_COMMAND_EXECUTION: true,
}
const ID = '01a22267-95b6-74e9-b775-91ca71499d65'
const crud = (path: string) => [path, `${path}/create`, `${path}/${ID}`, `${path}/${ID}/update`]

/** Every address of section 2 of the rules, by its line; what lies outside of the console is external. */
const ADMIN_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'A2.03 A2.04 A2.05': [
    '/users/profile',
    '/users/first-login/personal-information-improvement/',
    '/users/first-login/guide/',
  ],
  'A2.06': [`/ops/celery/task/${ID}/log/`, `/ops/task/task/${ID}/log/`],
  'A2.07': ['/dashboard', '/'],
  'A2.08 A2.09 A2.10': ['/users', ...crud('/users/users'), ...crud('/users/groups')],
  'A2.11': crud('/users/user-login-acl').slice(1),
  'A2.12 A2.13': ['/assets', ...crud('/assets/assets'), `/assets/assets/detail/${ID}/update`],
  'A2.14 A2.15': [...crud('/assets/domains'), '/assets/gateways/create', `/assets/gateways/${ID}/update`],
  'A2.16 A2.17': [...crud('/assets/system-users'), ...crud('/assets/cmd-filters')],
  'A2.18': ['/assets/command-filter-rules/create', `/assets/command-filter-rules/${ID}/update`],
  'A2.19': crud('/assets/platforms'),
  'A2.20': ['/assets/labels', '/assets/labels/create', `/assets/labels/${ID}/update`],
  'A2.21 A2.22': ['/applications', ...crud('/applications/remote-apps')],
  'A2.23 A2.24': [...crud('/applications/databases'), ...crud('/applications/kubernetes')],
  'A2.25 A2.26 A2.27': ['/accounts', '/accounts/asset-accounts', '/accounts/application-accounts'],
  'A2.28': ['/accounts/gathered-user', ...crud('/accounts/gathered-user/tasks')],
  'A2.29': [
    '/accounts/change-auth-plan',
    ...crud('/accounts/change-auth-plan/plan'),
    `/accounts/change-auth-plan/plan-execution/${ID}`,
    ...crud('/accounts/change-auth-plan/app-plan'),
    `/accounts/change-auth-plan/app-plan-execution/${ID}`,
  ],
  'A2.30': [...crud('/accounts/backup'), `/accounts/backup/plan-execution/${ID}`],
  'A2.31 A2.32': ['/perms', ...crud('/perms/asset-permissions').slice(0, 3), `/perms/asset-permission/${ID}/update`],
  'A2.33': crud('/perms/app-permissions'),
  'A2.34 A2.35': ['/acl', ...crud('/acl/asset-acl')],
  'A2.36 A2.37 A2.38': ['/terminal', '/terminal/sessions', `/terminal/sessions/${ID}`, '/terminal/commands'],
  'A2.41': ['/terminal/terminal', `/terminal/terminal/${ID}`, `/terminal/terminal/${ID}/update`],
  'A2.42': [
    '/terminal/storages',
    '/terminal/storages/replay-storage/create',
    `/terminal/storages/replay-storage/${ID}/update`,
    '/terminal/storages/command-storage/create',
    `/terminal/storages/command-storage/${ID}/update`,
  ],
  'A2.43 A2.44 A2.45': [
    '/ops',
    '/ops/tasks',
    `/ops/tasks/${ID}`,
    `/ops/adhoc/${ID}`,
    `/ops/executions/${ID}`,
    '/ops/command-executions/create',
  ],
  'A2.47 A2.48 A2.49 A2.50 A2.51 A2.52 A2.53': [
    '/tickets',
    '/tickets/tickets',
    '/tickets/tickets/request-asset-perm/create',
    `/tickets/tickets/request-asset-perm/${ID}`,
    `/tickets/tickets/login-asset-confirm/${ID}`,
    '/tickets/tickets/request-application-perm/create',
    `/tickets/tickets/request-application-perm/${ID}`,
    `/tickets/tickets/command-confirm/${ID}`,
    `/tickets/tickets/${ID}`,
  ],
  'A2.54': ['/tickets/flows/create', `/tickets/flows/${ID}/update`, `/tickets/tickets/flow/${ID}`],
  'A2.55 A2.56': [
    '/audits',
    ...['login', 'ftp', 'operate', 'password-change', 'command-execution'].map((log) => `/audits/${log}-log`),
  ],
  'A2.57': ['/settings'],
  'A2.58': [
    '/xpack',
    '/xpack/cloud',
    '/xpack/cloud/account',
    '/xpack/cloud/account/create',
    `/xpack/cloud/account/${ID}/update`,
    `/xpack/cloud/accounts/${ID}/`,
    ...crud('/xpack/cloud/sync-instance-tasks'),
  ],
  'A2.59 A2.60 A2.61': ['/xpack/interface-setting', ...crud('/xpack/orgs'), '/xpack/system-monitor'],
}
const USER_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'A2.63 A2.64': ['/', '/apps', '/apps/remoteapp', '/apps/database', '/apps/kubernetes'],
  'A2.65': ['/command-executions'],
  'A2.66': [
    '/tickets',
    '/tickets/tickets',
    '/tickets/tickets/request-asset-perm/create',
    `/tickets/tickets/request-asset-perm/${ID}`,
    '/tickets/tickets/request-application-perm/create',
    `/tickets/tickets/request-application-perm/${ID}`,
  ],
}

/** A row of nothing in particular, which has every field. */
const rowOf = ({ fields }: ResourceDefinition) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { type, choices, to }]): [string, unknown] => {
      if (name === 'id') return [name, ID]
      if (choices && type === 'choice') return [name, Object.keys(choices)[0]]
      if (/^(refs|strings|list|multichoice)$/.test(type)) return [name, []]
      if (to) return [name, ID]
      if (type === 'boolean') return [name, false]
      if (type === 'integer' || type === 'float') return [name, 0]
      if (type === 'object') return [name, {}]
      return [name, type === 'datetime' ? '2026/11/21 07:08:09 +0000' : name]
    }),
  )

/** Answers of a server on which there is one row of everything. */
function serveAll() {
  const known = (path: string) => resources.find((one) => path === one.path || path === `${one.path}${ID}/`)
  return serve(({ method, path, query }) => {
    const definition = known(path)
    if (method === 'OPTIONS') return { body: definition ? metadataFor(definition) : { actions: {} } }
    if (definition && path !== definition.path) return { body: rowOf(definition) }
    // What is no resource's is told to be missing.
    if (!definition) return undefined
    return { body: query.has('limit') ? { count: 0, next: null, previous: null, results: [] } : [] }
  })
}

/** Opens each of these addresses one after the other; answers those that end at no page, or at one that breaks. */
async function withoutPage(addresses: readonly string[]): Promise<string[]> {
  serveAll()
  const router = open('/ui/users/profile')
  const wrong: string[] = []
  for (const address of addresses) {
    await act(() => router.navigate(address))
    await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull())
    const { name } = (router.state.matches.at(-1)?.route.handle ?? {}) as { name?: string }
    if (
      !name ||
      screen.queryByText('This page does not exist, or you may not open it.') ||
      document.querySelector('.full-notice')
    )
      wrong.push(
        `${address} ends at ${router.state.location.pathname} ${document.querySelector('.full-notice')?.textContent ?? ''}`,
      )
  }
  return wrong
}

test.each(Object.entries(ADMIN_ADDRESSES))(
  '[%s] those addresses have a page for who administers',
  async (_, addresses) => {
    signIn({ settings: LICENSED, role: PAGE_ROLE.SuperAdmin, bits: PAGE_ROLE.SuperAdmin })
    expect(await withoutPage(addresses)).toEqual([])
  },
)

test.each(Object.entries(USER_ADDRESSES))(
  '[%s] those addresses have a page for everybody else',
  async (_, addresses) => {
    signIn({ settings: LICENSED, role: PAGE_ROLE.User, bits: PAGE_ROLE.User })
    expect(await withoutPage(addresses)).toEqual([])
  },
)

test('[A2.28 A2.29 A2.58] lists in a tab are opened by their own address, on that tab', async () => {
  signIn({ settings: LICENSED, role: PAGE_ROLE.SuperAdmin, bits: PAGE_ROLE.SuperAdmin })
  const router = open('/ui/accounts/gathered-user/tasks?search=night')
  await screen.findByRole('heading', { name: 'Gathered users' })
  expect((await screen.findByRole('tab', { name: 'Tasks', selected: true })).textContent).toBe('Tasks')
  expect(router.state.location.search).toContain('activeTab=GatherUserTaskList&search=night')
  await router.navigate('/accounts/change-auth-plan/app-plan')
  await screen.findByRole('heading', { name: 'Change auth plans' })
  await screen.findByRole('tab', { name: 'Applications', selected: true })
  await router.navigate('/accounts/change-auth-plan/plan')
  await screen.findByRole('tab', { name: 'Assets', selected: true })
  await router.navigate('/xpack/cloud/account')
  await screen.findByRole('heading', { name: 'Cloud center' })
  await screen.findByRole('tab', { name: 'Cloud accounts', selected: true })
})
