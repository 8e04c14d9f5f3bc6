import { organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { session } from '../../session/session.ts'
import { type Call, isGreyed, metadataFor, questionTitled, serve, show, signIn } from '../../test/harness.tsx'
import { userPages } from '../users/user.page.tsx'
import { organizationPages } from './organization.page.tsx'

const ROUTES = { OrganizationList: '/xpack/orgs', OrganizationDetail: '/xpack/orgs/:id', UserList: '/users/users' }
const LICENSED = { settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } }
const counts = Object.fromEntries(Object.keys(organization.fields.resource_statistics.fields).map((name) => [name, 0]))
const org = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  is_default: false,
  is_root: false,
  comment: '',
  resource_statistics: counts,
  users: [],
  admins: [],
  auditors: [],
  ...more,
})
const page = (rows: readonly object[]) => ({ body: { count: rows.length, next: null, previous: null, results: rows } })
const sent = (calls: readonly Call[], method: string) => calls.filter((call) => call.method === method)

beforeEach(() => {
  localStorage.clear()
  signIn(LICENSED)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const listOf = (rows: readonly ReturnType<typeof org>[]) =>
  serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(organization) }
    if (method === 'GET' && path === organization.path) return page(rows)
    if (method === 'GET') return { body: rows.find(({ id }) => path.includes(id)) }
    return { status: 204 }
  })
const list = () =>
  show(
    <ListPage pages={organizationPages} base="Organization" title="Organizations" />,
    '/xpack/orgs',
    '/xpack/orgs',
    ROUTES,
  )
const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement

test('[A2.60 A3.02] the list shows what each organization holds; Default cannot be deleted', async () => {
  listOf([
    org('d', 'Base', { is_default: true }),
    org('h', 'Harbour', { resource_statistics: { ...counts, assets_amount: 321 } }),
  ])
  list()
  expect(within(await rowOf('Harbour')).getByText('321')).toBeDefined()
  expect(isGreyed(within(await rowOf('Base')).getByRole('button', { name: 'Delete' }))).toBe(true)
  expect(isGreyed(within(await rowOf('Harbour')).getByRole('button', { name: 'Delete' }))).toBe(false)
})

test('[A2.60] an organization that holds something is not deleted: a dialog says what is left; an empty one is, and leaves the selector', async () => {
  const calls = listOf([
    org('full', 'Full', { resource_statistics: { ...counts, assets_amount: 3, nodes_amount: 2 } }),
    org('void', 'Void'),
  ])
  signIn({ ...LICENSED, orgs: [...session().orgs, { id: 'void', name: 'Void' }] })
  list()
  await userEvent.click(within(await rowOf('Full')).getByRole('button', { name: 'Delete' }))
  const reported = await screen.findByRole('dialog')
  expect(
    within(reported)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Assets: 3', 'Nodes: 2'])
  await userEvent.click(within(reported).getByRole('button', { name: 'Close' }))
  expect(sent(calls, 'DELETE')).toEqual([])

  await userEvent.click(within(await rowOf('Void')).getByRole('button', { name: 'Delete' }))
  const asked = await questionTitled(/^Delete "Void"/)
  await userEvent.click(asked.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(sent(calls, 'DELETE').map(({ path }) => path)).toEqual([`${organization.path}void/`]))
  await waitFor(() => expect(session().orgs.map(({ id }) => id)).not.toContain('void'))
})

test('[A2.60 A6.29] the last role of a member goes only after it was shown what ends with it', async () => {
  const member = { id: 'm1', org: 'h', user: 'u2', role: 'User', role_display: 'User', user_display: 'Bea(bea)' }
  const calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS')
      return { body: metadataFor(path === organizationMember.path ? organizationMember : organization) }
    if (path.endsWith('/remove/')) return { body: { people: 1, ends: [{ label: 'Asset permission', amount: 7 }] } }
    if (path === organizationMember.path)
      return query.has('user') ? { body: [member] } : method === 'GET' ? page([member]) : { status: 204 }
    return { body: org('h', 'Harbour', { users: ['u2'] }) }
  })
  show(
    <DetailPage pages={organizationPages} base="Organization" title="Organization detail" />,
    '/xpack/orgs/h?activeTab=OrganizationMembershipList',
    '/xpack/orgs/:id',
    ROUTES,
  )
  await userEvent.click(within(await rowOf('Bea(bea)')).getByRole('button', { name: 'Delete' }))
  const asked = await screen.findByRole('alertdialog')
  expect(within(asked).getByRole('listitem').textContent).toBe('Asset permission: 7')
  expect(calls.find(({ path }) => path === `${user.path}u2/remove/`)?.query.get('oid')).toBe('h')
  expect(sent(calls, 'DELETE')).toEqual([])
  await userEvent.click(within(asked).getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(sent(calls, 'DELETE').map(({ query }) => query.get('id'))).toEqual(['m1']))
})

test('people are invited with one row for each person and role, and only with a license', async () => {
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(user) }
    if (path.endsWith('/suggestion/')) return { body: [{ id: 'u7', name: 'Cy', username: 'cy' }] }
    return method === 'GET' ? page([]) : { status: 201, body: [] }
  })
  const users = () =>
    show(<ListPage pages={userPages} base="User" title="Users" />, '/users/users', '/users/users', ROUTES)
  users()
  await userEvent.click(await screen.findByRole('button', { name: 'Invite user' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.click(await within(dialog).findByRole('combobox'))
  await userEvent.click(await screen.findByText('Cy(cy)'))
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Organization administrator' }))
  await userEvent.click(within(dialog).getByRole('button', { name: 'Invite' }))
  await waitFor(() =>
    expect(sent(calls, 'POST').map(({ body }) => body)).toEqual([
      [
        { user: 'u7', role: 'User' },
        { user: 'u7', role: 'Admin' },
      ],
    ]),
  )
  cleanup()
  signIn()
  users()
  await screen.findByRole('button', { name: 'Refresh' })
  expect(screen.queryByRole('button', { name: 'Invite user' })).toBeNull()
})
