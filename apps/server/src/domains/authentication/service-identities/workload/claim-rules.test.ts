import { expect, test } from 'vitest'
import { processorMs } from '../../../../../test/processor-ms.ts'
import { claimsFit, fits } from './claim-rules.ts'

test('a star is any text within one part, two are any text, and nothing beside the pattern fits', () => {
  for (const [pattern, text, isFit] of [
    ['octo/app', 'octo/app', true],
    ['octo/app', 'octo/app2', false],
    ['octo/app', 'xocto/app', false],
    ['octo/app', 'Octo/App', false],
    ['octo/*', 'octo/app', true],
    ['octo/*', 'octo/app/more', false],
    ['octo/*', 'octo-evil/app', false],
    ['repo:octo/app:ref:refs/heads/*', 'repo:octo/app:ref:refs/heads/main', true],
    ['repo:octo/app:ref:refs/heads/*', 'repo:octo/app:ref:refs/heads/main:x', false],
    ['repo:octo/app:ref:refs/heads/**', 'repo:octo/app:ref:refs/heads/feature/x', true],
    ['*', '', true],
    ['*', 'a/b', false],
    ['**', 'a/b', true],
    ['a.b', 'axb', false],
    ['v*.*', 'v1.2', true],
    ['(a|b)', 'a', false],
  ] as const)
    expect([pattern, text, fits(pattern, text)]).toEqual([pattern, text, isFit])
  // Quadratic at most, however the stars stand.
  const hostile = () => expect(fits(`${'*a'.repeat(500)}b`, 'a'.repeat(2048))).toBe(false)
  expect(processorMs(hostile)).toBeLessThan(5000)
})

test('all claims must fit: of a list one of them, of an object those within, of nothing none', () => {
  const claims = {
    sub: 'system:serviceaccount:prod:deployer',
    groups: ['a', 'b'],
    run: 7,
    protected: true,
    'kubernetes.io': { namespace: 'prod', list: ['x'] },
    'https://example.com/team': 'red',
  }
  const fit = (...rules: [string, string][]) =>
    claimsFit(
      rules.map(([claim, value]) => ({ claim, value })),
      claims,
    )
  expect(fit(['groups', 'b'], ['run', '7'], ['protected', 'true'])).toBe(true)
  expect(fit(['groups', 'b'], ['run', '8'])).toBe(false)
  expect(fit(['kubernetes.io/namespace', 'prod'])).toBe(true)
  expect(fit(['https://example.com/team', 'red'])).toBe(true)
  expect(fit(['kubernetes.io', '**'])).toBe(false)
  expect(fit(['missing', '**'])).toBe(false)
  expect(fit(['constructor/name', '**'])).toBe(false)
  expect(fit(['sub/length', '**'])).toBe(false)
  expect(fit()).toBe(false)
})
