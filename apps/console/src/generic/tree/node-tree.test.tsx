import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from '../list/ListPage.tsx'
import { definePages } from '../view/define-pages.ts'
import { NODE_TREE_KEYS, NodeTree } from './NodeTree.tsx'

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
let calls: Call[]

beforeEach(() => {
  localStorage.clear()
  signIn()
  calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(asset) }
    if (path === TREE) return { body: query.has('key') ? (BELOW[query.get('key') ?? ''] ?? []) : TOP }
    if (path.startsWith('/api/v1/assets/nodes/n-'))
      return { body: { key: /n-([\d:]+)/.exec(decodeURIComponent(path))?.[1] } }
    return { body: { count: 0, next: null, previous: null, results: [] } }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const open = (address: string) =>
  show(<ListPage pages={pages} base="Asset" title="Assets" />, address, '/assets/assets')
const chosen = () => document.querySelector('.ant-tree-node-selected')?.textContent

test('[A2.81 B2.05] a link to a node deep in the tree opens the way down to it and shows it chosen', async () => {
  open('/assets/assets?node_id=n-1:0:0:0')
  await waitFor(() => expect(chosen()).toBe('Front (1)'))
  expect(
    calls.filter(({ path, query }) => path === TREE && query.has('key')).map(({ query }) => query.get('key')),
  ).toEqual(['1:0', '1:0:0'])
  expect(calls.find(({ method, path }) => method === 'GET' && path === asset.path)?.query.get('node_id')).toBe(
    'n-1:0:0:0',
  )
})

test('a node that is gone is looked for once and leaves the tree as it is', async () => {
  open('/assets/assets?node_id=gone')
  await screen.findByText('Production (1)')
  await waitFor(() => expect(calls.filter(({ path }) => path === '/api/v1/assets/nodes/gone/')).toHaveLength(1))
  await userEvent.click(screen.getByText('Production (1)'))
  await waitFor(() => expect(chosen()).toBe('Production (1)'))
  expect(calls.filter(({ path }) => path === '/api/v1/assets/nodes/gone/')).toHaveLength(1)
})

test('the menu of a node can be had without a right mouse button, once a node is chosen', async () => {
  open('/assets/assets')
  await userEvent.click(await screen.findByText('Production (1)'))
  const button = await screen.findByRole('button', { name: 'Actions of the chosen node' })
  await waitFor(() => expect(button).toHaveProperty('disabled', false))
  await userEvent.click(button)
  // The menu takes the keyboard before anybody can choose from it.
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('menuitem'))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Rename node' }))
  expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'Production')
})
