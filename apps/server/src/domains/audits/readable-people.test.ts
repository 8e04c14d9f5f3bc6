import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'

let server: TestServer
let here: string
let there: string
let boss: Caller
beforeAll(async () => {
  server = await openTestServer()
  here = await server.anOrg('Here')
  there = await server.anOrg('There')
  boss = await server.aPerson('boss', { orgRoles: ['Admin'], org: here })
})
afterAll(() => server?.close())

const LISTS = ['login-logs', 'password-change-logs', 'sign-ins'] as const

/** How many rows about a person each list has for the caller. */
async function countsOf(caller: Caller, username: string): Promise<number[]> {
  const counts: number[] = []
  for (const list of LISTS) {
    const { status, body } = await caller.get(`/api/v1/audits/${list}/?search=${username}&limit=10`)
    expect([list, status]).toEqual([list, 200])
    counts.push(body.count)
  }
  return counts
}
const join = async (org: string, person: Caller) =>
  expect((await server.admin.in(org).post('/api/v1/users/users/invite/', { user: person.id })).status).toBe(201)
const leave = async (org: string, person: Caller) =>
  expect((await server.admin.in(org).post(`/api/v1/users/users/${person.id}/remove/`)).status).toBe(204)

test('[A1.18] how people sign in who belong to two organizations is read by who administers or audits both, and by system auditors', async () => {
  const ann = await server.aPerson('ann', { org: here })
  await server.admin.in(here).patch(`/api/v1/users/users/${ann.id}/`, { password: `${PASSWORD}!` })
  await server.signIn('ann', `${PASSWORD}!`, here)
  const [logins = 0, changes = 0, signIns = 0] = await countsOf(boss, 'ann')
  expect([logins > 0, changes > 0, signIns > 0]).toEqual([true, true, true])

  // From now on: what was before stays with the organization that it was in.
  await join(there, ann)
  await server.admin.in('root').patch(`/api/v1/users/users/${ann.id}/`, { password: `${PASSWORD}?` })
  await server.signIn('ann', `${PASSWORD}?`, here)
  expect(await countsOf(boss, 'ann')).toEqual([logins, changes, 0])
  const both = await server.aPerson('both', { orgRoles: ['Auditor'], org: here })
  expect(await countsOf(both, 'ann')).toEqual([logins, changes, 0])
  await server.admin.in(there).post('/api/v1/users/users/invite/', { user: both.id, role: 'Auditor' })
  expect((await countsOf(both, 'ann')).slice(0, 2)).toEqual([logins + 1, changes + 1])
  const overseer = await server.aPerson('overseer', { role: 'Auditor' })
  for (const caller of [server.admin.in(here), server.admin.in('root')])
    expect((await countsOf(caller, 'ann')).slice(0, 2)).toEqual([logins + 1, changes + 1])
  for (const caller of [server.admin.in(there), overseer.in(there)])
    expect((await countsOf(caller, 'ann')).slice(0, 2)).toEqual([1, 1])

  await leave(there, ann)
  expect((await countsOf(boss, 'ann')).slice(0, 2)).toEqual([logins, changes])
  expect((await countsOf(boss, 'ann'))[2]).toBeGreaterThan(0)
})

test('[A1.18] what people did before they joined is not the organization’s to read, whatever role they have there later', async () => {
  const eve = await server.aPerson('eve', { org: there })
  await server.admin.in(there).patch(`/api/v1/users/users/${eve.id}/`, { password: `${PASSWORD}!` })
  await join(here, eve)
  await leave(there, eve)
  const [logins, changes] = await countsOf(boss, 'eve')
  expect([logins, changes]).toEqual([0, 0])
  await server.signIn('eve', `${PASSWORD}!`, here)
  expect((await countsOf(boss, 'eve'))[0]).toBe(1)
  expect((await boss.patch(`/api/v1/users/users/${eve.id}/`, { org_roles: ['Auditor'] })).status).toBe(200)
  expect((await countsOf(boss, 'eve'))[0]).toBe(1)
})

test('[A1.18] people read their own sign-ins wherever they audit', async () => {
  const own = await server.aPerson('selfish', { orgRoles: ['Admin'], org: here })
  await join(there, own)
  expect((await countsOf(own, 'selfish'))[0]).toBeGreaterThan(0)
})

test('[A1.18] the rows of a person who is renamed, leaves or is deleted stay in the organization and in root, and nobody gets them by name', async () => {
  const kim = await server.aPerson('kim', { org: here })
  await server.admin.in(here).patch(`/api/v1/users/users/${kim.id}/`, { password: `${PASSWORD}!` })
  await server.signIn('kim', `${PASSWORD}!`, here)
  const rows = async (caller: Caller, list: string) => {
    const { body } = await caller.get(`/api/v1/audits/${list}/?search=kim&limit=50`)
    return body.results as { user_id: string; user?: string; username?: string }[]
  }
  const root = server.admin.in('root')
  const kept = async (caller: Caller) => {
    const lists = await Promise.all(['login-logs', 'password-change-logs'].map((list) => rows(caller, list)))
    return lists.map((list) => list.filter(({ user_id }) => user_id === kim.id).length)
  }
  const before = await kept(boss)
  expect(before.every((count) => count > 0)).toBe(true)
  const still = async () => expect([await kept(boss), await kept(root)]).toEqual([before, before])
  await still()
  expect(
    (await root.patch(`/api/v1/users/users/${kim.id}/`, { name: 'Lee', username: 'lee', email: 'lee@example.com' }))
      .status,
  ).toBe(200)
  await still()
  expect((await rows(boss, 'password-change-logs'))[0]).toMatchObject({ user: expect.stringContaining('(kim)') })
  // Another who gets the name has none of it.
  const other = await server.aPerson('kim', { org: there })
  const elsewhere = await server.aPerson('chief', { orgRoles: ['Admin'], org: there })
  for (const list of ['login-logs', 'password-change-logs'])
    expect((await rows(elsewhere, list)).filter(({ user_id }) => user_id !== other.id)).toEqual([])
  expect((await rows(boss, 'login-logs')).every(({ user_id }) => user_id === kim.id)).toBe(true)
  await root.delete(`/api/v1/users/users/${other.id}/`)
  await leave(here, kim)
  await still()
  expect((await root.delete(`/api/v1/users/users/${kim.id}/`)).status).toBe(204)
  await still()
})
