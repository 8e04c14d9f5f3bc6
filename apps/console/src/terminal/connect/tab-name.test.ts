import { expect, test } from 'vitest'
import { logName, tabName } from './tab-name.ts'

test('tabs on one cluster or database are told apart by their names', () => {
  const on = { targetId: '1', targetName: 'harbour', systemUserId: '2', systemUserName: 'ops', protocol: 'k8s' }
  const place = { namespace: 'shop', pod: 'web-1', container: 'app' }
  expect([tabName(on), tabName({ ...on, view: 'workbench' }), tabName({ ...on, place }), logName(place)]).toEqual([
    'harbour',
    'harbour · Resources',
    'web-1/app',
    'Log of web-1/app',
  ])
  expect(tabName({ ...on, protocol: 'mysql', view: 'workbench' })).toBe('harbour · Workbench')
})
