import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { activeAction } from '../../pages/active-action.ts'
import { bulkActive } from '../../pages/bulk-active.ts'
import { userGroupPages } from '../../pages/users/group.page.tsx'
import { type Call, metadataFor, questionTitled, serve, show, signIn } from '../../test/harness.tsx'
import { QuickActions } from '../detail/QuickActions.tsx'
import { FormPage } from '../form/FormPage.tsx'
import { ImportDialog } from '../import/ImportDialog.tsx'
import { ListPage } from '../list/ListPage.tsx'
import { deleteRow } from '../rows/deleting.ts'
import { NODE_TREE_KEYS, NodeTree } from '../tree/NodeTree.tsx'
import { definePages } from '../view/define-pages.ts'
import { ChangePreview } from './ChangePreview.tsx'

const row = { id: 'g1', name: 'Operators', comment: '', users: ['u1'], users_display: ['Bob(bob)'] }
const none = { count: 0, people: 0, targets: 0, rows: [] }
const noneTouched = { count: 0, rows: [] }
const unjudged = { is_exact: true, touched: { people: 0, targets: 0 }, begin: none, end: none, others: none }
const quiet = {
  is_exact: true,
  touched: { people: 0, targets: 0, rights_at_most: 0 },
  ...{
    gained: none,
    lost: none,
    changed: none,
    roles: { count: 0, rows: [] },
    places: { count: 0, rows: [] },
    sessions_end: { count: 0, rows: [] },
  },
  ...{ tickets: noneTouched, schedules: noneTouched, plans: noneTouched },
  ...{ confirmations: unjudged, commands: unjudged },
  self: { gained: 0, lost: 0, changed: 0 },
  last_administrator: { system: false, organizations: [] },
}
const bob = { person: { id: 'u1', name: 'Bob(bob)' }, target: { id: 'a1', name: 'web-1(10.0.0.1)', family: 'asset' } }
const losing = {
  ...quiet,
  lost: {
    count: 1,
    people: 1,
    targets: 1,
    rows: [{ ...bob, account: { id: 's1', name: 'root' }, actions: ['connect'] }],
  },
  sessions_end: {
    count: 1,
    rows: [{ id: 'x', user: 'Bob(bob)', asset: 'web-1', system_user: 'root', protocol: 'ssh' }],
  },
  self: { gained: 0, lost: 1, changed: 0 },
  last_administrator: { system: false, organizations: [{ id: 'o', name: 'Default' }] },
}
let effects: object
let status: number

const isPreview = ({ query }: Call) => query.get('preview') === 'true'

function groupServer(call: Call) {
  const { method, path, body } = call
  if (method === 'OPTIONS') return { body: metadataFor(userGroup) }
  if (isPreview(call)) return { status, body: effects }
  if (path.includes('/deletion/')) return { body: { count: 1, ends: [] } }
  if (method === 'GET') return { body: path.includes('/groups/g1/') ? row : [] }
  return { body: { ...row, ...(body as object) } }
}
const previews = (calls: readonly Call[]) => calls.filter(isPreview)
const open = () =>
  show(
    <FormPage pages={userGroupPages} base="UserGroup" title="Update" mode="update" />,
    '/users/groups/g1/update',
    '/users/groups/:id/update',
    { UserGroupList: '/users/groups' },
  )

beforeEach(() => {
  effects = losing
  status = 200
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a form names lost rights and ending sessions before it is saved, and in red rights that people take from themselves', async () => {
  const calls = serve(groupServer)
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'What this changes' }))
  expect(await screen.findByText('Lost: 1 right of 1 person')).toBeTruthy()
  expect(screen.getByText('Bob(bob) → web-1(10.0.0.1) (root): Connect')).toBeTruthy()
  expect(screen.getByText('1 live session ends')).toBeTruthy()
  for (const text of ['You take rights from yourself.', 'No administrator would be left in Default.'])
    expect(screen.getByText(text).closest('[data-tone="danger"]')).not.toBeNull()
  effects = quiet
  await userEvent.type(screen.getByLabelText('Name'), '2')
  expect(await screen.findByText('Nobody gains or loses a right.')).toBeTruthy()
  expect(previews(calls).at(-1)?.body).toMatchObject({ name: 'Operators2' })
})

