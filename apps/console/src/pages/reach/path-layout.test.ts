import type { AccessPath } from '@sallyport/contract/resources/perms/access-person.ts'
import { expect, test } from 'vitest'
import { layOut } from './path-layout.ts'

const named = (id: string) => ({ id, name: id })
const path = (part: Partial<AccessPath>): AccessPath => ({
  ...{ user: named('ann'), user_group: null, permission: { ...named('web'), family: 'asset' }, node: null },
  target: { ...named('web-1'), family: 'asset', category: null },
  ...{ system_users: [named('root')], databases: [], date_expired: '2096-01-01T00:00:00Z' },
  ...part,
})

test('each name is there once, in columns that have any, and a path has a place in the ones that it leaves out', () => {
  const { columns, nodes, edges, rows } = layOut([
    path({}),
    path({ user: named('bob'), user_group: named('ops'), system_users: [named('root'), named('deploy')] }),
  ])
  expect(columns).toEqual(['user', 'user_group', 'permission', 'target', 'system_user'])
  expect(nodes.map(({ key, column }) => [key, column])).toEqual([
    ['user ann', 0],
    ['user_group ann web', 1],
    ['permission web', 2],
    ['target web-1', 3],
    ['system_user root', 4],
    ['user bob', 0],
    ['user_group ops', 1],
    ['system_user deploy', 4],
  ])
  expect(nodes.filter(({ isPassed }) => isPassed).map(({ key }) => key)).toEqual(['user_group ann web'])
  expect(edges.map(({ key }) => key)).toContain('user_group ann web permission web')
  expect(rows).toBe(2)
  // One way for each account: a name shows the paths over it.
  expect([...(nodes.find(({ key }) => key === 'system_user root')?.paths ?? [])]).toEqual([0, 1])
})

test('names are beside those that lead to them, so that lines do not cross', () => {
  const people = ['ann', 'bob', 'cy']
  const { nodes } = layOut(
    [...people, ...[...people].reverse()].map((id) =>
      path({ user: named(id), permission: { ...named(`of ${id}`), family: 'asset' } }),
    ),
  )
  const order = (stop: string) => nodes.filter((node) => node.stop === stop).sort((a, b) => a.row - b.row)
  expect(order('user').map(({ id }) => id)).toEqual(people)
  expect(order('permission').map(({ id }) => id)).toEqual(people.map((id) => `of ${id}`))
})

test('without a target the paths end at the permission, since nothing says which accounts fit', () => {
  expect(layOut([path({ target: null })]).columns).toEqual(['user', 'permission'])
})
