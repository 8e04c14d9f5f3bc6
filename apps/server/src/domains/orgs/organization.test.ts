import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const ORGS = '/api/v1/orgs/orgs/'
const MEMBERS = '/api/v1/orgs/org-member-relation/'

test('[A1.14 A2.60 A3.02] an organization is made, read, renamed and deleted; root is never listed', async () => {
  const { admin } = server
  const made = await admin.post(ORGS, { name: 'Harbour', comment: 'ships' })
  expect([made.status, made.body.name, made.body.is_default, made.body.is_root]).toEqual([201, 'Harbour', false, false])
  expect(made.body.resource_statistics).toMatchObject({
    users_amount: 0,
    assets_amount: 0,
    nodes_amount: 0,
    asset_perms_amount: 0,
    app_perms_amount: 0,
  })
  const path = `${ORGS}${made.body.id}/`
  expect((await admin.patch(path, { name: 'Port' })).body).toMatchObject({ name: 'Port', comment: 'ships' })
  expect((await admin.put(path, { name: 'Port' })).body.comment).toBe('')
  const names = (await admin.get(ORGS)).body.map((row: { name: string }) => row.name)
  expect(names).toContain('Port')
  expect(names).not.toContain('GLOBAL')
  expect(await admin.post(ORGS, { name: 'Port' })).toMatchObject({ status: 400, body: { name: [expect.any(String)] } })
  expect((await admin.delete(path)).status).toBe(204)
  expect((await admin.get(path)).status).toBe(404)
})

test('[A2.60] member lists are stored by role, kept when they are not sent, and shown on the detail only', async () => {
  const { admin } = server
  const [ann, bob] = [await server.aPerson('ann'), await server.aPerson('bob')]
  const { body: org } = await admin.post(ORGS, { name: 'Roles', users: [ann.id, bob.id], admins: [bob.id] })
  const path = `${ORGS}${org.id}/`
  const detail = (await admin.get(path)).body
  expect([detail.users.sort(), detail.admins, detail.auditors]).toEqual([[ann.id, bob.id].sort(), [bob.id], []])
  expect(detail.resource_statistics.users_amount).toBe(2)
  const changed = (await admin.patch(path, { users: [ann.id] })).body
  expect([changed.users, changed.admins]).toEqual([[ann.id], [bob.id]])
  expect((await admin.get(ORGS)).body.some((row: object) => 'users' in row)).toBe(false)
})

test('[A2.60] an organization that holds something, Default, and the current one stay', async () => {
  const { admin } = server
  const ann = await server.aPerson('stays')
  const id = await server.anOrg('Full')
  await admin.post(MEMBERS, { org: id, user: ann.id, role: 'User' })
  const refused = await admin.delete(`${ORGS}${id}/`)
  expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
    403,
    'permission_denied',
    expect.stringContaining('User'),
  ])
  await admin.delete(`${MEMBERS}?user_id=${ann.id}&org_id=${id}`) // refused: names no rows
  expect((await admin.get(`${MEMBERS}?org_id=${id}`)).body).toHaveLength(1)
  await admin.delete(`${MEMBERS}?id=${(await admin.get(`${MEMBERS}?org_id=${id}`)).body[0].id}`)
  await admin.in(id).post('/api/v1/users/groups/', { name: 'crew' })
  expect((await admin.delete(`${ORGS}${id}/`)).status).toBe(403)
  expect((await admin.in(id).delete(`${ORGS}${id}/`)).status).toBe(403)
  expect((await admin.delete(`${ORGS}${DEFAULT_ORG_ID}/`)).status).toBe(403)
  for (const many of ['', '?name=Full', '?name=nothing'])
    expect((await admin.delete(`${ORGS}${many}`)).status).toBe(400)
  expect((await admin.get(`${ORGS}${id}/`)).status).toBe(200)
})

