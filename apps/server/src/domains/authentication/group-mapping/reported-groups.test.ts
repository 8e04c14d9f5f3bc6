import { expect, test } from 'vitest'
import { boundedGroups, MAX_GROUPS } from './apply.ts'
import { groupsInClaims, groupsInList } from './reported-groups.ts'

const unknown = { unknown: expect.any(String) }

test('groups are the texts of a claim, found by its whole name or by a path', () => {
  expect(groupsInClaims({ groups: ['a', 'b'] }, 'groups')).toEqual(['a', 'b'])
  expect(groupsInClaims({ groups: 'a' }, 'groups')).toEqual(['a'])
  expect(groupsInClaims({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a'])
  expect(groupsInClaims({ 'https://example.com/groups': ['a'] }, 'https://example.com/groups')).toEqual(['a'])
  for (const none of [{}, { groups: null }, { groups: [] }, { realm_access: [] }])
    expect([none, groupsInClaims(none, 'groups'), groupsInClaims(none, 'realm_access.roles')]).toEqual([none, [], []])
  expect(groupsInClaims({ groups: ['a'] }, '')).toEqual([])
})

test('a claim of another shape, or a link in place of the groups, says nothing, and a path leads to own values alone', () => {
  for (const groups of [['a', 1], [{ name: 'a' }], { a: true }, 7, true, [['a']]])
    expect([groups, groupsInClaims({ groups }, 'groups')]).toEqual([groups, unknown])
  const overage = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }
  expect(groupsInClaims(overage, 'groups')).toEqual(unknown)
  expect(groupsInClaims({ ...overage, groups: ['admins'] }, 'groups')).toEqual(unknown)
  expect(groupsInClaims({ hasgroups: true }, 'groups')).toEqual(unknown)
  for (const path of ['constructor.name', '__proto__.polluted', 'toString', 'groups.length', 'groups.0'])
    expect([path, groupsInClaims({ groups: ['admins'] }, path)]).toEqual([path, []])
  expect(groupsInList({ groups: ['a', 'b'] }, 'groups')).toEqual(['a', 'b'])
  expect(groupsInList({}, 'constructor')).toEqual([])
  expect(groupsInList({ 'http://schemas.microsoft.com/claims/groups.link': ['x'], groups: ['a'] }, 'groups')).toEqual(
    unknown,
  )
})

test('100,000 groups are no list that is kept, nor part of one', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `group ${n}`)
  expect(boundedGroups(many)).toBeUndefined()
  expect(boundedGroups(many.slice(0, MAX_GROUPS))).toHaveLength(MAX_GROUPS)
  expect(boundedGroups(['a', 'a', '', 'x'.repeat(1025), 'nul\0'])).toEqual(['a'])
})
