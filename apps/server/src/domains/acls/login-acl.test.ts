import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { licenseSettings } from '../../../test/license.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { judgeLogin } from './login-rule.ts'

const PATH = '/api/v1/acls/login-acls/'

let server: TestServer
let person: Caller
let orgAdmin: Caller
beforeAll(async () => {
  server = await openTestServer(licenseSettings(30))
  person = await server.aPerson('ruled')
  orgAdmin = await server.aPerson('ruler', { orgRoles: ['Admin'] })
})
afterAll(() => server?.close())
beforeEach(() => server.kernel.pool.query('DELETE FROM acls_login_acl'))

const draft = (more: object = {}) => ({
  name: 'office hours',
  user: person.id,
  rules: { ip_group: ['10.0.0.0/8'], time_period: [{ id: 1, value: '09:00~18:00' }] },
  reviewers: [],
  ...more,
})

test('[A3.19] a login rule is made, read, changed and deleted, with the names of its people in words', async () => {
  const made = await orgAdmin.post(PATH, draft({ action: 'confirm', reviewers: [orgAdmin.id] }))
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      priority: 50,
      action: 'confirm',
      action_display: 'Login confirm',
      is_active: true,
      user_display: 'ruled',
      reviewers_amount: 1,
    },
  ])
  expect(made.body.reviewers_display).toBe('ruler of test(ruler)')
  const address = `${PATH}${made.body.id}/`
  expect((await orgAdmin.patch(address, { priority: 7 })).body).toMatchObject({
    priority: 7,
    rules: made.body.rules,
    action: 'confirm',
  })
  expect((await orgAdmin.get(`${address}?user=${person.id}`)).body.rules).toEqual(draft().rules)
  expect((await orgAdmin.delete(address)).status).toBe(204)
})

test('[A3.19] a rule that needs confirming names who confirms', async () => {
  const refused = { status: 400, body: { reviewers: ['Choose who confirms'] } }
  expect(await orgAdmin.post(PATH, draft({ action: 'confirm' }))).toMatchObject(refused)
  const made = await orgAdmin.post(PATH, draft({ action: 'reject' }))
  const address = `${PATH}${made.body.id}/`
  expect(await orgAdmin.patch(address, { action: 'confirm' })).toMatchObject(refused)
  expect((await orgAdmin.patch(address, { action: 'confirm', reviewers: [orgAdmin.id] })).status).toBe(200)
  expect(await orgAdmin.patch(address, { reviewers: [] })).toMatchObject(refused)
  expect((await orgAdmin.patch(address, { priority: 9 })).body).toMatchObject({ reviewers_amount: 1 })
  expect((await orgAdmin.delete(address)).status).toBe(204)
})

test('[A6.15] reading requires the person of the rules: 403 without one, and for people who are no members here', async () => {
  const elsewhere = await server.anOrg('Elsewhere')
  const stranger = await server.aPerson('stranger', { org: elsewhere })
  const { id } = (await orgAdmin.post(PATH, draft())).body
  for (const query of [
    '',
    `?user=${stranger.id}`,
    '?user=x',
    '?user=00000000-0000-4000-8000-000000000001',
    '?format=csv',
  ])
    for (const path of [PATH, `${PATH}${id}/`])
      expect(`${path}${query} ${(await orgAdmin.get(path + query)).status}`).toBe(`${path}${query} 403`)
  expect((await orgAdmin.get(`${PATH}?user=${person.id}`)).body.map?.((row: { id: string }) => row.id) ?? []).toEqual([
    id,
  ])
  expect((await person.get(`${PATH}?user=${person.id}`)).status).toBe(403)
  expect((await server.admin.get(`${PATH}?user=${stranger.id}`)).status, 'no member here, whoever asks').toBe(403)
  expect((await server.admin.in('root').get(`${PATH}?user=${stranger.id}`)).status, 'in root, anybody').toBe(200)
  await server.kernel.pool.query('DELETE FROM orgs_member WHERE "user" = $1', [stranger.id])
  expect((await orgAdmin.get(`${PATH}?user=${stranger.id}`)).status, 'member of nothing').toBe(403)
})

