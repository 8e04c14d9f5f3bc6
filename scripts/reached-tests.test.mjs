import { expect, test } from 'vitest'
import { reachedTests, sourceTexts, withinTime } from './reached-tests.mjs'

const texts = new Map([
  ['apps/server/src/label.ts', "import { LABEL } from '@sallyport/contract/label.ts'"],
  ['apps/server/src/label.test.ts', "import { read } from './label.ts'"],
  ['apps/server/src/far.test.ts', "const { open } = await import('./open.ts')"],
  ['apps/server/src/open.ts', "export * from './label.ts'\nreadFile(new URL('../migrations/', import.meta.url))"],
  ['apps/server/src/other.test.ts', "import { expect } from 'vitest'"],
  ['packages/contract/src/label.ts', ''],
])
const tests = [...texts.keys()].filter((path) => path.includes('.test.'))
const reachedBy = (path) => reachedTests([path], texts, tests)

test('a change reaches the tests that import it over any number of modules, the nearest first', () => {
  expect(reachedBy('packages/contract/src/label.ts')).toEqual([
    { path: 'apps/server/src/label.test.ts', distance: 2 },
    { path: 'apps/server/src/far.test.ts', distance: 3 },
  ])
  expect(reachedBy('apps/server/src/other.test.ts')).toEqual([{ path: 'apps/server/src/other.test.ts', distance: 0 }])
})

test('a file that is not code reaches those who name it or its folder', () => {
  expect(reachedBy('apps/server/migrations/202611280000_labels.sql').map(({ path }) => path)).toEqual([
    'apps/server/src/far.test.ts',
  ])
})

test('as many of the tests reached run as there is time for, and one at least', () => {
  const files = ['a', 'b', 'c', 'd'].map((path) => ({ path }))
  const seconds = new Map([
    ['a', 10],
    ['b', 40],
    ['c', 20],
  ])
  expect(withinTime(files, seconds, 60).map(({ path }) => path)).toEqual(['a', 'b'])
  expect(withinTime(files, seconds, 5).map(({ path }) => path)).toEqual(['a'])
})

test('in this repository a rule of permissions reaches its own tests first', () => {
  const [nearest] = reachedTests(['apps/server/src/domains/perms/may-connect.ts'], sourceTexts())
  expect(nearest.path).toMatch(/^apps\/server\/src\/domains\/perms\//)
})
