import {
  type ApplicationPermission,
  applicationPermission,
} from '@sallyport/contract/resources/perms/application-permission.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ApplicationTree } from '../ApplicationTree.tsx'
import { applicationPermissionPages } from './application-permission.page.tsx'
import { ApplicationPermissionSummary } from './PermissionSummary.tsx'

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const page = (results: readonly object[]) => ({ count: results.length, next: null, previous: null, results })

test('[A2.33] a permission is about applications of the type that was chosen, and offers the accounts and actions that fit', async () => {
  const calls = serve(({ method, path }: Call) => {
    if (method === 'OPTIONS') return { body: metadataFor(applicationPermission) }
    if (method === 'POST') return { body: { id: 'p1', name: 'Stock' } }
    return { body: page([{ id: path.includes('system-users') ? 's1' : 'a1', name: 'stock', username: 'report' }]) }
  })
  show(
    <FormPage pages={applicationPermissionPages} base="ApplicationPermission" title="Create" mode="create" />,
    '/create?category=db&type=postgresql&application=a1',
    '/create',
  )
  await userEvent.type(await screen.findByLabelText('Name'), 'Stock')
  expect(screen.queryByLabelText('Clipboard copy')).toBeNull()
  await userEvent.click(screen.getByLabelText('Upload file'))
  await userEvent.click(await screen.findByLabelText(/System user/))
  await userEvent.click(await screen.findByTitle('stock(report)'))
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'POST')?.body).toMatchObject({
      name: 'Stock',
      category: 'db',
      type: 'postgresql',
      applications: ['a1'],
      system_users: ['s1'],
    }),
  )
  const asked = calls.filter(({ method, path }) => method === 'GET' && path.endsWith('/system-users/'))
  expect(new Set(asked.map(({ query }) => query.get('protocol')))).toContain('postgresql')
})

test('[A2.33] a permission on applications is a sentence whose names lead to their pages', () => {
  const row = {
    id: 'p1',
    category: 'db',
    type: 'postgresql',
    user_groups: ['g1'],
    user_groups_display: ['Data'],
    users: [],
    users_display: [],
    applications: ['a1'],
    applications_display: ['warehouse'],
    system_users: ['s1'],
    system_users_display: ['report'],
    actions: ['connect'],
    databases: ['shop'],
    date_start: '2020/01/01 00:00:00 +0000',
    date_expired: '2096/01/01 00:00:00 +0000',
  } as unknown as ApplicationPermission
  show(<ApplicationPermissionSummary row={row} refresh={async () => {}} />, '/', '/', {
    DatabaseAppDetail: '/applications/databases/:id',
  })
  expect(screen.getByText(/may use/).textContent).toBe(
    'Data may use warehouse as report, without an end. Allowed: Connect. Only these databases of the server: shop.',
  )
  const [link] = screen.getAllByRole('link', { name: 'warehouse' })
  expect(link?.getAttribute('href')).toBe('/applications/databases/a1')
})

test('[A2.33] a line of the tree narrows the list to a category, a type or an application, and chosen again to nothing', async () => {
  const item = (id: string, pId: string, type: string, data: object = {}, name = id) => ({
    id,
    name,
    title: name,
    pId,
    isParent: type !== 'application',
    open: true,
    meta: { type, data },
  })
  serve(() => ({
    body: [
      item('applications', '', 'applications_root', {}, 'Applications (1)'),
      item('category=db', 'applications', 'category', { value: 'db' }, 'Database (1)'),
      item('category=db&type=mysql', 'category=db', 'type', { value: 'mysql' }, 'MySQL (1)'),
      item('a1', 'category=db&type=mysql', 'application', {}, 'orders'),
    ],
  }))
  const setQuery = vi.fn()
  const open = (query: Record<string, string>) =>
    show(<ApplicationTree query={query} setQuery={setQuery} refreshList={async () => {}} />, '/', '/')
  open({})
  for (const name of [/^Database/, /^MySQL/, /^orders/])
    await userEvent.click(await screen.findByRole('treeitem', { name }))
  expect(setQuery.mock.calls.map(([query]) => query)).toEqual([
    { category: 'db', type: '', app: '' },
    { category: '', type: 'mysql', app: '' },
    { category: '', type: '', app: 'a1' },
  ])
  cleanup()
  open({ type: 'mysql' })
  await userEvent.click(await screen.findByRole('treeitem', { name: /^MySQL/, selected: true }))
  expect(setQuery).toHaveBeenLastCalledWith({ category: '', type: '', app: '' })
})
