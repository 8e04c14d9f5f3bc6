import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'

let server: TestServer
let org: string
let other: string
/** Administrator of `org` only. */
let boss: Caller
beforeAll(async () => {
  server = await openTestServer()
  org = await server.anOrg('Ours')
  other = await server.anOrg('Theirs')
  boss = await server.aPerson('boss', { orgRoles: ['Admin'], org })
})
afterAll(() => server?.close())

const USERS = '/api/v1/users/users/'
let counter = 0
const draft = (more: object = {}) => {
  const username = `person${++counter}`
  return { name: `Person ${counter}`, username, email: `${username}@example.com`, ...more }
}
const canSignIn = async (username: string, password: string) =>
  (await server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })).status === 201

test('[A3.20] a person made in an organization is its member, with every field of a person and nothing secret', async () => {
  const { status, body } = await boss.post(
    USERS,
    draft({ phone: '13800138000', wechat: 'w', comment: 'c', public_key: '' }),
  )
  expect(status).toBe(201)
  expect(body).toMatchObject({
    role: 'User',
    role_display: 'User',
    org_roles: ['User'],
    org_role_display: 'User',
    total_role_display: 'User',
    source: 'local',
    source_display: 'Local',
    mfa_level: 0,
    mfa_level_display: 'Disabled',
    mfa_enabled: false,
    is_active: true,
    is_valid: true,
    is_expired: false,
    is_first_login: true,
    can_update: true,
    can_delete: true,
    login_blocked: false,
    need_update_password: false,
    groups: [],
    groups_display: '',
    last_login: null,
    created_by: 'boss of test',
  })
  expect(new Date(body.date_expired.replace(/(\d)\/(\d)/g, '$1-$2')).getFullYear()).toBe(
    new Date(Date.now() + 25_550 * 86_400_000).getFullYear(),
  )
  // system_or_org_role is in metadata only, to feed a filter.
  const readable = Object.entries(user.fields).filter(
    ([name, field]) => !('writeOnly' in field) && name !== 'system_or_org_role',
  )
  expect(Object.keys(body).sort()).toEqual(readable.map(([name]) => name).sort())
})

test('[A3.20] without the custom strategy no password works until one is set', async () => {
  const { body } = await boss.post(USERS, draft({ password: PASSWORD }))
  expect(await canSignIn(body.username, PASSWORD)).toBe(false)
  expect(body.date_password_last_updated).toBeNull()
  const set = await boss.patch(`${USERS}${body.id}/`, { password: PASSWORD })
  expect([set.status, set.body]).toEqual([200, (await boss.get(`${USERS}${body.id}/`)).body])
  expect(set.body.date_password_last_updated).toEqual(expect.any(String))
  expect(await canSignIn(body.username, PASSWORD)).toBe(true)
})

test('[A5.04] a password that breaks the rules is refused on its field and nothing is stored', async () => {
  const weak = draft({ password_strategy: 'custom', password: 'abc' })
  expect(await boss.post(USERS, weak)).toMatchObject({ status: 400, body: { password: [expect.any(String)] } })
  expect((await boss.get(`${USERS}?username=${weak.username}`)).body).toEqual([])
})

test('[B7.03] bad input is reported by field', async () => {
  const { body: taken } = await boss.post(USERS, draft())
  const cases: [object, string][] = [
    [draft({ name: undefined }), 'name'],
    [draft({ username: '' }), 'username'],
    [draft({ email: 'nobody' }), 'email'],
    [draft({ phone: '12345' }), 'phone'],
    [draft({ username: taken.username }), 'username'],
    [draft({ email: taken.email }), 'email'],
    [draft({ mfa_level: 7 }), 'mfa_level'],
    [draft({ source: 'moon' }), 'source'],
    [draft({ role: 'App' }), 'role'],
    [draft({ org_roles: ['King'] }), 'org_roles'],
    [draft({ public_key: 'no key' }), 'public_key'],
    [draft({ date_expired: 'tomorrow' }), 'date_expired'],
    [draft({ date_expired: '0026-11-21' }), 'date_expired'],
    [draft({ groups: ['00000000-0000-0000-0000-00000000abcd'] }), 'groups'],
    [draft({ name: 'x'.repeat(129) }), 'name'],
    [draft({ username: 'a\0b' }), 'username'],
  ]
  for (const [body, field] of cases) {
    const answer = await boss.post(USERS, body)
    expect([answer.status, Object.keys(answer.body), body]).toEqual([400, [field], body])
  }
})

