import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, showRouter, signIn } from '../../test/harness.tsx'
import { ListPage } from '../list/ListPage.tsx'
import { definePages } from '../view/define-pages.ts'
import { NODE_TREE_KEYS, NodeTree, nodeTree } from './NodeTree.tsx'

const TREE = '/api/v1/assets/nodes/children/tree/'
const node = (key: string, name: string, isParent: boolean) => ({
  id: key,
  name: `${name} (1)`,
  title: name,
  pId: key.slice(0, -2),
  isParent,
  open: key === '1',
  meta: { type: 'node', data: { id: `n-${key}`, key, value: name } },
})
const TOP = [node('1', 'Default', true), node('1:0', 'Production', true)]
const BELOW: Record<string, object[]> = {
  '1:0': [node('1:0:0', 'Web', true)],
  '1:0:0': [node('1:0:0:0', 'Front', false)],
}
const pages = definePages(asset, { list: { columns: ['hostname'], leftTree: NodeTree, treeKeys: NODE_TREE_KEYS } })
const page = (results: object[]) => ({ count: results.length, next: null, previous: null, results })
let calls: Call[]

beforeEach(() => {
  localStorage.clear()
  signIn()
  calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(asset) }
    if (path === TREE) return { body: query.has('key') ? (BELOW[query.get('key') ?? ''] ?? []) : TOP }
    if (path === '/api/v1/assets/nodes/')
      return { body: page([{ id: 'n-1:0:0:0', name: 'Front', full_value: '/Default/Production/Web/Front' }]) }
    if (path === asset.path && query.get('search') === 'fro')
      return { body: page([{ id: 'a1', hostname: 'front-01', ip: '10.0.0.7' }]) }
    if (path.startsWith('/api/v1/assets/nodes/n-'))
      return { body: { key: /n-([\d:]+)/.exec(decodeURIComponent(path))?.[1] } }
    return { body: page([]) }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const open = (address: string) =>
  show(<ListPage pages={pages} base="Asset" title="Assets" />, address, '/assets/assets')
const chosen = () => document.querySelector('[role=treeitem][aria-selected=true]')?.textContent

test('[A2.81 B2.05] a link to a node deep in the tree opens the way down to it and shows it chosen', async () => {
  open('/assets/assets?node_id=n-1:0:0:0')
  await waitFor(() => expect(chosen()).toBe('Front 1'))
  expect(
    calls.filter(({ path, query }) => path === TREE && query.has('key')).map(({ query }) => query.get('key')),
  ).toEqual(['1:0', '1:0:0'])
  expect(calls.find(({ method, path }) => method === 'GET' && path === asset.path)?.query.get('node_id')).toBe(
    'n-1:0:0:0',
  )
})

test('a node that is gone is looked for once and leaves the tree as it is', async () => {
  open('/assets/assets?node_id=gone')
  await screen.findByRole('treeitem', { name: 'Production 1' })
  await waitFor(() => expect(calls.filter(({ path }) => path === '/api/v1/assets/nodes/gone/')).toHaveLength(1))
  await userEvent.click(screen.getByRole('treeitem', { name: 'Production 1' }))
  await waitFor(() => expect(chosen()).toBe('Production 1'))
  expect(calls.filter(({ path }) => path === '/api/v1/assets/nodes/gone/')).toHaveLength(1)
})

test('the menu of a node opens without a right mouse button, once a node is chosen', async () => {
  open('/assets/assets')
  await userEvent.click(await screen.findByRole('treeitem', { name: 'Production 1' }))
  const button = await screen.findByRole('button', { name: 'Actions of the chosen node' })
  await waitFor(() => expect(button).toHaveProperty('disabled', false))
  await userEvent.click(button)
  // The menu takes the keyboard before anybody can choose from it.
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('menuitem'))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Rename node' }))
  expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Production')
})

const focusedLine = () => document.activeElement?.textContent

test('the tree is one stop of the Tab key: arrows move, unfold and fold, letters look for a name, Enter chooses', async () => {
  open('/assets/assets')
  ;(await screen.findByRole('treeitem', { name: 'Default 1' })).focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(focusedLine()).toBe('Production 1')
  await userEvent.keyboard('{ArrowRight}')
  await screen.findByRole('treeitem', { name: 'Web 1' })
  await userEvent.keyboard('{ArrowRight}')
  expect(focusedLine()).toBe('Web 1')
  expect(document.activeElement?.getAttribute('aria-level')).toBe('3')
  await userEvent.keyboard('{Home}pr')
  expect(focusedLine()).toBe('Production 1')
  await userEvent.keyboard('{End}')
  expect(focusedLine()).toBe('Web 1')
  await userEvent.keyboard('{ArrowLeft}')
  expect(focusedLine()).toBe('Production 1')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(chosen()).toBe('Production 1'))
  await userEvent.keyboard('{ArrowLeft}')
  expect(screen.queryByRole('treeitem', { name: 'Web 1' })).toBeNull()
  expect(screen.getAllByRole('treeitem').filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(1)
})

test('open branches are still open when a person comes back to the page', async () => {
  const { unmount, router } = open('/assets/assets')
  ;(await screen.findByRole('treeitem', { name: 'Production 1' })).focus()
  await userEvent.keyboard('{ArrowRight}')
  await screen.findByRole('treeitem', { name: 'Web 1' })
  unmount()
  showRouter(router)
  expect(screen.getByRole('treeitem', { name: 'Web 1' })).toBeTruthy()
})

test('a search finds nodes with the way to them, and opens that way when one is chosen', async () => {
  open('/assets/assets')
  await userEvent.type(await screen.findByRole('searchbox', { name: 'Find in the tree' }), 'fro')
  const found = await screen.findByRole('button', { name: 'Front Default / Production / Web' })
  await userEvent.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(found)
  await userEvent.click(found)
  await waitFor(() => expect(chosen()).toBe('Front 1'))
  expect(screen.queryByRole('button', { name: /Front Default/ })).toBeNull()
})

test('where machines may be chosen, the search finds them by name or address', async () => {
  const withAssets = definePages(asset, {
    list: { columns: ['hostname'], leftTree: nodeTree({ assets: true, readOnly: true }), treeKeys: NODE_TREE_KEYS },
  })
  const { router } = show(<ListPage pages={withAssets} base="Asset" title="Assets" />, '/a', '/a')
  await userEvent.type(await screen.findByRole('searchbox', { name: 'Find in the tree' }), 'fro')
  await userEvent.click(await screen.findByRole('button', { name: 'front-01 10.0.0.7' }))
  await waitFor(() => expect(router.state.location.search).toBe('?asset_id=a1'))
})

test('without room beside the list, a button with the name of the chosen node opens the tree over it', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) => Object.assign(new EventTarget(), { matches: media.includes('991') }) as MediaQueryList,
  )
  open('/assets/assets?node_id=n-1:0')
  const opener = await screen.findByRole('button', { name: 'Production' })
  expect(screen.queryByRole('tree')).toBeNull()
  await userEvent.click(opener)
  const drawer = screen.getByRole('dialog', { name: 'Nodes' })
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(opener)
  await userEvent.click(opener)
  expect(drawer.isConnected).toBe(false)
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('treeitem', { name: 'Default 1' }))
  await screen.findByRole('button', { name: 'Default' })
  expect(screen.queryByRole('dialog')).toBeNull()
})
