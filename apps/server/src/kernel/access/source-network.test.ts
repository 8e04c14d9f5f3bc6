import { expect, test } from 'vitest'
import { matcherOf, sourceNetwork } from './source-network.ts'

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

test('one source is an IPv4 address, or the 64 bits of an IPv6 network, whichever address of it is used', () => {
  expect(sourceNetwork('::ffff:10.1.2.3')).toBe('10.1.2.3')
  const home = ['2001:db8:1:2::1', '2001:db8:1:2:8000::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'].map(sourceNetwork)
  expect(new Set(home).size).toBe(1)
  expect(home).not.toContain(sourceNetwork('2001:db8:1:3::1'))
  expect(sourceNetwork('nobody')).toBe('nobody')
})
