import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedbackHost } from '../../design/dialogs/feedback.tsx'
import { clusterConnection, clusterShell } from '../connect/cluster-connection.ts'
import type { ClusterLevel, TreeItem } from './asset-tree.ts'
import { clusterViews } from './cluster-tree.ts'
import { LeftPanel } from './LeftPanel.tsx'

const node = (id: string, name: string, open = false): TreeItem => ({
  id,
  name,
  title: name,
  pId: '',
  isParent: true,
  open,
  meta: { type: 'node', data: { id, key: id } },
})
const asset = (id: string, more: Partial<TreeItem> = {}): TreeItem => ({
  id,
  name: `host-${id}`,
  title: '10.0.0.1',
  pId: '1',
  isParent: false,
  meta: { type: 'asset', data: { id, hostname: `host-${id}` } },
  ...more,
})

let favorites: string[]
let asked: string[]
let granted: TreeItem[]
let applications: TreeItem[]
/** Objects of clusters, by the id of the opened one; anything else can't be read. */
let levels: Record<string, TreeItem[]>

/** The server's answers, by the wire contract. */
function answer(method: string, path: string, query: URLSearchParams, body: string): unknown {
  if (path.endsWith('/favorite-assets/')) {
    if (method === 'POST') favorites.push(JSON.parse(body).asset)
    if (method === 'DELETE') favorites = favorites.filter((id) => id !== query.get('asset'))
    return favorites.map((id) => ({ user: 'u', asset: id }))
  }
  if (path.endsWith('/users/assets/tree/')) return [asset('9')]
  const level = query.get('tree_id')
  if (level) return levels[level]
  if (path.endsWith('/users/applications/tree/')) return applications
  const key = query.get('key')
  if (key === 'favorite') return favorites.map((id) => asset(id))
  if (key === '1') return [asset('7'), asset('8', { chkDisabled: true })]
  return granted
}