test('a membership of anybody in any organization can be added from the current one; double ones are refused alone and skipped in a list', async () => {
  const { admin } = server
  const [here, there] = [await server.anOrg('Here'), await server.anOrg('There')]
  const zoe = await server.aPerson('zoe', { org: there })
  const row = { org: here, user: zoe.id, role: 'Auditor' }
  const made = await admin.in(here).post(MEMBERS, row)
  expect([made.status, made.body.role_display, made.body.user_display, made.body.org_display]).toEqual([
    201,
    'Organization auditor',
    'zoe of test(zoe)',
    'Here',
  ])
  expect((await admin.in(here).post(MEMBERS, row)).status).toBe(400)
  expect((await admin.in(here).post(MEMBERS, [row, { ...row, role: 'User' }])).status).toBe(201)
  const roles = (await admin.get(`${MEMBERS}?org=${here}&user=${zoe.id}`)).body.map((one: { role: string }) => one.role)
  expect(roles.sort()).toEqual(['Auditor', 'User'])
})

test('[A6.09] a member without a further role works in the organization, and neither reads nor changes what is managed there', async () => {
  const { admin } = server
  const org = await server.anOrg('Membership')
  const member = await server.aPerson('member', { org, orgRoles: ['User'] })
  const [foreigner, auditor] = [
    await server.aPerson('no-member'),
    await server.aPerson('member-who-audits', { org, orgRoles: ['Auditor'] }),
  ]
  const work = async (caller: typeof admin) => (await caller.in(org).get('/api/v1/orgs/orgs/current/')).status
  expect([await work(member), await work(foreigner)]).toEqual([200, 403])
  expect((await member.in(org).get('/api/v1/users/profile/')).body).toMatchObject({
    current_org_roles: ['User'],
    admin_or_audit_orgs: [],
    is_org_admin: false,
  })
  const managed = ['/api/v1/users/groups/', '/api/v1/assets/assets/', '/api/v1/perms/asset-permissions/', MEMBERS]
  const logs = ['/api/v1/audits/login-logs/', '/api/v1/terminal/sessions/']
  const reads = async (caller: typeof admin, paths: string[]) =>
    Promise.all(paths.map(async (path) => (await caller.in(org).get(`${path}?limit=1`)).status))
  expect(await reads(member, [...managed, ...logs])).toEqual([...managed, ...logs].map(() => 403))
  expect(await reads(auditor, logs)).toEqual([200, 200])
  expect((await member.in(org).post('/api/v1/users/groups/', { name: 'mine' })).status).toBe(403)
})

test('[A6.29] leaving an organization takes people out of its groups; changing a role does not', async () => {
  const { admin } = server
  const org = await server.anOrg('Leaving')
  const kim = await server.aPerson('kim', { org })
  const group = (await admin.in(org).post('/api/v1/users/groups/', { name: 'team', users: [kim.id] })).body
  await admin.in(org).patch(`/api/v1/users/users/${kim.id}/`, { org_roles: ['Auditor'] })
  const members = async () => (await admin.in(org).get(`/api/v1/users/groups/${group.id}/`)).body.users
  expect(await members()).toEqual([kim.id])
  expect((await admin.in(org).post(`/api/v1/users/users/${kim.id}/remove/`)).status).toBe(204)
  expect(await members()).toEqual([])
  expect((await admin.in(org).get(`/api/v1/users/users/${kim.id}/`)).status).toBe(404)
})

test('[B6.04 B9.29] the organization of a call: oid before header, words and names, unknown ones fall back to Default', async () => {
  const { admin } = server
  const id = await server.anOrg('Chosen')
  const current = async (caller: typeof admin, query = '') =>
    (await caller.get(`/api/v1/orgs/orgs/current/${query}`)).body
  expect(await current(admin.in(id))).toEqual({ id, name: 'Chosen', is_default: false, is_root: false, comment: '' })
  expect((await current(admin.in('Chosen'))).id).toBe(id)
  expect((await current(admin.in(id), '?oid=ROOT')).id).toBe(ROOT_ORG_ID)
  expect(await current(admin.in('root'))).toMatchObject({ name: 'GLOBAL', is_root: true })
  expect((await current(admin.in(id), '?oid=Default')).id).toBe(DEFAULT_ORG_ID)
  expect((await current(admin.in('no such one'))).id).toBe(DEFAULT_ORG_ID)
  const foreign = await server.aPerson('foreigner')
  expect((await foreign.in(id).get('/api/v1/orgs/orgs/current/')).status).toBe(403)
  expect((await foreign.in('root').get('/api/v1/orgs/orgs/current/')).status).toBe(403)
})

