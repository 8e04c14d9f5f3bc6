import { expect, test } from 'vitest'
import { sourceTexts } from './reached-tests.mjs'
import { SYSTEM_PACKAGES } from './system-packages.mjs'
import { filesThatLack } from './test-needs.mjs'

const texts = sourceTexts()

test('each package that the tests install has a file that uses it', () => {
  const packages = Object.keys(SYSTEM_PACKAGES)
  const used = new Set([...filesThatLack(packages, texts).values()].flat())
  expect(packages.filter((name) => !used.has(name))).toEqual([])
})

test('without a package only the files are passed over that use it, also by what they import', () => {
  const without = (...names) => filesThatLack(names, texts)
  expect([...without('freeradius').keys()]).toContain('apps/server/src/domains/authentication/radius/sign-in.test.ts')
  expect(without('chromium', 'haproxy').get('e2e/reattach.spec.ts')).toEqual(['chromium', 'haproxy'])
  expect(without('chromium').has('apps/server/src/domains/perms/perms.test.ts')).toBe(false)
  expect([...without('root').keys()].map((file) => file.split('/').at(-1)).sort()).toEqual([
    'gathered-users.test.ts',
    'open-host.test.ts',
    'push.test.ts',
    'trust.test.ts',
  ])
  expect(without().size).toBe(0)
})
