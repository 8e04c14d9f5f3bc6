/** Undo of what people are part of, and of what they change about themselves. */
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { changeOf, ok, undoBy } from './undo-fixture.ts'

const USERS = '/api/v1/users/users/'
const GROUPS = '/api/v1/users/groups/'
const GRANTS = '/api/v1/perms/asset-permissions/'
const MEMBERS = '/api/v1/orgs/org-member-relation/'
const PROFILE = '/api/v1/users/profile/'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt me@home'

let server: TestServer
let admin: Caller
let boss: Caller
beforeAll(async () => {
  server = await openTestServer()
  admin = server.admin
  boss = await server.aPerson('boss-of-people', { orgRoles: ['Admin'] })
})
afterAll(() => server?.close())

const undo = (answer: Answer | string, body: unknown = {}, caller = boss) => undoBy(caller, answer, body)
const memberships = async (user: string, org = DEFAULT_ORG_ID) =>
  (
    await server.kernel.pool.query<{ id: string; role: string }>(
      'SELECT id, role FROM orgs_member WHERE "user" = $1 AND org = $2 ORDER BY role',
      [user, org],
    )
  ).rows

/** A member with a group and a permission. */
async function aMember(name: string) {
  const person = await server.aPerson(name, { orgRoles: ['User'] })
  const group = ok(await boss.post(GROUPS, { name: `group of ${name}`, users: [person.id] }))
  const grant = ok(await boss.post(GRANTS, { name: `grant of ${name}`, users: [person.id] }))
  const has = async () => [
    (await memberships(person.id)).map(({ id }) => id),
    (await boss.get(`${GROUPS}${group.id}/`)).body.users,
    (await boss.get(`${GRANTS}${grant.id}/`)).body.users,
  ]
  return { person, has, before: await has() }
}

test('people who were taken out of an organization are members again, with their groups and permissions', async () => {
  const [one, two, three] = [await aMember('left-1'), await aMember('left-2'), await aMember('left-3')]
  const alone = await boss.post(`${USERS}${one.person.id}/remove/`)
  expect(await one.has()).toEqual([[], [], []])
  expect((await boss.get(`/api/v1/audits/undo/${changeOf(alone)}/`)).body).toMatchObject({
    is_possible: true,
    total: 1,
  })
  expect(await one.has(), 'looking changes nothing').toEqual([[], [], []])
  const undone = await undo(alone)
  expect(undone).toMatchObject({ status: 200, body: { is_possible: true } })
  expect(await one.has()).toEqual(one.before)
  expect((await undo(undone)).status, 'and that is a change itself').toBe(200)
  expect(await one.has()).toEqual([[], [], []])
  const many = await boss.post(`${USERS}remove/?ids=${two.person.id},${three.person.id}`)
  expect(await two.has()).toEqual([[], [], []])
  expect(await undo(many)).toMatchObject({ status: 200, body: { total: 2, left: 0 } })
  expect([await two.has(), await three.has()]).toEqual([two.before, three.before])
})

test('a person who was taken out is brought back by the one who did it, or by a system administrator, and by nobody else', async () => {
  const { person, has, before } = await aMember('left-4')
  const gone = await boss.post(`${USERS}${person.id}/remove/`)
  const other = await server.aPerson('other-boss', { orgRoles: ['Admin'] })
  const member = await server.aPerson('mere-member', { orgRoles: ['User'] })
  const elsewhere = await server.anOrg('Elsewhere for people')
  const far = await server.aPerson('far-boss', { orgRoles: ['Admin'], org: elsewhere })
  expect((await undo(gone, {}, other)).status).toBe(403)
  for (const who of [member, far]) expect((await undo(gone, {}, who)).status).toBe(404)
  expect(await has()).toEqual([[], [], []])
  expect((await undo(gone, {}, admin)).status).toBe(200)
  expect(await has()).toEqual(before)
})

test('people who were added by a system administrator leave again, with what they got there since', async () => {
  const elsewhere = await server.anOrg('Adds people')
  const person = await server.aPerson('comes-and-goes', { orgRoles: ['User'] })
  const there = admin.in(elsewhere)
  const added = await there.post(`${USERS}invite/`, { user: person.id, role: 'Auditor' })
  expect(await memberships(person.id, elsewhere)).toMatchObject([{ role: 'Auditor' }])
  const group = ok(await there.post(GROUPS, { name: 'since', users: [person.id] }))
  expect((await undo(added, {}, there)).status).toBe(200)
  expect(await memberships(person.id, elsewhere)).toEqual([])
  expect((await there.get(`${GROUPS}${group.id}/`)).body.users).toEqual([])
  expect(await memberships(person.id), 'other organizations are not meant').toMatchObject([{ role: 'User' }])
})

