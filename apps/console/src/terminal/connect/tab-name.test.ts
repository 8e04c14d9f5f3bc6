import { expect, test } from 'vitest'
import type { TreeItem } from '../assets/asset-tree.ts'
import { clusterViews } from '../assets/cluster-tree.ts'
import { logName, tabName, viewName } from './tab-name.ts'

test('tabs on one cluster or database are told apart by their names', () => {
  const on = { targetId: '1', targetName: 'harbour', systemUserId: '2', systemUserName: 'ops', protocol: 'k8s' }
  const place = { namespace: 'shop', pod: 'web-1', container: 'app' }
  expect([tabName(on), tabName({ ...on, view: 'workbench' }), tabName({ ...on, place }), logName(place)]).toEqual([
    'harbour',
    'harbour · Resources',
    'web-1/app',
    'web-1/app · Log',
  ])
  expect(tabName({ ...on, protocol: 'mysql', view: 'workbench' })).toBe('harbour · Workbench')
})

test('an object opened from the menu of a cluster names its tab: a log by its container', () => {
  const named = (identity: 'namespace' | 'pod' | 'container', parentInfo: string) => {
    const meta = { type: 'application', data: { id: '1', identity, cluster: 'harbour', account: 'ops' } }
    const item: TreeItem = { id: '1', name: '', title: '', pId: '', isParent: false, parentInfo, meta }
    return clusterViews(item).map(({ line }) => viewName(item, line))
  }
  expect(named('container', 'namespace=shop&pod=web-1&container=app')).toEqual(['web-1/app · Log'])
  expect(named('pod', 'namespace=shop&pod=web-1')).toEqual(['web-1 · Describe', 'web-1 · Events', 'web-1 · As YAML'])
  expect(named('namespace', 'namespace=shop')).toEqual(['shop · Pods', 'shop · Workloads', 'shop · Events'])
})