test('a preview that fails says so and keeps nobody from saving', async () => {
  const calls = serve(groupServer)
  status = 500
  effects = {}
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'What this changes' }))
  await waitFor(() => expect(previews(calls)).toHaveLength(1))
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(calls.some((call) => call.method === 'PUT' && !isPreview(call))).toBe(true))
})

test('the question before a deletion says by itself what it changes', async () => {
  serve(groupServer)
  show(<p />, '/', '/')
  deleteRow({ resource: 'user_group', path: userGroup.path, bearsRights: true }, row, 'Operators', () => {})
  expect(await screen.findByText('Lost: 1 right of 1 person')).toBeTruthy()
})

const assets = definePages(asset, {
  list: { columns: ['hostname'], leftTree: NodeTree, treeKeys: NODE_TREE_KEYS, bulkActions: bulkActive(asset) },
})
const treeNode = (key: string, name: string) => ({
  ...{ id: key, name: `${name} (1)`, title: name, pId: key.slice(0, -2), isParent: key === '1', open: key === '1' },
  meta: { type: 'node', data: { id: `n-${key}`, key, value: name } },
})
const nodes = [treeNode('1', 'Default'), treeNode('1:0', 'Web'), treeNode('1:1', 'Databases')]

function assetServer(call: Call) {
  const { method, path, body } = call
  if (method === 'OPTIONS') return { body: metadataFor(asset) }
  if (isPreview(call)) return { body: effects }
  if (path.endsWith('/children/tree/')) return { body: nodes }
  if (method !== 'GET') return { body }
  const results = ['web-1', 'web-2'].map((hostname) => ({ id: hostname, hostname, is_active: true }))
  return { body: path === asset.path ? { count: 2, next: null, previous: null, results } : {} }
}
const changes = (calls: readonly Call[]) =>
  calls.filter((call) => ['PUT', 'PATCH'].includes(call.method) && !isPreview(call))

test('Disable of ticked rows asks with what it takes, and changes them after a yes alone', async () => {
  const calls = serve(assetServer)
  show(<ListPage pages={assets} base="Asset" title="Assets" />, '/assets', '/assets')
  for (const name of ['web-1', 'web-2']) {
    const line = (await screen.findByText(name)).closest('tr') as HTMLElement
    await userEvent.click(within(line).getByRole('checkbox'))
  }
  const disable = () => screen.getByRole('toolbar', { name: 'Selected rows' })
  await userEvent.click(within(disable()).getByRole('button', { name: 'Disable' }))
  const question = await questionTitled('Disable 2 rows?')
  await question.findByText('Lost: 1 right of 1 person')
  await userEvent.click(question.getByRole('button', { name: 'Cancel' }))
  expect(changes(calls)).toEqual([])
  await userEvent.click(within(disable()).getByRole('button', { name: 'Disable' }))
  const again = await questionTitled('Disable 2 rows?')
  await userEvent.click(again.getByRole('button', { name: 'Disable' }))
  const rows = ['web-1', 'web-2'].map((id) => ({ id, is_active: false }))
  await waitFor(() => expect(changes(calls).map(({ body }) => body)).toEqual([rows]))
  expect(previews(calls)[0]?.body, 'the preview is of the very same call').toEqual(rows)
})

test('the switch of a row asks with what it takes', async () => {
  const calls = serve(assetServer)
  const row = { id: 'web-1', hostname: 'web-1', is_active: true }
  const action = activeAction<typeof row>({ path: asset.path, asksFor: ({ hostname }) => hostname })
  show(<QuickActions row={row} actions={[action as never]} refresh={async () => {}} />, '/', '/')
  await userEvent.click(screen.getByRole('switch', { name: 'Activate' }))
  const question = await questionTitled('Disable "web-1"?')
  await question.findByText('1 live session ends')
  expect(changes(calls)).toEqual([])
  await userEvent.click(question.getByRole('button', { name: 'Disable' }))
  await waitFor(() => expect(changes(calls).map(({ body }) => body)).toEqual([{ is_active: false }]))
})

