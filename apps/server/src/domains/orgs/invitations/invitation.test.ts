import type { OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'

let server: TestServer
let org: string
let other: string
/** Administers `org`. */
let boss: Caller
beforeAll(async () => {
  server = await openTestServer()
  org = await server.anOrg('Ours')
  other = await server.anOrg('Theirs')
  boss = await server.aPerson('boss', { orgRoles: ['Admin'], org })
})
afterAll(() => server?.close())

const USERS = '/api/v1/users/users/'
const LIST = '/api/v1/orgs/invitations/'
const OWN = '/api/v1/orgs/own-invitations/'
const stranger = (username: string) => server.aPerson(username, { org: other })
const invite = (caller: Caller, body: unknown) => caller.post(`${USERS}invite/`, body)
const isMember = async (person: Caller) => (await boss.get(`${USERS}${person.id}/`)).status === 200
const open = async (person: Caller) => (await person.get(OWN)).body as { id: string }[]
const answer = async (person: Caller, word: 'accept' | 'decline', id = '') =>
  (await person.post(`${OWN}${id || (await open(person))[0]?.id}/${word}/`)).status
const sent = async (caller: Caller, person: Caller) =>
  (await caller.get(LIST)).body.find(({ user }: { user: string }) => user === person.id)
const messages = async (person: Caller) =>
  (await person.get('/api/v1/notifications/site-message/?limit=20')).body.results.map(
    ({ subject }: { subject: string }) => subject,
  )
const logged = async (text: string) =>
  (await server.admin.in(org).get(`/api/v1/audits/operate-logs/?search=${text}`)).body.map(
    ({ action, resource_type }: { action: string; resource_type: string }) => `${action} ${resource_type}`,
  )
/** The newest row's changes, in a line each. */
const changed = async (text: string) => {
  const [row] = (await server.admin.in(org).get(`/api/v1/audits/operate-logs/?search=${text}`)).body
  return (row.changes as OperateLogChange[]).map(
    ({ label, before, after, added }) => `${label}: ${before} → ${after} + ${added.join(', ')}`,
  )
}

test('[A1.18] an administrator’s invitation is answered as ever, told to the person, and makes a member when it is accepted', async () => {
  const ann = await stranger('ann')
  const rows = [
    { user: ann.id, role: 'User' },
    { user: ann.id, role: 'Auditor' },
  ]
  expect(await invite(boss, rows)).toMatchObject({ status: 201, body: rows })
  expect(await changed('(ann)')).toEqual(['Organization roles: null → Organization auditor, User + '])
  expect(await isMember(ann)).toBe(false)
  expect((await ann.in(org).get('/api/v1/orgs/orgs/current/')).status).toBe(403)
  expect(await open(ann)).toMatchObject([
    { organization: 'Ours', roles: ['Auditor', 'User'], invited_by: 'boss of test(boss)' },
  ])
  expect(await sent(boss, ann)).toMatchObject({ status: 'pending', user_display: 'ann of test(ann)', org_name: 'Ours' })
  expect(await messages(ann)).toEqual(['You are invited to the organization Ours'])

  expect(await answer(ann, 'accept')).toBe(204)
  expect((await boss.get(`${USERS}${ann.id}/`)).body.org_roles).toEqual(['Auditor', 'User'])
  expect([await open(ann), await sent(boss, ann)]).toEqual([[], undefined])
  expect(await logged('(ann)')).toEqual(['create Organization member', 'create Organization invitation'])
  expect(await changed('(ann)')).toEqual(['Organization roles: null → null + Organization auditor, User'])
  expect(await messages(boss)).toEqual(['ann of test (ann) belongs to the organization Ours now'])
})

test('[A1.18] a person who declines is not asked again, no matter how often the organization invites', async () => {
  const bob = await stranger('bob')
  await invite(boss, { user: bob.id })
  expect(await answer(bob, 'decline')).toBe(204)
  expect(await changed('(bob)')).toEqual(['Status: Pending → Declined + '])
  const declined = await sent(boss, bob)
  expect(declined.status).toBe('declined')
  expect((await invite(boss, { user: bob.id, role: 'Admin' })).status).toBe(201)
  expect((await boss.delete(`${LIST}${declined.id}/`)).status).toBe(400)
  expect(await sent(boss, bob)).toEqual(declined)
  expect([await open(bob), await answer(bob, 'accept', declined.id), await isMember(bob)]).toEqual([[], 404, false])
  expect(await messages(bob)).toHaveLength(1)
  expect(await logged('(bob)')).toContain('update Organization invitation')
  expect((await messages(boss))[0]).toBe('bob of test (bob) has declined the invitation to the organization Ours')
})

test('[A1.18] an invitation that was withdrawn counts no more; with a new one the person is not told twice', async () => {
  const cy = await stranger('cy')
  await invite(boss, { user: cy.id, role: 'Admin' })
  const { id } = await sent(boss, cy)
  expect((await boss.delete(`${LIST}${id}/`)).status).toBe(204)
  expect((await boss.delete(`${LIST}${id}/`)).status).toBe(404)
  expect([await sent(boss, cy), await open(cy), await answer(cy, 'accept', id)]).toEqual([undefined, [], 404])
  expect(await logged('(cy)')).toContain('delete Organization invitation')
  await invite(boss, { user: cy.id, role: 'User' })
  expect(await open(cy)).toMatchObject([{ id, roles: ['User'] }])
  expect(await messages(cy)).toHaveLength(1)
})

test('[A1.18] an invitation ends with its time, and with the right of who made it', async () => {
  const dan = await stranger('dan')
  await invite(boss, { user: dan.id })
  const { id } = await sent(boss, dan)
  const { pool } = server.kernel
  await pool.query("UPDATE orgs_invitation SET date_expired = now() - interval '1 second' WHERE id = $1", [id])
  expect([await open(dan), await sent(boss, dan), await answer(dan, 'accept', id)]).toEqual([[], undefined, 404])
  await invite(boss, { user: dan.id })
  expect((await open(dan))[0]?.id).not.toBe(id)
  expect(await messages(dan)).toHaveLength(2)

  const chief = await server.aPerson('chief', { orgRoles: ['Admin'], org })
  const eve = await stranger('eve')
  await invite(chief, { user: eve.id, role: 'Admin' })
  const { id: left } = await sent(boss, eve)
  for (const change of [{ org_roles: ['User'] }, { is_active: false }]) {
    await boss.patch(`${USERS}${chief.id}/`, { org_roles: ['Admin'], is_active: true })
    expect(await open(eve)).toHaveLength(1)
    await boss.patch(`${USERS}${chief.id}/`, change)
    expect([await open(eve), await answer(eve, 'accept', left)]).toEqual([[], 404])
  }
})

test('[A1.18] system administrators bring people in at once, administrators give their own members further roles', async () => {
  const flo = await stranger('flo')
  await invite(boss, { user: flo.id, role: 'Admin' })
  expect((await invite(server.admin.in(org), { user: flo.id })).status).toBe(201)
  expect((await boss.get(`${USERS}${flo.id}/`)).body.org_roles).toEqual(['User'])
  expect([await open(flo), await sent(boss, flo)]).toEqual([[], undefined])
  await invite(boss, { user: flo.id, role: 'Auditor' })
  expect((await boss.get(`${USERS}${flo.id}/`)).body.org_roles).toEqual(['Auditor', 'User'])
})

test('[A6.15] nobody answers, sees or withdraws the invitation of others', async () => {
  const gil = await stranger('gil')
  const hal = await stranger('hal')
  const theirs = await server.aPerson('theirs', { orgRoles: ['Admin'], org: other })
  await invite(boss, { user: gil.id })
  const { id } = await sent(boss, gil)
  for (const caller of [hal, theirs, boss, server.admin]) {
    expect(await answer(caller, 'accept', id)).toBe(404)
    expect(await answer(caller, 'decline', id)).toBe(404)
  }
  expect(await answer(gil, 'accept', 'nonsense')).toBe(404)
  expect([await sent(theirs, gil), (await theirs.delete(`${LIST}${id}/`)).status]).toEqual([undefined, 404])
  expect((await gil.get(LIST)).status).toBe(403)
  expect(await sent(server.admin.in('root'), gil)).toMatchObject({ id, org_name: 'Ours' })
  const both = await Promise.all([answer(gil, 'accept', id), answer(gil, 'decline', id)])
  expect(both.toSorted()).toEqual([204, 404])
})

test('an organization has at most a thousand open invitations; one too many invites nobody', async () => {
  const { pool } = server.kernel
  const busy = await server.anOrg('Busy')
  const chief = await server.aPerson('inviter', { orgRoles: ['Admin'], org: busy })
  await pool.query(
    "INSERT INTO users_user (name, username, email) SELECT 'crowd', 'crowd' || n, n || '@crowd.example' FROM generate_series(1, 1001) n",
  )
  const { rows } = await pool.query<{ id: string }>("SELECT id FROM users_user WHERE name = 'crowd'")
  const all = rows.map(({ id }) => ({ user: id, role: 'User' }))
  expect((await invite(chief, all)).status).toBe(400)
  const count = async () => (await chief.get(`${LIST}?limit=1`)).body.count
  expect(await count()).toBe(0)
  expect((await invite(chief, all.slice(0, 1000))).status).toBe(201)
  expect((await invite(chief, all[1000])).status).toBe(400)
  expect((await invite(chief, all[0])).status).toBe(201)
  expect(await count()).toBe(1000)
})