test('[A6.19] organizations and memberships are for system administrators only', async () => {
  const org = await server.anOrg('Closed')
  const boss = await server.aPerson('boss', { orgRoles: ['Admin'], org })
  const auditor = await server.aPerson('sysauditor', { role: 'Auditor' })
  for (const person of [boss, auditor]) {
    for (const path of [ORGS, MEMBERS, `${ORGS}${org}/`])
      expect([(await person.get(path)).status, path]).toEqual([403, path])
    expect((await person.post(MEMBERS, { org, user: person.id, role: 'Admin' })).status).toBe(403)
    expect((await person.patch(`${ORGS}${org}/`, { admins: [person.id] })).status).toBe(403)
  }
})

test('[A2.60] addresses of earlier versions lead to those of now, with method, body and query', async () => {
  const moves = {
    '/api/users/v1/users/?a=1': '/api/v1/users/users/?a=1',
    '/api/orgs/v1//evil.example/': '/api/v1/orgs/evil.example/',
    '/users/profile/?next=/ui/': '/core/users/profile/?next=/ui/',
    '/auth/login/': '/core/auth/login/',
  }
  for (const [old, now] of Object.entries(moves))
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await server.call(method, old)
      expect([status, headers.location]).toEqual([307, now])
    }
  expect((await server.call('GET', '/api/users/v2/users/')).status).toBe(404)
  // An address that led to itself.
  expect((await server.call('GET', '/api//v1/users/')).status).toBe(404)
})

test('[A2.60] old scripts manage members at their old addresses', async () => {
  const { admin } = server
  const org = await server.anOrg('Old')
  const eve = await server.aPerson('eve')
  const path = `${ORGS}${org}/membership/admins/`
  const made = await admin.post(path, { user: eve.id })
  expect([made.status, made.body]).toEqual([201, { id: expect.any(String), organization: org, user: eve.id }])
  expect((await admin.get(path)).body).toEqual([made.body])
  expect((await admin.get(`${path}?limit=1`)).body).toEqual({
    ...{ count: 1, next: null, previous: null },
    results: [made.body],
  })
  expect((await admin.get(`${path}?limit=1&offset=1`)).body).toMatchObject({ count: 1, results: [] })
  expect((await admin.get(`${path}${eve.id}/`)).body).toEqual(made.body)
  expect((await admin.get(`${ORGS}${org}/membership/users/`)).body).toEqual([])
  expect((await eve.in(org).get('/api/v1/users/users/')).status).toBe(200)
  expect((await eve.in(org).get(path)).status).toBe(403)
  expect((await admin.post(path, { user: 'nobody' })).body).toEqual({ user: [expect.any(String)] })
  expect((await admin.get(path.replace(org, ROOT_ORG_ID))).status).toBe(404)
  expect((await admin.delete(`${path}${eve.id}/`)).status).toBe(204)
  expect((await admin.delete(`${path}${eve.id}/`)).status).toBe(404)
  expect((await eve.in(org).get('/api/v1/users/users/')).status).toBe(403)
  const { body: log } = await admin.in(org).get('/api/v1/audits/operate-logs/?resource_type=Organization%20member')
  const entries = log.map(({ action, changes }: { action: string; changes: Record<string, string>[] }) => [
    action,
    ...changes.map(({ label, before, after }) => [label, before, after]),
  ])
  expect(entries).toEqual([
    ['delete', ['Role', 'Organization administrator', null], ['User', 'eve of test(eve)', null]],
    ['create', ['Role', null, 'Organization administrator'], ['User', null, 'eve of test(eve)']],
  ])
})

