import { expect, test } from 'vitest'
import { type BoundTargets, kindsOf } from './kinds-of.ts'

const bases = new Map([
  ['Linux', 'Linux'],
  ['Switch', 'Other'],
])
const kinds = (bound: Partial<BoundTargets>) =>
  kindsOf({ isBoundToPeople: false, assets: [], systemUsers: [], applications: [], bases, ...bound })
const EVERY = ['shell', 'network', 'database', 'redis']

test('[A2.17] a filter for people shows the ways around on every kind of target, as does one bound to nothing', () => {
  expect(kinds({ isBoundToPeople: true, assets: [{ platform: 'Linux' }] })).toEqual(EVERY)
  expect(kinds({})).toEqual(EVERY)
})

test('[A2.17] assets tell by their platform whether they are machines or network equipment', () => {
  expect(kinds({ assets: [{ platform: 'Linux' }] })).toEqual(['shell'])
  expect(kinds({ assets: [{ platform: 'Switch' }] })).toEqual(['network'])
  expect(kinds({ assets: [{ platform: 'Switch' }, { platform: 'Linux' }] })).toEqual(['shell', 'network'])
})

test('[A2.17] system users and applications tell it by their protocol, and SSH leads to machines and to equipment', () => {
  expect(kinds({ systemUsers: [{ protocol: 'ssh' }] })).toEqual(['shell', 'network'])
  expect(kinds({ systemUsers: [{ protocol: 'mysql' }, { protocol: 'redis' }] })).toEqual(['database', 'redis'])
  expect(kinds({ applications: [{ type: 'postgresql' }] })).toEqual(['database'])
  expect(kinds({ applications: [{ type: 'redis' }, { type: 'k8s' }] })).toEqual(['shell', 'redis'])
})
