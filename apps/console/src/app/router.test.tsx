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

/** A row of nothing in particular, which has every field. */
const rowOf = ({ fields }: Pick<ResourceDefinition, 'fields'>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { type, choices, to, fields: inner }]): [string, unknown] => {
      if (name === 'id') return [name, ID]
      if (choices && type === 'choice') return [name, Object.keys(choices)[0]]
      if (/^(refs|strings|list|multichoice)$/.test(type)) return [name, []]
      if (to) return [name, ID]
      if (type === 'boolean') return [name, false]
      if (type === 'integer' || type === 'float') return [name, 0]
      if (type === 'object') return [name, inner ? rowOf({ fields: inner }) : {}]
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
    // An address that belongs to no resource leads to the page for missing ones.
    if (!definition) return undefined
    return { body: query.has('limit') ? { count: 0, next: null, previous: null, results: [] } : [] }
  })
}

/**
 * Opens each of these addresses one after the other; answers those that end at no page, or at one
 * that breaks. Groups and lists may lead on; what makes, shows or changes one row has its own page.
 */
async function withoutPage(addresses: readonly string[]): Promise<string[]> {
  serveAll()
  const router = open('/ui/users/profile')
  const wrong: string[] = []
  for (const address of addresses) {
    await act(() => router.navigate(address))
    await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull())
    const match = router.state.matches.at(-1)
    const { name } = (match?.route.handle ?? {}) as { name?: string }
    const isOfOneRow = address.endsWith('/create') || address.includes(ID)
    if (
      !name ||
      (isOfOneRow && router.state.location.pathname !== `/ui${address}`) ||
      match?.params.id === 'create' ||
      screen.queryByText('This page does not exist, or you may not open it.') ||
      document.querySelector('.full-notice')
    )
      wrong.push(
        `${address} ends at ${router.state.location.pathname} ${document.querySelector('.full-notice')?.textContent ?? ''}`,
      )
  }
  return wrong
}

const administrators = PAGE_ROLE.SuperAdmin
const users = PAGE_ROLE.User

/** Each of these addresses has a page for who is in this role. */
async function opened(role: number, addresses: readonly string[]) {
  signIn({ settings: LICENSED, role, bits: role })
  expect(await withoutPage(addresses)).toEqual([])
}

// Every address of section 2 of the rules, by its line, but for what lies outside of the console.

test('[A2.03 A2.04 A2.05] the own profile and the first sign-in have their pages', () =>
  opened(administrators, [
    '/users/profile',
    '/users/first-login/personal-information-improvement/',
    '/users/first-login/guide/',
  ]))

test('[A2.06] logs of tasks have their pages', () =>
  opened(administrators, [`/ops/celery/task/${ID}/log/`, `/ops/task/task/${ID}/log/`]))

test('[A2.07] the dashboard has its page', () => opened(administrators, ['/dashboard', '/']))

test('[A2.08 A2.09 A2.10] people and groups have their pages', () =>
  opened(administrators, ['/users', ...crud('/users/users'), ...crud('/users/groups')]))

test('[A2.11] rules on signing in have their pages', () =>
  opened(administrators, crud('/users/user-login-acl').slice(1)))

test('[A2.12 A2.13] machines have their pages', () =>
  opened(administrators, ['/assets', ...crud('/assets/assets'), `/assets/assets/detail/${ID}/update`]))

test('[A2.14 A2.15] domains and gateways have their pages', () =>
  opened(administrators, [...crud('/assets/domains'), '/assets/gateways/create', `/assets/gateways/${ID}/update`]))

test('[A2.16 A2.17] system users and command filters have their pages', () =>
  opened(administrators, [...crud('/assets/system-users'), ...crud('/assets/cmd-filters')]))

test('[A2.18] rules of command filters have their pages', () =>
  opened(administrators, ['/assets/command-filter-rules/create', `/assets/command-filter-rules/${ID}/update`]))

test('[A2.19] platforms have their pages', () => opened(administrators, crud('/assets/platforms')))

test('[A2.20] labels have their pages', () =>
  opened(administrators, ['/assets/labels', '/assets/labels/create', `/assets/labels/${ID}/update`]))

test('[A2.21 A2.22] remote apps have their pages', () =>
  opened(administrators, ['/applications', ...crud('/applications/remote-apps')]))

test('[A2.23 A2.24] databases and clusters have their pages', () =>
  opened(administrators, [...crud('/applications/databases'), ...crud('/applications/kubernetes')]))

test('[A2.25 A2.26 A2.27] accounts of machines and applications have their pages', () =>
  opened(administrators, ['/accounts', '/accounts/asset-accounts', '/accounts/application-accounts']))

test('[A2.28] gathered users and their tasks have their pages', () =>
  opened(administrators, ['/accounts/gathered-user', ...crud('/accounts/gathered-user/tasks')]))