test('[A6.29] the losses of people who leave are shown before they leave, in this organization only, and happen then', async () => {
  const { admin } = server
  const org = await server.anOrg('Losses')
  const [lea, max] = [await server.aPerson('lea', { org }), await server.aPerson('max', { org })]
  const here = admin.in(org)
  await here.post('/api/v1/users/groups/', { name: 'crew', users: [lea.id, max.id] })
  await admin.post(MEMBERS, { org: DEFAULT_ORG_ID, user: lea.id, role: 'User' })
  const elsewhere = (
    await admin.in(DEFAULT_ORG_ID).post('/api/v1/users/groups/', { name: 'elsewhere', users: [lea.id] })
  ).body
  const node = (await here.get('/api/v1/assets/nodes/')).body[0]
  const systemUser = (
    await here.post('/api/v1/assets/system-users/', { name: 'deploy', username: 'deploy', protocol: 'ssh' })
  ).body
  const permission = (
    await here.post('/api/v1/perms/asset-permissions/', {
      name: 'all',
      users: [lea.id],
      nodes: [node.id],
      system_users: [systemUser.id],
    })
  ).body
  expect(permission.users).toEqual([lea.id])
  const filter = (await here.post('/api/v1/assets/cmd-filters/', { name: 'guard' })).body
  const rules = `/api/v1/assets/cmd-filters/${filter.id}/rules/`
  const rule = (await here.post(rules, { content: 'reboot', action: 2, reviewers: [lea.id, max.id] })).body
  const review = { name: 'review', users: {}, system_users: {}, assets: {}, reviewers: [lea.id] }
  const acl = (await here.post('/api/v1/acls/login-asset-acls/', review)).body
  expect([rule.reviewers, acl.reviewers]).toEqual([expect.arrayContaining([lea.id, max.id]), [lea.id]])

  const one = await here.get(`/api/v1/users/users/${lea.id}/remove/`)
  expect(one.body).toEqual({
    people: 1,
    ends: [
      { label: 'Asset access rule', amount: 1 },
      { label: 'Asset permission', amount: 1 },
      { label: 'Command filter rule', amount: 1 },
      { label: 'User group', amount: 1 },
    ],
  })
  const { spm } = (await here.post('/api/v1/common/resources/cache/', { resources: [lea.id, max.id] })).body
  expect((await here.get(`/api/v1/users/users/remove/?spm=${spm}`)).body.people).toBe(2)
  expect((await here.get('/api/v1/users/users/remove/')).body).toEqual({ people: 0, ends: [] })
  expect((await lea.in(org).get(`/api/v1/users/users/${max.id}/remove/`)).status).toBe(403)
  expect((await here.get(`/api/v1/users/users/${admin.id}/remove/`)).status).toBe(404)

  expect((await here.post(`/api/v1/users/users/remove/?spm=${spm}`)).status).toBe(204)
  expect((await here.get(`/api/v1/perms/asset-permissions/${permission.id}/`)).body.users).toEqual([])
  // Nobody who is gone decides about commands and connections.
  expect((await here.get(`${rules}${rule.id}/`)).body.reviewers).toEqual([])
  expect((await here.get(`/api/v1/acls/login-asset-acls/${acl.id}/`)).body.reviewers).toEqual([])
  expect((await here.get('/api/v1/users/users/')).body).toEqual([])
  expect((await admin.in(DEFAULT_ORG_ID).get(`/api/v1/users/groups/${elsewhere.id}/`)).body.users).toEqual([lea.id])
})

test('[A2.60] an organization that is not empty says all that is left in it, with numbers, and its root node goes with it when it is', async () => {
  const { admin, kernel } = server
  const id = await server.anOrg('Emptied')
  const here = admin.in(id)
  const group = (await here.post('/api/v1/users/groups/', { name: 'left' })).body
  const label = (await here.post('/api/v1/assets/labels/', { name: 'left', value: 'behind' })).body
  expect((await admin.delete(`${ORGS}${id}/`)).body.detail).toBe(
    'The organization still has: Label (1), User group (1)',
  )
  await here.delete(`/api/v1/users/groups/${group.id}/`)
  await here.delete(`/api/v1/assets/labels/${label.id}/`)
  expect((await admin.delete(`${ORGS}${id}/`)).status).toBe(204)
  const { rows } = await kernel.pool.query('SELECT 1 FROM assets_node WHERE org_id = $1', [id])
  expect(rows).toEqual([])
})

test('[B6.04 B9.29] no organization has the name of root or Default, nor looks like an id', async () => {
  for (const name of [
    'root',
    'ROOT',
    'Default',
    'default',
    ' Root ',
    DEFAULT_ORG_ID,
    '33333333-3333-4333-8333-333333333333',
  ]) {
    const { status, body } = await server.admin.post('/api/v1/orgs/orgs/', { name })
    expect([name, status, Object.keys(body)]).toEqual([name, 400, ['name']])
  }
  expect((await server.admin.patch(`/api/v1/orgs/orgs/${DEFAULT_ORG_ID}/`, { name: 'Default' })).status).toBe(200)
})
