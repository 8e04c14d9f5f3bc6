import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { costsOf, tableOf } from './test-cost/costs.mjs'
import { childrenSeconds } from './test-cost/processor-time.mjs'

const file = (project, name, own, servers) => ({
  project,
  file: name,
  tests: 2,
  begun: 0,
  ended: 3000,
  loading: 1,
  running: 2,
  own,
  children: 0.5,
  work: servers ? { servers: { times: servers, ms: 1000 } } : {},
})

test('the cost of the suite is added up by project, and the dearest files come first', () => {
  const files = [file('server', 'a', 1, 2), file('server', 'b', 2, 1), file('console', 'c', 0.5)]
  const { projects, dearest } = costsOf(files, 2)
  expect(projects.map(({ project, files, processor, servers }) => [project, files, processor, servers])).toEqual([
    ['server', 2, 4, '3 in 2.0'],
    ['console', 1, 1, ''],
    ['all', 3, 5, '3 in 2.0'],
  ])
  expect(dearest.map(({ file, waiting }) => [file, waiting])).toEqual([
    ['b', 0.5],
    ['a', 1.5],
  ])
  expect(tableOf([{ name: 'a', seconds: 1.25 }])).toBe('| name | seconds |\n| ---- | ------- |\n| a    | 1.3     |')
})

test('processor time of a child counts after it has ended', () => {
  const before = childrenSeconds()
  spawnSync(process.execPath, [
    '-e',
    'for (const end = process.cpuUsage().user + 100_000; process.cpuUsage().user < end; );',
  ])
  expect(childrenSeconds() - before).toBeGreaterThanOrEqual(0.08)
})