test('[A2.29] plans that change secrets, and their runs have their pages', () =>
  opened(administrators, [
    '/accounts/change-auth-plan',
    ...crud('/accounts/change-auth-plan/plan'),
    `/accounts/change-auth-plan/plan-execution/${ID}`,
    ...crud('/accounts/change-auth-plan/app-plan'),
    `/accounts/change-auth-plan/app-plan-execution/${ID}`,
  ]))

test('[A2.30] backups of accounts and their runs have their pages', () =>
  opened(administrators, [...crud('/accounts/backup'), `/accounts/backup/plan-execution/${ID}`]))

test('[A2.31 A2.32] permissions for machines have their pages', () =>
  opened(administrators, [
    '/perms',
    ...crud('/perms/asset-permissions').slice(0, 3),
    `/perms/asset-permission/${ID}/update`,
  ]))

test('[A2.33] permissions for applications have their pages', () =>
  opened(administrators, crud('/perms/app-permissions')))

test('[A2.34 A2.35] rules about machines have their pages', () =>
  opened(administrators, ['/acl', ...crud('/acl/asset-acl')]))

test('[A2.36 A2.37 A2.38] sessions and commands have their pages', () =>
  opened(administrators, ['/terminal', '/terminal/sessions', `/terminal/sessions/${ID}`, '/terminal/commands']))

test('[A2.41] terminals have their pages', () =>
  opened(administrators, ['/terminal/terminal', `/terminal/terminal/${ID}`, `/terminal/terminal/${ID}/update`]))

test('[A2.42] storages have their pages', () =>
  opened(administrators, [
    '/terminal/storages',
    '/terminal/storages/replay-storage/create',
    `/terminal/storages/replay-storage/${ID}/update`,
    '/terminal/storages/command-storage/create',
    `/terminal/storages/command-storage/${ID}/update`,
  ]))

test('[A2.43 A2.44 A2.45] tasks, their versions and runs, and batch commands have their pages', () =>
  opened(administrators, [
    '/ops',
    '/ops/tasks',
    `/ops/tasks/${ID}`,
    `/ops/adhoc/${ID}`,
    `/ops/executions/${ID}`,
    '/ops/command-executions/create',
  ]))

test('[A2.47 A2.48 A2.49 A2.50 A2.51 A2.52 A2.53] tickets of every kind have their pages', () =>
  opened(administrators, [
    '/tickets',
    '/tickets/tickets',
    '/tickets/tickets/request-asset-perm/create',
    `/tickets/tickets/request-asset-perm/${ID}`,
    `/tickets/tickets/login-asset-confirm/${ID}`,
    '/tickets/tickets/request-application-perm/create',
    `/tickets/tickets/request-application-perm/${ID}`,
    `/tickets/tickets/command-confirm/${ID}`,
    `/tickets/tickets/${ID}`,
  ]))

test('[A2.54] flows of tickets have their pages', () =>
  opened(administrators, ['/tickets/flows/create', `/tickets/flows/${ID}/update`, `/tickets/tickets/flow/${ID}`]))

test('[A2.55 A2.56] audit logs have their pages', () =>
  opened(administrators, [
    '/audits',
    ...['login', 'ftp', 'operate', 'password-change', 'command-execution'].map((log) => `/audits/${log}-log`),
  ]))

test('[A2.57] settings have their pages', () => opened(administrators, ['/settings']))

test('[A2.58] the cloud center, its accounts and tasks have their pages', () =>
  opened(administrators, [
    '/xpack',
    '/xpack/cloud',
    '/xpack/cloud/account',
    '/xpack/cloud/account/create',
    `/xpack/cloud/account/${ID}/update`,
    `/xpack/cloud/accounts/${ID}/`,
    ...crud('/xpack/cloud/sync-instance-tasks'),
  ]))

test('[A2.59 A2.60 A2.61] branding, organizations and the system monitor have their pages', () =>
  opened(administrators, ['/xpack/interface-setting', ...crud('/xpack/orgs'), '/xpack/system-monitor']))

test('[A2.63 A2.64] everybody else has own machines and applications', () =>
  opened(users, ['/', '/apps', '/apps/remoteapp', '/apps/database', '/apps/kubernetes']))

test('[A2.65] everybody else has own batch commands', () => opened(users, ['/command-executions']))

test('[A2.66] everybody else has own tickets', () =>
  opened(users, [
    '/tickets',
    '/tickets/tickets',
    '/tickets/tickets/request-asset-perm/create',
    `/tickets/tickets/request-asset-perm/${ID}`,
    '/tickets/tickets/request-application-perm/create',
    `/tickets/tickets/request-application-perm/${ID}`,
  ]))

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
