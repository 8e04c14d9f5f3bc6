import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TreeItem } from './asset-tree.ts'
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

/** The server's answers, by the wire contract. */
function answer(method: string, path: string, query: URLSearchParams, body: string): unknown {
  if (path.endsWith('/favorite-assets/')) {
    if (method === 'POST') favorites.push(JSON.parse(body).asset)
    if (method === 'DELETE') favorites = favorites.filter((id) => id !== query.get('asset'))
    return favorites.map((id) => ({ user: 'u', asset: id }))
  }
  if (path.endsWith('/users/assets/tree/')) return [asset('9')]
  const key = query.get('key')
  if (key === 'favorite') return favorites.map((id) => asset(id))
  if (key === '1') return [asset('7'), asset('8', { chkDisabled: true })]
  return granted
}

beforeEach(() => {
  favorites = []
  asked = []
  granted = [node('favorite', 'Favorite (1)'), node('1', 'Default (2)', true)]
  vi.stubGlobal('fetch', async (address: string, { method, body }: { method: string; body?: string }) => {
    const url = new URL(address, 'http://door')
    asked.push(`${method} ${url.pathname}${url.search}`)
    return new Response(JSON.stringify(answer(method, url.pathname, url.searchParams, body ?? '')), {
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

test('[A1.16] the menu of an asset connects anew and makes it a favourite, which then is shown', async () => {
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
  granted = [node('favorite', 'Favorite (0)'), node('ungrouped', 'Ungrouped (0)')]
  show()
  expect(await screen.findByText(/^No assets are granted to you yet/)).toBeTruthy()
  cleanup()
  granted = [node('favorite', 'Favorite (0)'), node('ungrouped', 'Ungrouped (10)')]
  show()
  await screen.findByRole('treeitem', { name: 'Ungrouped (10)' })
  expect(screen.queryByText(/^No assets are granted to you yet/)).toBeNull()
})