test('[A4.26] PATCH touches what is sent, PUT resets the rest to its defaults', async () => {
  const made = (
    await server.admin
      .in(org)
      .post(
        USERS,
        draft({ role: 'Auditor', org_roles: ['Admin'], mfa_level: 1, comment: 'c', wechat: 'w', is_active: false }),
      )
  ).body
  const path = `${USERS}${made.id}/`
  const admin = server.admin.in(org)
  expect((await admin.patch(path, { comment: 'd' })).body).toMatchObject({
    role: 'Auditor',
    org_roles: ['Admin'],
    mfa_level: 1,
    comment: 'd',
    wechat: 'w',
    is_active: false,
  })
  const { name, username, email } = made
  expect((await admin.put(path, { name, username, email })).body).toMatchObject({
    role: 'User',
    org_roles: ['User'],
    mfa_level: 0,
    is_active: true,
    source: 'local',
    need_update_password: false,
  })
  expect(await admin.put(path, { name })).toMatchObject({
    status: 400,
    body: { username: [expect.any(String)], email: [expect.any(String)] },
  })
})

test('system roles are for system administrators to give', async () => {
  expect(await boss.post(USERS, draft({ role: 'Admin' }))).toMatchObject({
    status: 400,
    body: { role: [expect.any(String)] },
  })
  const { body } = await boss.post(USERS, draft())
  for (const role of ['Admin', 'Auditor']) expect((await boss.patch(`${USERS}${body.id}/`, { role })).status).toBe(400)
  expect((await boss.patch(`${USERS}${boss.id}/`, { role: 'Admin' })).status).toBe(400)
  const offered = (await boss.options(USERS)).body.actions.POST.role.choices.map(
    (choice: { value: string }) => choice.value,
  )
  expect(offered).toEqual(['User'])
  expect((await server.admin.options(USERS)).body.actions.POST.role.choices).toHaveLength(3)
})

test('an organization administrator changes neither system administrators nor system auditors', async () => {
  const above = await server.aPerson('above', { role: 'Auditor', org })
  const row = (await boss.get(`${USERS}${above.id}/`)).body
  expect([row.can_update, row.can_delete]).toEqual([false, false])
  expect((await boss.patch(`${USERS}${above.id}/`, { comment: 'x' })).status).toBe(403)
  expect((await boss.put(`${USERS}${above.id}/password/`, { password: 'Mine-now-1' })).status).toBe(403)
})

test('[A1.17 A1.18] people of other organizations do not exist for an administrator', async () => {
  const theirs = await server.aPerson('theirs', { org: other })
  const path = `${USERS}${theirs.id}/`
  expect((await boss.get(path)).status).toBe(404)
  expect((await boss.patch(path, { comment: 'x' })).status).toBe(404)
  for (const action of ['password', 'password/reset', 'pubkey/reset', 'unblock'])
    expect([(await boss.patch(`${path}${action}/`, { password: 'Mine-now-1' })).status, action]).toEqual([404, action])
  expect((await boss.post(`${path}remove/`)).status).toBe(404)
  expect((await boss.in(other).get(USERS)).status).toBe(403)
  expect((await boss.in('root').get(USERS)).status).toBe(403)
  const names = async (caller: Caller, query = '') =>
    (await caller.get(`${USERS}${query}`)).body.map((row: { username: string }) => row.username)
  expect(await names(boss)).not.toContain('theirs')
  expect(await names(boss, '?all=1')).not.toContain('theirs')
  expect(await names(server.admin.in(org), '?all=1')).toContain('theirs')
  expect(await names(server.admin.in(ROOT_ORG_ID))).toContain('theirs')
  expect(await boss.patch(USERS, [{ id: theirs.id, is_active: false }])).toMatchObject({
    status: 400,
    body: [{ id: [expect.any(String)] }],
  })
})

