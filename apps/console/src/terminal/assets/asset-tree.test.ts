import { expect, test } from 'vitest'
import {
  type AssetTree,
  EMPTY_TREE,
  findAssets,
  searchTree,
  TOP,
  type TreeItem,
  treeKey,
  treeRows,
  wholeTree,
  withChildren,
  withOpen,
} from './asset-tree.ts'

const node = (id: string, pId = TOP, more: Partial<TreeItem> = {}): TreeItem => ({
  id,
  name: `node ${id}`,
  title: '',
  pId,
  isParent: true,
  meta: { type: 'node', data: { id, key: id } },
  ...more,
})
const asset = (id: string, pId: string, org = 'Default'): TreeItem => ({
  id,
  name: `host-${id}`,
  title: `10.0.0.${id}`,
  pId,
  isParent: false,
  meta: { type: 'asset', data: { id, hostname: `host-${id}`, ip: `10.0.0.${id}`, org_name: org } },
})
const shown = (tree: AssetTree) => treeRows(tree).map(({ item, depth }) => `${' '.repeat(depth)}${item.id}`)

test('[A1.16] folders show what was read of them when they are open', () => {
  let tree = withChildren(EMPTY_TREE, TOP, [node('favorite'), node('1')])
  tree = withChildren(tree, '1', [node('1:1', '1'), asset('7', '1')])
  expect(shown(tree)).toEqual(['favorite', '1'])
  tree = withOpen(tree, '1', true)
  expect(shown(tree)).toEqual(['favorite', '1', ' 1:1', ' 7'])
  expect(shown(withOpen(tree, '1', false))).toEqual(['favorite', '1'])
})

test('[A1.16] an asset in two folders makes two lines that can be told apart', () => {
  const tree = wholeTree(
    [node('1', TOP, { open: true }), node('2', TOP, { open: true }), asset('7', '1'), asset('7', '2')],
    new Set(),
  )
  expect(shown(tree)).toEqual(['1', ' 7', '2', ' 7'])
  expect(new Set(treeRows(tree).map(({ key }) => key)).size).toBe(4)
})

test('[A1.16] a local search finds host names and addresses, each asset once', () => {
  const tree = wholeTree([node('1'), asset('7', '1'), asset('8', '1'), node('2'), asset('7', '2')], new Set())
  expect(findAssets(tree, 'HOST-7').map(({ id }) => id)).toEqual(['7'])
  expect(findAssets(tree, '10.0.0').map(({ id }) => id)).toEqual(['7', '8'])
})

test('[A1.16] hits are under one root with their count, by organization when there are several', () => {
  expect(shown(searchTree([asset('1', ''), asset('2', '')], 'Search'))).toEqual(['search', ' 1', ' 2'])
  const tree = searchTree([asset('1', '', 'East'), asset('2', '', 'West')], 'Search')
  expect(treeRows(tree)[0]?.item.name).toBe('Search (2)')
  expect(shown(tree)).toEqual(['search', ' search:East', '  1', ' search:West', '  2'])
})

test('[A1.16] arrow keys walk, open and close the tree', () => {
  const rows = treeRows(
    withOpen(withChildren(withChildren(EMPTY_TREE, TOP, [node('1'), node('2')]), '1', [asset('7', '1')]), '1', true),
  )
  const [first, leaf, second] = rows.map(({ key }) => key)
  expect(treeKey(rows, first, 'ArrowDown')).toEqual({ to: leaf })
  expect(treeKey(rows, first, 'ArrowRight')).toEqual({ to: leaf })
  expect(treeKey(rows, first, 'ArrowLeft')).toEqual({ close: '1' })
  expect(treeKey(rows, leaf, 'ArrowLeft')).toEqual({ to: first })
  expect(treeKey(rows, second, 'ArrowRight')).toEqual({ open: '2' })
  expect(treeKey(rows, second, 'ArrowDown')).toBeUndefined()
  expect(treeKey(rows, undefined, 'End')).toEqual({ to: second })
})