test('memberships by any other call are as before: rows of members, old addresses, roles and groups of a person', async () => {
  const { person, has, before } = await aMember('moves-about')
  const rolesOf = async () => (await memberships(person.id)).map(({ role }) => role)
  const [[membership = ''] = []] = before as string[][]
  const calls: [string, () => Promise<Answer>][] = [
    ['a row of a member is deleted', () => admin.delete(`${MEMBERS}${membership}/`)],
    [
      'an old address of users',
      () => admin.delete(`/api/v1/orgs/orgs/${DEFAULT_ORG_ID}/membership/users/${person.id}/`),
    ],
    ['a role more', () => admin.post(MEMBERS, { org: DEFAULT_ORG_ID, user: person.id, role: 'Auditor' })],
    ['other roles', () => admin.patch(`${USERS}${person.id}/`, { org_roles: ['Auditor'] })],
    ['no group', () => boss.patch(`${USERS}${person.id}/`, { groups: [] })],
  ]
  for (const [name, call] of calls) {
    const answer = await call()
    expect(await undo(answer, {}, admin), name).toMatchObject({ status: 200 })
    expect([await rolesOf(), (await has()).slice(1)], name).toEqual([['User'], before.slice(1)])
  }
})

test('rows of several members that were deleted by one call come back with what ended with them', async () => {
  const [one, two] = [await aMember('row-1'), await aMember('row-2')]
  const rows = [...(await memberships(one.person.id)), ...(await memberships(two.person.id))].map(({ id }) => id)
  const gone = await admin.delete(`${MEMBERS}?ids=${rows.join()}`)
  expect([await one.has(), await two.has()]).toEqual([
    [[], [], []],
    [[], [], []],
  ])
  expect(await undo(gone, {}, admin)).toMatchObject({ status: 200, body: { total: 2 } })
  expect([await one.has(), await two.has()]).toEqual([one.before, two.before])
})

test('a link of a person and a group that was made or taken by a call of its own is as before', async () => {
  const person = await server.aPerson('linked-person', { orgRoles: ['User'] })
  const group = ok(await boss.post(GROUPS, { name: 'linked group' }))
  const links = '/api/v1/users/users-groups-relations/'
  const usersOf = async () => (await boss.get(`${GROUPS}${group.id}/`)).body.users
  expect((await undo(await boss.post(links, { user: person.id, usergroup: group.id }))).status).toBe(200)
  expect(await usersOf()).toEqual([])
  const link = ok(await boss.post(links, { user: person.id, usergroup: group.id }))
  expect((await undo(await boss.delete(`${links}${link.id}/`))).status).toBe(200)
  expect(await usersOf()).toEqual([person.id])
})

test('people take back what they changed about themselves, and nothing of their keys and second factors', async () => {
  const person = await server.aPerson('about-me')
  ok(await person.patch(PROFILE, { phone: '13900000001', comment: 'first' }))
  const changed = await person.patch(PROFILE, {
    phone: '13900000002',
    comment: 'second',
    public_key: KEY,
    mfa_level: 1,
  })
  const mine = async () => {
    const { phone, comment, mfa_level, public_key_comment } = (await person.get(PROFILE)).body
    return { phone, comment, mfa_level, public_key_comment }
  }
  const kept = { mfa_level: 1, public_key_comment: 'me@home' }
  expect(await mine()).toEqual({ phone: '13900000002', comment: 'second', ...kept })
  const stranger = await server.aPerson('not-me')
  expect((await undo(changed, {}, stranger)).status).toBe(404)
  expect((await person.get(`/api/v1/audits/undo/${changeOf(changed)}/`)).body).toMatchObject({ is_possible: true })
  expect((await undo(changed, {}, person)).status).toBe(200)
  expect(await mine()).toEqual({ phone: '13900000001', comment: 'first', ...kept })
  const log = (await admin.get(`/api/v1/audits/operate-logs/?object_id=${person.id}&limit=1`)).body.results
  expect(log[0].changes.map(({ field }: { field: string }) => field).sort()).toEqual(['comment', 'phone'])
  const key = await person.put(`${PROFILE}public-key/`, { public_key: KEY })
  expect([key.status, key.headers['x-change']], 'nothing is kept of a key').toEqual([200, undefined])
})

test('a field of the profile that has changed since is asked about; nobody puts more back by that way', async () => {
  const person = await server.aPerson('about-me-too')
  const first = await person.patch(PROFILE, { comment: 'one', wechat: 'w1' })
  ok(await person.patch(PROFILE, { comment: 'two' }))
  expect(await undo(first, {}, person)).toMatchObject({
    status: 409,
    body: { objects: [{ conflicts: [{ field: 'comment', now: 'two' }] }] },
  })
  expect((await undo(first, { keep: ['comment'] }, person)).status).toBe(200)
  expect((await person.get(PROFILE)).body).toMatchObject({ comment: 'two', wechat: '' })
  // A person who administered once, and changed their own row then, may not put it back as a mere member.
  const was = await server.aPerson('was-boss', { orgRoles: ['Admin'] })
  const renamed = await was.patch(`${USERS}${was.id}/`, { name: 'Renamed' })
  ok(await admin.patch(`${USERS}${was.id}/`, { org_roles: ['User'] }))
  expect((await undo(renamed, {}, was)).status).toBe(403)
  expect((await admin.get(`${USERS}${was.id}/`)).body.name).toBe('Renamed')
})

test('the channels by which a person hears are as before', async () => {
  const person = await server.aPerson('hears')
  const path = `/api/v1/notifications/user-msg-subscription/${person.id}/`
  ok(await person.patch(path, { receive_backends: ['site_msg'] }))
  const changed = await person.patch(path, { receive_backends: ['site_msg', 'email'] })
  expect((await undo(changed, {}, person)).status).toBe(200)
  expect((await person.get(path)).body.receive_backends).toEqual(['site_msg'])
})