test('[A1.18] an administrator changes roles and groups here of a person who also belongs elsewhere, and nothing else', async () => {
  const shared = await server.aPerson('shared', { org: other, orgRoles: ['Admin'] })
  expect((await server.admin.in(org).post(`${USERS}invite/`, { user: shared.id, role: 'User' })).status).toBe(201)
  const path = `${USERS}${shared.id}/`
  const refused = (field: string) => [400, { [field]: [expect.stringContaining('do not administer')] }]
  const before = (await boss.get(path)).body
  expect(before).toMatchObject({ belongs_elsewhere: true, can_update: true, last_login: null })
  const changes: [string, unknown][] = [
    ['name', 'Ours'],
    ['username', 'mine'],
    ['email', 'boss2@example.com'],
    ['comment', 'ours too'],
    ['wechat', 'x'],
    ['phone', '13800138000'],
    ['password', 'Mine-now-1'],
    ['public_key', 'ssh-ed25519 AAAA'],
    ['mfa_level', 1],
    ['source', 'ldap'],
    ['is_active', false],
    ['need_update_password', true],
    ['date_expired', '2020-01-01'],
  ]
  for (const [field, value] of changes) {
    const one = await boss.patch(path, { [field]: value })
    expect([one.status, one.body]).toEqual(refused(field))
    expect(await boss.patch(USERS, [{ id: shared.id, [field]: value }])).toMatchObject({
      status: 400,
      body: [{ [field]: [expect.any(String)] }],
    })
  }
  // A form may send back the values that it was given; fields that it leaves out are not reset.
  const { name, username, email, date_expired } = before
  expect((await boss.put(path, { name, username, email, date_expired, org_roles: ['Auditor'] })).status).toBe(200)
  const { body: group } = await boss.post('/api/v1/users/groups/', { name: 'shared ones' })
  expect((await boss.patch(path, { groups: [group.id] })).body).toMatchObject({
    ...before,
    org_roles: ['Auditor'],
    groups: [group.id],
    org_role_display: expect.any(String),
    total_role_display: expect.any(String),
    groups_display: 'shared ones',
  })
  for (const action of ['password', 'password/reset', 'pubkey/reset', 'unblock'])
    expect([(await boss.patch(`${path}${action}/`, { password: 'Mine-now-1' })).status, action]).toEqual([403, action])
  expect((await boss.get(`${path}mfa/reset/`)).status).toBe(403)
  expect(await canSignIn('shared', PASSWORD)).toBe(true)
  expect((await server.admin.in(org).patch(`${path}password/`, { password: 'Set-by-root-1' })).status).toBe(200)
  expect(await canSignIn('shared', 'Set-by-root-1')).toBe(true)
  expect((await server.admin.in(org).get(path)).body).toMatchObject({
    belongs_elsewhere: false,
    last_login: expect.any(String),
  })
  expect((await boss.post(`${path}remove/`)).status).toBe(204)
})

test('[A1.18] a person who administers every organization of another changes everything of theirs', async () => {
  const both = await server.aPerson('both', { org, orgRoles: ['Admin'] })
  await server.admin.in(other).post(`${USERS}invite/`, { user: both.id, role: 'Admin' })
  const ours = await server.aPerson('ours', { org: other })
  await server.admin.in(org).post(`${USERS}invite/`, { user: ours.id, role: 'User' })
  expect((await both.in(org).patch(`${USERS}${ours.id}/`, { comment: 'mine' })).body).toMatchObject({
    comment: 'mine',
    belongs_elsewhere: false,
  })
  expect((await boss.patch(`${USERS}${ours.id}/`, { comment: 'not mine' })).status).toBe(400)
})

test('the account admin stays an active system administrator and is not deleted', async () => {
  const path = `${USERS}${server.admin.id}/`
  const second = await server.aPerson('second', { role: 'Admin' })
  expect((await second.patch(path, { role: 'User', is_active: false, username: 'root' })).body).toMatchObject({
    role: 'Admin',
    is_active: true,
    username: 'admin',
    can_delete: false,
  })
  await second.delete(path)
  expect((await second.get(path)).status).toBe(200)
})

test('[A3.20] nobody switches themselves off or deletes themselves', async () => {
  expect((await boss.patch(`${USERS}${boss.id}/`, { is_active: false, comment: 'me' })).body).toMatchObject({
    is_active: true,
    comment: 'me',
  })
  const second = await server.aPerson('third', { role: 'Admin' })
  expect((await second.delete(`${USERS}${second.id}/`)).status).toBe(403)
})