test('a node that is dragged onto another one asks with what the move takes', async () => {
  const calls = serve(assetServer)
  show(<ListPage pages={assets} base="Asset" title="Assets" />, '/assets', '/assets')
  const line = (name: string) => screen.findByRole('treeitem', { name })
  fireEvent.dragStart(await line('Web 1'), { dataTransfer: { setData: () => {} } })
  fireEvent.drop(await line('Databases 1'))
  const question = await questionTitled('Move "Web" under "Databases"?')
  await question.findByText('Lost: 1 right of 1 person')
  expect(changes(calls)).toEqual([])
  await userEvent.click(question.getByRole('button', { name: 'Move' }))
  await waitFor(() => expect(changes(calls).map(({ body }) => body)).toEqual([{ nodes: ['n-1:0'] }]))
})

test('a change of rules names who then waits for a reviewer, and whose commands are judged no longer', async () => {
  serve(assetServer)
  const account = { id: 's1', name: 'root' }
  const judged = (row: object) => ({ count: 1, people: 1, targets: 1, rows: [{ ...bob, account, ...row }] })
  effects = {
    ...quiet,
    confirmations: { ...unjudged, begin: judged({ before: null, after: ['Ann(ann)'] }) },
    commands: { ...unjudged, is_exact: false, touched: { people: 900, targets: 7 } },
  }
  show(<ChangePreview call={{ method: 'DELETE', address: '/rule/' }} />, '/', '/')
  await screen.findByText('Then wait for a reviewer: 1 right of 1 person')
  screen.getByText('Bob(bob) → web-1(10.0.0.1) (root): Ann(ann)')
  screen.getByText(/The rule may meet 900 people, too many rights to be named/)
})

test('a change too large to compare names the people and targets it touches', async () => {
  const touched = {
    ...{ people: 900, targets: 2, rights_at_most: 1800 },
    people_rows: [{ id: 'u1', name: 'Bob(bob)' }],
    target_rows: [{ id: 'a1', name: 'web-1(10.0.0.1)' }],
  }
  serve(groupServer)
  effects = { ...quiet, is_exact: false, touched }
  show(<ChangePreview call={{ method: 'DELETE', address: '/node/' }} />, '/', '/')
  await userEvent.click(await screen.findByText('It touches 900 people, too many rights to be named.'))
  screen.getByText('Bob(bob)')
  screen.getByText('and 899 more')
  screen.getByText('Assets and applications: 2')
  screen.getByText('web-1(10.0.0.1)')
})

test('before a file is imported, people may ask what all of its rows together change', async () => {
  const rows = [
    { id: 'g1', name: 'Operators', users: ['u1'] },
    { id: 'g2', name: 'Auditors', users: [] },
  ]
  const calls = serve((call) => {
    if (!call.path.endsWith('/render-to-json/')) return groupServer(call)
    return { body: { title: ['id', 'name', 'users'].map((name) => [name, name]), data: rows } }
  })
  const listed = { path: userGroup.path, fixed: {}, chosen: {}, selected: [] }
  show(<ImportDialog listed={listed} modes={['update']} bearsRights onClose={() => {}} />, '/', '/')
  const input = await waitFor(() => document.querySelector('input[type=file]') as HTMLInputElement)
  await userEvent.upload(input, new File(['id,name'], 'groups.csv'), { applyAccept: false })
  await userEvent.click(await screen.findByRole('button', { name: 'What this changes' }))
  await screen.findByText('Lost: 1 right of 1 person')
  expect(previews(calls)).toMatchObject([{ method: 'POST', path: `${userGroup.path}import-jobs/`, body: { rows } }])
  expect(calls.some(({ method }) => method === 'PUT')).toBe(false)
})