beforeEach(() => {
  favorites = []
  asked = []
  applications = []
  levels = {}
  granted = [node('favorite', 'Favorite (1)'), node('1', 'Default (2)', true)]
  vi.stubGlobal('fetch', async (address: string, { method, body }: { method: string; body?: string }) => {
    const url = new URL(address, 'http://door')
    asked.push(`${method} ${url.pathname}${url.search}`)
    const found = answer(method, url.pathname, url.searchParams, body ?? '')
    return new Response(JSON.stringify(found ?? { detail: 'The cluster refused' }), {
      status: found ? 200 : 400,
      headers: { 'content-type': 'application/json' },
    })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show() {
  const onConnect = vi.fn()
  const onConnectAsking = vi.fn()
  render(<LeftPanel lazy onConnect={onConnect} onConnectAsking={onConnectAsking} />)
  return { onConnect, onConnectAsking }
}

test('[A1.16] folders are read when they are opened, roots at once; a click on an asset connects', async () => {
  const { onConnect } = show()
  const leaf = await screen.findByRole('treeitem', { name: /host-7/ })
  expect(asked.filter((call) => call.includes('key=favorite'))).toEqual([])
  fireEvent.click(leaf)
  fireEvent.click(leaf)
  expect(onConnect).toHaveBeenCalledTimes(1)
  expect(onConnect.mock.calls[0]?.[0]).toMatchObject({ id: '7' })
  expect(screen.getByRole('treeitem', { name: /host-8/ }).getAttribute('aria-disabled')).toBe('true')
})

test('[A1.16] the tree is worked with the keyboard alone', async () => {
  const { onConnect } = show()
  await screen.findByRole('treeitem', { name: /host-7/ })
  screen.getByRole('tree').focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  expect(onConnect.mock.calls[0]?.[0]).toMatchObject({ id: '7' })
})

test('[A1.16] a search asks the server once, after a pause in typing, and clearing it brings the tree back', async () => {
  show()
  await screen.findByRole('treeitem', { name: /host-7/ })
  await userEvent.type(screen.getByLabelText('Search assets'), 'hos')
  expect(await screen.findByRole('treeitem', { name: 'Search (1)' })).toBeTruthy()
  expect(asked.filter((call) => call.includes('/users/assets/tree/'))).toEqual([
    'GET /api/v1/perms/users/assets/tree/?search=hos',
  ])
  await userEvent.clear(screen.getByLabelText('Search assets'))
  expect(await screen.findByRole('treeitem', { name: /host-7/ })).toBeTruthy()
})

test('[A1.16] the menu of an asset connects again and makes it a favorite, which then is shown', async () => {
  const { onConnectAsking } = show()
  fireEvent.contextMenu(await screen.findByRole('treeitem', { name: /host-7/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Connect' }))
  expect(onConnectAsking.mock.calls[0]?.[0]).toMatchObject({ id: '7' })
  fireEvent.contextMenu(screen.getByRole('treeitem', { name: /host-7/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Favorite' }))
  await waitFor(() => expect(favorites).toEqual(['7']))
  fireEvent.contextMenu(screen.getByRole('treeitem', { name: /host-7/ }))
  expect(await screen.findByRole('menuitem', { name: 'Remove from favorites' })).toBeTruthy()
})

test('[A2.67] the menu offers the files of an asset that has SSH, in a window of their own', async () => {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  const { meta } = asset('7')
  granted = [asset('6'), asset('7', { meta: { ...meta, data: { ...meta.data, protocols: ['rdp/3389', 'ssh/22'] } } })]
  show()
  fireEvent.contextMenu(await screen.findByRole('treeitem', { name: /host-7/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'File manager' }))
  expect(opened).toHaveBeenCalledWith('/koko/elfinder/sftp/7/', '_blank', 'noopener')
  fireEvent.contextMenu(screen.getByRole('treeitem', { name: /host-6/ }))
  await screen.findByRole('menuitem', { name: 'Favorite' })
  expect(screen.queryByRole('menuitem', { name: 'File manager' })).toBeNull()
})

test('[A1.16] somebody without any grant reads whom to ask; one whose assets stand apart from the nodes does not', async () => {
  applications = []
  granted = [node('favorite', 'Favorite (0)'), node('ungrouped', 'Ungrouped (0)')]
  show()
  expect(await screen.findByText(/^No assets are granted to you yet/)).toBeTruthy()
  cleanup()
  applications = []
  granted = [node('favorite', 'Favorite (0)'), node('ungrouped', 'Ungrouped (10)')]
  show()
  await screen.findByRole('treeitem', { name: 'Ungrouped (10)' })
  expect(screen.queryByText(/^No assets are granted to you yet/)).toBeNull()
})

test('[A2.64] applications are below the assets, are searched by name, and opened by a click; those that cannot be opened here are left out', async () => {
  const branch = (id: string, name: string, pId: string): TreeItem => ({
    ...node(id, name, true),
    pId,
    meta: { type: 'type', data: { id } },
  })
  const application = (id: string, name: string, type = 'mysql'): TreeItem => ({
    ...asset(id),
    name,
    pId: `type=${type}`,
    meta: { type: 'application', data: { id, type } },
  })
  applications = [
    branch('applications', 'My applications(3)', ''),
    branch('org', 'Default(3)', 'applications'),
    branch('type=mysql', 'MySQL (2)', 'org'),
    branch('type=db2', 'Db2 (1)', 'org'),
    application('d1', 'orders'),
    application('d2', 'wages'),
    // It can't be opened here: it is not there, nor counted, nor is its type.
    application('p1', 'ledger', 'db2'),
  ]
  const connected: string[] = []
  render(<LeftPanel lazy onConnect={({ id }) => void connected.push(id)} onConnectAsking={() => {}} />)
  const tree = await screen.findByRole('tree', { name: 'My applications' })
  expect(tree.textContent).toBe('Default (2)MySQL (2)orderswages')
  await userEvent.type(screen.getByLabelText('Search assets'), 'wag')
  await waitFor(() =>
    expect(screen.getByRole('tree', { name: 'My applications' }).textContent).toBe('Default (2)MySQL (2)wages'),
  )
  fireEvent.click(screen.getByRole('treeitem', { name: /wages/ }))
  expect(connected).toEqual(['d2'])
})

test('a cluster opens level by level down to its containers, and says why a level cannot be read', async () => {
  const level = (identity: 'k8s' | ClusterLevel, id: string, name: string, pId: string): TreeItem => ({
    ...node(id, name),
    pId,
    isParent: identity !== 'container',
    parentInfo: `app_id=${id}`,
    meta: { type: 'application', data: { id, type: 'k8s', identity } },
  })
  applications = [
    { ...node('type=k8s', 'Kubernetes (1)', true), meta: { type: 'type', data: { id: 'type=k8s' } } },
    level('k8s', 'c1', 'gold', 'type=k8s'),
  ]
  levels = { c1: [level('system_user', 'u1', 'reader(*)', 'c1'), level('system_user', 'u2', 'wrong(*)', 'c1')] }
  const info = 'app_id=c1&system_user_id=s1&namespace=shop&pod=web-1&container=app'
  levels.u1 = [{ ...level('container', 'app', 'app', 'u1'), parentInfo: info }]
  render(<FeedbackHost />)
  const { onConnect, onConnectAsking } = show()
  fireEvent.click(await screen.findByRole('treeitem', { name: 'gold' }))
  fireEvent.click(await screen.findByRole('treeitem', { name: 'wrong(*)' }))
  expect(await screen.findByText('The cluster refused')).toBeTruthy()
  expect(screen.getByRole('treeitem', { name: 'wrong(*)' }).getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(screen.getByRole('treeitem', { name: 'reader(*)' }))
  fireEvent.click(await screen.findByRole('treeitem', { name: 'app' }))
  expect(clusterConnection(onConnect.mock.calls[0]?.[0])).toEqual({
    targetId: 'c1',
    targetName: 'gold',
    systemUserId: 's1',
    systemUserName: 'reader(*)',
    protocol: 'k8s',
    place: { namespace: 'shop', pod: 'web-1', container: 'app' },
  })
  // A system user opens by a click; its menu opens the shell of the cluster.
  const user = screen.getByRole('treeitem', { name: 'reader(*)' })
  fireEvent.contextMenu(user)
  expect(screen.queryByRole('menuitem', { name: 'Open in new window' })).toBeNull()
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Connect' }))
  const shell = clusterConnection(onConnectAsking.mock.calls[0]?.[0])
  expect(shell).toMatchObject({ targetName: 'gold', systemUserName: 'reader(*)', protocol: 'k8s' })
  expect(shell).not.toHaveProperty('place')
})

test('objects of a cluster are shown by a line of its shell; a name that is not valid in Kubernetes is not typed', async () => {
  const at = (name: string): TreeItem => ({
    ...node(name, name),
    parentInfo: `app_id=c1&system_user_id=s1&namespace=shop&pod=${encodeURIComponent(name)}`,
    meta: { type: 'application', data: { id: 'c1', type: 'k8s', identity: 'pod', cluster: 'gold' } },
  })
  applications = [at('web--1'), at('web-1\rdelete pods web-2')]
  const onClusterView = vi.fn()
  render(<LeftPanel lazy onConnect={() => {}} onConnectAsking={() => {}} onClusterView={onClusterView} />)
  fireEvent.contextMenu(await screen.findByRole('treeitem', { name: /delete/ }))
  fireEvent.contextMenu(screen.getByRole('treeitem', { name: 'web--1' }))
  const items = await screen.findAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Describe', 'Events', 'As YAML'])
  await userEvent.click(items[0] as HTMLElement)
  const [[item, line]] = onClusterView.mock.calls as [[TreeItem, string]]
  expect(clusterShell(item, line)).toMatchObject({ targetName: 'gold', firstLine: 'describe pod web--1 -n shop' })
  expect(clusterViews(at('web-1\rdelete pods web-2'))).toEqual([])
})