test('[B7.36] only a system administrator deletes people; their sign-ins go with them', async () => {
  const gone = await server.aPerson('gone', { org })
  expect((await boss.delete(`${USERS}${gone.id}/`)).status).toBe(403)
  expect((await server.admin.in(org).delete(`${USERS}${gone.id}/`)).status).toBe(204)
  expect((await gone.get('/api/v1/users/profile/')).status).toBe(401)
  expect((await server.admin.in(ROOT_ORG_ID).get(`${USERS}${gone.id}/`)).status).toBe(404)
})

test('[B7.35] a bulk PATCH is all or nothing and answers errors by row', async () => {
  const [a, b] = (await boss.post(USERS, [draft(), draft()])).body
  const refused = await boss.patch(USERS, [
    { id: a.id, is_active: false },
    { pk: b.id, phone: 'x' },
  ])
  expect(refused).toMatchObject({ status: 400, body: [{}, { phone: [expect.any(String)] }] })
  expect((await boss.get(`${USERS}${a.id}/`)).body.is_active).toBe(true)
  const done = await boss.patch(USERS, [
    { id: a.id, is_active: false },
    { pk: b.id, is_active: false },
  ])
  expect(done.body.map((row: { is_active: boolean }) => row.is_active)).toEqual([false, false])
})

test('[B7.37] remove takes the selected people out of the organization, and nobody when the selection has run out', async () => {
  const made = (await boss.post(USERS, [draft(), draft(), draft()])).body as { id: string }[]
  const members = async () => (await boss.get(USERS)).body.length as number
  const before = await members()
  expect((await boss.post(`${USERS}remove/?spm=00000000-0000-4000-8000-000000000000`)).status).toBe(204)
  expect((await boss.post(`${USERS}remove/`)).status).toBe(204)
  expect(await members()).toBe(before)
  const { spm } = (
    await boss.post('/api/v1/common/resources/cache/', { resources: made.slice(0, 2).map(({ id }) => id) })
  ).body
  expect((await boss.post(`${USERS}remove/?spm=${spm}`)).status).toBe(204)
  expect(await members()).toBe(before - 2)
})

test('[B7.31] suggestions are at most six people of all organizations; in root nobody is invited', async () => {
  for (let n = 0; n < 8; n++) await server.admin.in(other).post(USERS, draft({ name: `Suggested ${n}` }))
  const rows = (await boss.get(`${USERS}suggestion/?search=Suggested`)).body
  expect(rows).toHaveLength(6)
  expect(Object.keys(rows[0]).sort()).toEqual(['id', 'name', 'username'])
  const refused = await server.admin.in('root').post(`${USERS}invite/`, [{ user: rows[0].id, role: 'User' }])
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['error']])
})

test('[B7.35] the refusal of a bad invitation names its row and field, and then nobody is invited', async () => {
  const { id: user } = (await server.admin.in(other).post(USERS, draft())).body
  const invite = async (body: unknown) => {
    const { status, body: answer } = await boss.post(`${USERS}invite/`, body)
    return [status, answer]
  }
  const dead = '00000000-0000-0000-0000-00000000dead'
  expect(await invite([{ user, role: 'User' }, { user: 'x' }, { role: 'Emperor' }, 5])).toEqual([
    400,
    [
      {},
      { user: ['Must be a valid UUID.'] },
      { user: ['This field is required.'], role: ['Not a valid choice.'] },
      { non_field_errors: ['Invalid data. Expected an object.'] },
    ],
  ])
  const unknown = { user: [expect.stringContaining('does not exist')] }
  expect(await invite([{ user }, { user: dead }])).toEqual([400, [{}, unknown]])
  expect(await invite({ user: dead })).toEqual([400, unknown])
  expect(await invite('x')).toEqual([400, { non_field_errors: ['Invalid data. Expected an object.'] }])
  expect((await boss.get(`${USERS}${user}/`)).status).toBe(404)
  // A member without a role of its own is a user.
  expect(await invite([{ user }])).toEqual([201, [{ user, role: 'User' }]])
})