test('[A6.15] nobody writes rules about people of whom they do not decide how they sign in', async () => {
  const elsewhere = await server.anOrg('Third')
  const foreignAdmin = await server.aPerson('foreign-ruler', { orgRoles: ['Admin'], org: elsewhere })
  const auditor = await server.aPerson('overseer', { role: 'Auditor' })
  expect((await foreignAdmin.post(PATH, draft())).status).toBe(400)
  const { id } = (await orgAdmin.post(PATH, draft())).body
  expect((await foreignAdmin.patch(`${PATH}${id}/`, { is_active: false })).status).toBe(404)
  expect((await foreignAdmin.delete(`${PATH}${id}/`)).status).toBe(404)
  expect((await orgAdmin.post(PATH, draft({ user: auditor.id }))).status).toBe(403)
  const { body: own } = await server.admin.post(PATH, draft({ user: auditor.id }))
  expect((await orgAdmin.delete(`${PATH}${own.id}/`)).status).toBe(403)
  expect((await orgAdmin.patch(`${PATH}${id}/`, { user: auditor.id })).status).toBe(403)
  // The person now also belongs to an organization of somebody else.
  await server.kernel.pool.query(`INSERT INTO orgs_member (org, "user", role) VALUES ($1, $2, 'User')`, [
    elsewhere,
    person.id,
  ])
  try {
    expect((await orgAdmin.patch(`${PATH}${id}/`, { is_active: false })).status).toBe(403)
    expect((await orgAdmin.delete(`${PATH}${id}/`)).status).toBe(403)
    expect((await orgAdmin.get(`${PATH}?user=${person.id}`)).status).toBe(403)
    expect((await server.admin.get(`${PATH}?user=${person.id}`)).status).toBe(200)
  } finally {
    await server.kernel.pool.query('DELETE FROM orgs_member WHERE org = $1 AND "user" = $2', [elsewhere, person.id])
  }
})

