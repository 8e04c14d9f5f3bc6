import { expect, test } from 'vitest'
import { factsOf, podsOf, tablesOf } from './facts.ts'
import { kindCalled } from './kinds.ts'
import { compareCells, shownObjects, toneOf } from './objects.ts'

const row = (name: string, ...cells: string[]) => ({ name, namespace: 'shop', cells: [name, ...cells] })

test('ages are ordered by their length, counts by their size, names as people count; every word must be found', () => {
  expect(['5d', '90s', '2d3h', '1y', '45m'].sort(compareCells)).toEqual(['90s', '45m', '2d3h', '5d', '1y'])
  expect(['10', '9', '100'].sort(compareCells)).toEqual(['9', '10', '100'])
  expect(['web-10', 'web-9'].sort(compareCells)).toEqual(['web-9', 'web-10'])
  const rows = [row('web-1', 'Running'), row('web-2', 'Pending'), row('db', 'Running')]
  const shown = (filter: string) => shownObjects(rows, { filter, sorting: undefined }).map(({ name }) => name)
  expect([shown('web run'), shown('SHOP'), shown('nothing')]).toEqual([['web-1'], ['web-1', 'web-2', 'db'], []])
})

test('a state has the tone of what it says, however it is put together', () => {
  expect(
    ['Running', 'CrashLoopBackOff', 'Init:0/1', 'Ready,SchedulingDisabled', 'NotReady', 'Whatever'].map(toneOf),
  ).toEqual([...['good', 'danger', 'warning', 'warning', 'danger', 'quiet']])
})

test('facts about an object leave out unknown ones, and strange answers break nothing', () => {
  const service = {
    metadata: { labels: { app: 'web' }, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    spec: {
      type: 'NodePort',
      clusterIP: '10.0.0.9',
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 8080, nodePort: 30_080 },
        { port: 53, protocol: 'UDP' },
      ],
    },
  }
  expect(factsOf('services', service).map(({ label, values }) => [label, ...values])).toEqual([
    ['Type', 'NodePort'],
    ['Cluster address', '10.0.0.9'],
    ['Ports', 'http 80:30080/TCP → 8080', '53/UDP'],
    ['Selector', 'app=web'],
    ['Labels', 'app=web'],
  ])
  expect(podsOf('services', service)).toBe('app=web')
  const matchLabels = { app: 'web' }
  expect(podsOf('deployments', { spec: { selector: { matchLabels, matchExpressions: [] } } })).toBe('app=web')
  const matchExpressions = [{ key: 'tier', operator: 'NotIn', values: ['old'] }]
  expect(podsOf('deployments', { spec: { selector: { matchLabels, matchExpressions } } })).toBeUndefined()
  expect(tablesOf({ data: { a: '1' }, binaryData: { b: 'AA==' } })).toMatchObject([
    {
      rows: [
        ['a', '1'],
        ['b', 'AA=='],
      ],
    },
  ])
  for (const odd of [{}, { spec: null, status: 'no', metadata: [] }, { spec: { ports: {}, rules: 7 } }])
    for (const kind of ['pods', 'services', 'ingresses', 'nodes', 'cronjobs'] as const)
      expect(() => [factsOf(kind, odd), tablesOf(odd), podsOf(kind, odd)]).not.toThrow()
  expect(['ReplicaSet', 'Ingress', 'constructor', undefined].map(kindCalled)).toEqual([
    ...['replicasets', 'ingresses', undefined, undefined],
  ])
})