test('[A3.20] people made in root join Default', async () => {
  const { body } = await server.admin.in('root').post(USERS, draft())
  expect((await server.admin.in(DEFAULT_ORG_ID).get(`${USERS}${body.id}/`)).body.org_roles).toEqual(['User'])
})

test('[B7.03] filters by role look where they say', async () => {
  const names = async (query: string) =>
    (await boss.get(`${USERS}?${query}`)).body.map((row: { username: string }) => row.username)
  expect(await names('system_or_org_role=org_admin')).toContain('boss')
  expect(await names('system_or_org_role=system_admin')).toEqual([])
  expect(await names('org_role=admins')).toContain('boss')
  expect(await names('org_role=auditors')).not.toContain('boss')
  expect(await names('org_role=__proto__')).toEqual([])
  expect(await names('search=boss')).toEqual(['boss'])
  expect(await names(`id=${boss.id}`)).toEqual(['boss'])
  expect((await boss.get(`${USERS}?id=nonsense`)).status).toBe(400)
})

test('[A1.03] groups belong to their organization: members from it, names unique in it, links one at a time', async () => {
  const GROUPS = '/api/v1/users/groups/'
  const LINKS = '/api/v1/users/users-groups-relations/'
  const theirs = await server.aPerson('alien', { org: other })
  const foreign = (await server.admin.in(other).post(GROUPS, { name: 'far' })).body
  const { body: group } = await boss.post(GROUPS, { name: 'near', users: [boss.id] })
  expect(group).toMatchObject({ users: [boss.id], users_amount: 1, org_id: org, org_name: 'Ours' })
  expect((await boss.post(GROUPS, { name: 'near' })).body).toEqual({ name: [expect.any(String)] })
  expect((await boss.post(GROUPS, { name: 'far' })).status).toBe(201)
  expect((await boss.post(GROUPS, { name: 'mixed', users: [theirs.id] })).status).toBe(400)
  expect((await boss.get(`${GROUPS}${foreign.id}/`)).status).toBe(404)
  expect((await boss.post(LINKS, [{ user: boss.id, usergroup: foreign.id }])).status).toBe(400)
  expect((await boss.get(`${USERS}${boss.id}/`)).body.groups_display).toBe('near')
  const { body: member } = await boss.post(USERS, draft({ groups: [group.id] }))
  expect(member.groups).toEqual([group.id])
  expect((await boss.delete(`${LINKS}?usergroup=${group.id}`)).status).toBe(400)
  expect((await boss.delete(`${LINKS}?user=${member.id}&usergroup=${group.id}`)).status).toBe(204)
  expect((await boss.get(`${GROUPS}${group.id}/`)).body.users).toEqual([boss.id])
})

test('[A6.19] plain members see and change nobody', async () => {
  const member = await server.aPerson('member', { org })
  for (const path of [
    USERS,
    `${USERS}suggestion/`,
    '/api/v1/users/groups/',
    '/api/v1/users/users-groups-relations/',
    `${USERS}${boss.id}/`,
  ])
    expect([(await member.get(path)).status, path]).toEqual([403, path])
  expect((await member.patch(`${USERS}${member.id}/`, { org_roles: ['Admin'] })).status).toBe(403)
  expect((await member.post(`${USERS}invite/`, { user: member.id, role: 'Admin' })).status).toBe(403)
})

test('[B7.42 B7.43] exports hold the people of the organization without secrets; import templates what can be written', async () => {
  await server.aPerson('elsewhere', { org: other })
  const csv = await boss.get(`${USERS}?format=csv`)
  expect([csv.status, csv.headers['content-disposition']]).toEqual([200, expect.stringMatching(/^attachment; .*\.csv/)])
  expect(csv.body).toContain('boss@example.com')
  expect(csv.body).not.toContain('elsewhere')
  expect(csv.body).not.toMatch(/argon2|AAAAB3|password_hash/)
  const [header = ''] = (await boss.get(`${USERS}?format=csv&template=import`)).body.split('\n')
  expect(header).toMatch(/\*Name.*\*Username.*\*Email/)
  const template = await server.call('POST', `${USERS}render-to-json/`, {
    headers: { authorization: `Bearer ${boss.token}`, 'x-jms-org': org },
  })
  expect(template.status).toBe(400)
})