test.each([
  ['*', true],
  ['192.168.10.1', true],
  ['2001:db8:2de::e13', true],
  ['192.168.1.0/24', true],
  ['2001:db8:1a:1110::/64', true],
  ['10.1.1.1-10.1.1.20', true],
  ['10.1.1.20-10.1.1.1', true],
  ['192.168.1.7/24', false],
  ['10.1.1.1-2001:db8::1', false],
  ['db.example.com', false],
  ['10.1.1', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/0008', false],
  ['10/8', false],
  ['', false],
])('[A3.19] address %j is taken: %s; a refusal names its place in the list', async (entry, taken) => {
  const { status, body } = await orgAdmin.post(PATH, draft({ rules: { ip_group: ['*', entry], time_period: [] } }))
  expect(status).toBe(taken ? 201 : 400)
  if (!taken) expect(body).toEqual({ rules: { ip_group: [[], [`IP address invalid: \`${entry}\``]] } })
})

test.each([
  [[{ id: 0, value: '00:00~00:00' }], 201],
  [[{ id: 3, value: '08:30~12:00、13:00~00:00' }], 201],
  [[{ id: 3, value: '' }], 201],
  [[{ id: 7, value: '08:00~09:00' }], 400],
  [[{ id: 1, value: '18:00~09:00' }], 400],
  [[{ id: 1, value: '8:00~9:00' }], 400],
  [[{ id: 1, value: 'always' }], 400],
  [[{ id: 1 }], 400],
  ['09:00~18:00', 400],
])('[A3.19] times %j answer %i', async (time_period, status) => {
  expect((await orgAdmin.post(PATH, draft({ rules: { ip_group: ['*'], time_period } }))).status).toBe(status)
})

test('[A3.19] the rules of a person go with the person', async () => {
  const leaver = await server.aPerson('leaver')
  await orgAdmin.post(PATH, draft({ user: leaver.id }))
  expect((await server.admin.delete(`/api/v1/users/users/${leaver.id}/`)).status).toBe(204)
  const { rows } = await server.kernel.pool.query('SELECT count(*) FROM acls_login_acl')
  expect(Number(rows[0].count)).toBe(0)
})

test('[A3.19] confirming needs a license: it is neither offered nor taken without one, and a stored rule may still be changed', async () => {
  const plain = await openTestServer(licenseSettings())
  try {
    const { admin } = plain
    const { body } = await admin.options(PATH)
    expect(body.actions.POST.action.choices.map(({ value }: { value: string }) => value)).toEqual(['reject', 'allow'])
    const made = await admin.post(PATH, draft({ user: admin.id }))
    expect((await admin.post(PATH, draft({ user: admin.id, action: 'confirm' }))).body).toEqual({
      action: ['This needs a valid license.'],
    })
    expect((await admin.patch(`${PATH}${made.body.id}/`, { action: 'confirm' })).status).toBe(400)
    await plain.kernel.pool.query(`UPDATE acls_login_acl SET action = 'confirm'`)
    expect((await admin.patch(`${PATH}${made.body.id}/`, { action: 'confirm', priority: 3 })).status).toBe(200)
  } finally {
    await plain.close()
  }
})

test('a rule refuses the person it is about, from other addresses alone, and nobody else', async () => {
  const now = new Date()
  const other = await server.aPerson('unruled')
  expect(
    (await orgAdmin.post(PATH, draft({ action: 'reject', rules: { ip_group: ['10.0.0.0/8'], time_period: [] } })))
      .status,
  ).toBe(201)
  const refusal = async (userId: string, address: string) =>
    (await judgeLogin(server.kernel.db, { userId, address, now })).refusal
  expect(await refusal(person.id, '10.1.2.3')).toBe('ip')
  expect(await refusal(person.id, '192.0.2.1')).toBe(undefined)
  expect(await refusal(other.id, '10.1.2.3')).toBe(undefined)
})

const REACH = '/api/v1/acls/login-asset-acls/reach/'
/** Names of whom and what a rule with these groups would meet. */
async function reached(groups: object) {
  const { status, body } = await orgAdmin.post(REACH, groups)
  expect([status, body]).toMatchObject([200, {}])
  return body as Record<'users' | 'assets' | 'system_users', { count: number; names: string[] }>
}

test('before an asset rule is saved it says whom and what it would meet now, by the rules of matching', async () => {
  const machines = ['10.1.1.5', '10.1.2.5', '2001:db8::5', 'db.example.com']
  for (const [at, ip] of machines.entries()) {
    const made = await orgAdmin.post('/api/v1/assets/assets/', {
      hostname: `m${at}`,
      ip,
      platform: 'Linux',
      protocols: ['ssh/22'],
    })
    expect([made.status, made.body]).toMatchObject([201, {}])
  }
  const accounts = [
    { name: 'deploy', username: 'deploy', protocol: 'ssh' },
    { name: 'own', username: '', username_same_with_user: true, protocol: 'ssh' },
    { name: 'desk', username: 'desk', protocol: 'rdp' },
  ]
  for (const account of accounts) {
    const made = await orgAdmin.post('/api/v1/assets/system-users/', { ...account, login_mode: 'auto', type: 'common' })
    expect([made.status, made.body]).toMatchObject([201, {}])
  }
  const all = await reached({})
  expect([all.users.names, all.assets.count]).toMatchObject([expect.arrayContaining(['ruled of test(ruled)']), 4])
  const of = async (ip_group: string[], hostname_group = ['*']) =>
    (await reached({ assets: { ip_group, hostname_group } })).assets.names
  expect(await of(['10.1.1.0/24'])).toEqual(['m0(10.1.1.5)'])
  expect(await of(['10.1.1.77/24'])).toEqual(['m0(10.1.1.5)'])
  expect(await of(['10.1.2.9-10.1.1.1'])).toEqual(['m0(10.1.1.5)', 'm1(10.1.2.5)'])
  expect(await of(['::ffff:10.1.2.5', '2001:0db8:0::5'])).toEqual(['m1(10.1.2.5)', 'm2(2001:db8::5)'])
  expect(await of(['db.example.com', '10.1.1', 'fe80::1%eth0', '10/99', '-', ''])).toEqual(['m3(db.example.com)'])
  expect(await of(['10.0.0.0/8'], ['m1', 'M0'])).toEqual(['m1(10.1.2.5)'])
  expect(await of([])).toEqual([])
  const users = await reached({ users: { username_group: ['ruled', 'nobody'] } })
  expect(users.users).toEqual({ count: 1, names: ['ruled of test(ruled)'] })
  const as = async (system_users: object) => (await reached({ system_users })).system_users.names
  expect(await as({ protocol_group: ['rdp'] })).toEqual(['desk'])
  expect(await as({ username_group: ['deploy'], protocol_group: ['ssh'] })).toEqual(['deploy', 'own'])
  expect((await orgAdmin.post(REACH, { assets: { ip_group: 'all' } })).status).toBe(400)
  expect((await orgAdmin.post(REACH, { assets: { ip_group: ['a\u0000b'] } })).status).toBeLessThan(500)
  expect((await person.post(REACH, {})).status).toBe(403)
})
