import { expect, test } from 'vitest'
import { matcherOf } from './source-network.ts'

test('proxies are single addresses or networks', () => {
  const isProxy = matcherOf(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])
  expect(['10.1.2.3', '192.0.2.1', '2001:db8:1::2'].map(isProxy)).toEqual([true, true, true])
  expect(['11.0.0.1', '192.0.2.2', '2001:db9::1', 'nonsense', '', undefined].map(isProxy)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('an IPv4 address that came over an IPv6 socket is the same address', () => {
  expect(matcherOf(['10.0.0.0/8'])('::ffff:10.1.2.3')).toBe(true)
})
