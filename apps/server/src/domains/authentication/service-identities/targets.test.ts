import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { recordFileOperations } from '../../audits/index.ts'
import { connectable, mayConnect } from '../../perms/index.ts'

const IDENTITIES = '/api/v1/authentication/service-identities/'
const ASSETS = '/api/v1/assets/assets/'
const APPLICATIONS = '/api/v1/applications/applications/'
const GRANTED = '/api/v1/perms/users/assets/'

let server: TestServer
let keeper: Caller
let owner: Caller
/** Ids of everything that is granted: two assets in the root node, one in a node below, two databases. */
const ids: Record<'first' | 'second' | 'below' | 'node' | 'account' | 'db1' | 'db2' | 'dbAccount', string> = {
  ...{ first: '', second: '', below: '', node: '', account: '', db1: '', db2: '', dbAccount: '' },
}
let identity: { id: string; username: string }
let as: (method: string, path: string, body?: unknown) => Promise<Answer>

async function made(path: string, body: object, caller = keeper): Promise<{ id: string } & Record<string, unknown>> {
  const answer = await caller.post(path, body)
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()])
  return answer.body
}

beforeAll(async () => {
  server = await openTestServer()
  owner = await server.aPerson('owner')
  keeper = await server.aPerson('keeper', { orgRoles: ['Admin'] })
  const [root] = (await keeper.get('/api/v1/assets/nodes/')).body as { id: string }[]
  const rootId = root?.id ?? ''
  ids.node = (await made(`/api/v1/assets/nodes/${rootId}/children/`, { value: 'deploy' })).id
  const asset = (hostname: string, node: string) =>
    made(ASSETS, { hostname, ip: '10.0.0.1', platform: 'Linux', protocols: ['ssh/22'], nodes: [node] })
  ids.first = (await asset('first', rootId)).id
  ids.second = (await asset('second', rootId)).id
  ids.below = (await asset('below', ids.node)).id
  const account = { username: 'root', login_mode: 'auto' }
  ids.account = (await made('/api/v1/assets/system-users/', { name: 'root', protocol: 'ssh', ...account })).id
  ids.dbAccount = (await made('/api/v1/assets/system-users/', { name: 'db', protocol: 'mysql', ...account })).id
  const database = (name: string) =>
    made(APPLICATIONS, { name, category: 'db', type: 'mysql', attrs: { host: '10.0.0.9', port: 3306, database: '' } })
  ids.db1 = (await database('db1')).id
  ids.db2 = (await database('db2')).id
  const created = await made(IDENTITIES, {
    name: 'Deployer',
    username: 'svc.deploy',
    owner: owner.id,
    purpose: 'deploys',
    writes: ['all'],
    org_roles: ['Admin'],
  })
  identity = { id: created.id, username: 'svc.deploy' }
  const { token } = (await made('/api/v1/authentication/service-keys/', { identity: created.id, name: 'k' })) as never
  as = (method, path, body) => server.call(method, path, { body, headers: { authorization: `Bearer ${token}` } })
  const common = { users: [created.id], actions: ['all'] }
  await made('/api/v1/perms/asset-permissions/', {
    ...common,
    ...{ name: 'all', nodes: [rootId], system_users: [ids.account] },
  })
  await made('/api/v1/perms/application-permissions/', {
    ...common,
    ...{ name: 'dbs', category: 'db', type: 'mysql', applications: [ids.db1, ids.db2], system_users: [ids.dbAccount] },
  })
})
afterAll(() => server?.close())

async function limit(values: Record<string, unknown>) {
  const { status, body } = await keeper.patch(`${IDENTITIES}${identity.id}/`, values)
  expect([status, body]).toEqual([200, expect.anything()])
}
const may = async (id: string, family: Target['family'] = 'asset') => {
  const systemUserId = family === 'asset' ? ids.account : ids.dbAccount
  const asked = { target: { family, id }, systemUserId }
  const { allowed } = await mayConnect(server.kernel.db, { userId: identity.id, ...asked })
  // The same for many at once.
  expect((await connectable(server.kernel.db, identity.id, [asked])).length > 0).toBe(allowed)
  return allowed
}
const reached = async () => [
  ...(await Promise.all([may(ids.first), may(ids.second), may(ids.below)])),
  ...(await Promise.all([may(ids.db1, 'application'), may(ids.db2, 'application')])),
]
const names = ({ body }: Answer) => (body as { hostname: string }[]).map(({ hostname }) => hostname).toSorted()

test('sessions open on the named targets alone, whatever a permission names: an asset, those below a node, an application', async () => {
  expect(await reached()).toEqual([true, true, true, true, true])
  await limit({ limits_targets: true, assets: [ids.second], nodes: [ids.node], applications: [ids.db2] })
  expect(await reached()).toEqual([false, true, true, false, true])
  expect(names(await as('GET', GRANTED))).toEqual(['below', 'second'])
  const applications = await as('GET', '/api/v1/perms/users/applications/')
  expect((applications.body as { name: string }[]).map(({ name }) => name)).toEqual(['db2'])
  expect((await as('GET', `${GRANTED}${ids.second}/system-users/`)).body).toHaveLength(1)
  expect((await as('GET', `${GRANTED}${ids.first}/system-users/`)).status).toBe(404)
  const token = (asset: string) =>
    as('POST', '/api/v1/authentication/connection-token/', { asset, system_user: ids.account })
  expect([(await token(ids.second)).status, (await token(ids.first)).status]).toEqual([201, 403])
  await limit({ nodes: [], applications: [] })
  expect(await reached()).toEqual([false, true, false, false, false])
  await limit({ limits_targets: false })
  expect(await reached()).toEqual([true, true, true, true, true])
})

test('lists of access and the explanation of a refusal know the limit', async () => {
  await limit({ limits_targets: true, assets: [ids.second], nodes: [], applications: [] })
  const people = async (asset: string) =>
    ((await keeper.get(`/api/v1/perms/access-people/?asset_id=${asset}`)).body as { username: string }[]).map(
      ({ username }) => username,
    )
  expect(await people(ids.first)).not.toContain(identity.username)
  expect(await people(ids.second)).toContain(identity.username)
  const targets = await keeper.get(`/api/v1/perms/access-targets/?user_id=${identity.id}`)
  expect((targets.body as { name: string; ways: string }[]).map(({ name, ways }) => [name, ways !== ''])).toEqual([
    ['second', true],
  ])
  const asked = new URLSearchParams({ user_id: identity.id, asset_id: ids.first, system_user_id: ids.account })
  const why = await keeper.get(`/api/v1/perms/explanations/?${asked}`)
  expect([why.status, why.body.verdict]).toEqual([200, 'refused'])
  expect(JSON.stringify(why.body.steps)).toContain('Deployer is limited to some targets, and first is not among them')
})

test('the preview of a permission gives a limited identity no target beyond its limit', async () => {
  await limit({ limits_targets: true, assets: [ids.second], nodes: [], applications: [] })
  const account = await made('/api/v1/assets/system-users/', {
    ...{ name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'manual' },
  })
  const grant = { name: 'more', users: [identity.id, owner.id], system_users: [account.id], nodes: [ids.node] }
  const look = async (more: object) =>
    (await keeper.post('/api/v1/perms/asset-permissions/?preview=true', { ...grant, ...more })).body.gained
  const rights = ({ rows }: { rows: { person: { name: string }; target: { name: string } }[] }) =>
    rows.map(({ person, target }) => `${person.name} ${target.name}`).toSorted()
  expect(rights(await look({ assets: [ids.first, ids.second] }))).toEqual([
    'Deployer(svc.deploy) second(10.0.0.1)',
    'owner of test(owner) below(10.0.0.1)',
    'owner of test(owner) first(10.0.0.1)',
    'owner of test(owner) second(10.0.0.1)',
  ])
})

test('by the API it reads the named targets, none besides, and makes no call that is not about targets', async () => {
  await limit({ limits_targets: true, assets: [ids.second], nodes: [ids.node], applications: [ids.db2] })
  expect(names(await as('GET', ASSETS))).toEqual(['below', 'second'])
  expect((await as('GET', `${ASSETS}?limit=1`)).body).toMatchObject({ count: 2 })
  expect((await as('GET', `${ASSETS}${ids.second}/`)).status).toBe(200)
  expect((await as('GET', `${ASSETS}${ids.first}/`)).status).toBe(404)
  expect((await as('GET', `${APPLICATIONS}${ids.db1}/`)).status).toBe(404)
  expect((await as('GET', `${APPLICATIONS}${ids.db2}/`)).status).toBe(200)
  for (const [method, path] of [
    ['POST', ASSETS],
    ['PATCH', ASSETS],
    ['PATCH', `${ASSETS}${ids.second}/`],
    ['DELETE', `${APPLICATIONS}${ids.db2}/`],
    ['GET', '/ws/ops/tasks/log/'],
    ['GET', `${ASSETS}${ids.second}/gateways/`],
    ['GET', '/api/v1/assets/nodes/'],
    ['GET', '/api/v1/users/users/'],
    ['POST', '/api/v1/perms/asset-permissions/'],
    ['GET', '/api/v1/terminal/sessions/'],
    ['POST', '/api/v1/ops/command-executions/'],
  ] as const) {
    const { status, body } = await as(method, path, method === 'GET' ? undefined : {})
    expect([method, path, status, body.code]).toEqual([method, path, 403, 'out_of_scope'])
  }
  expect((await as('GET', '/api/v1/users/profile/')).status).toBe(200)
  await limit({ limits_targets: false })
  expect((await as('GET', '/api/v1/users/users/')).status).toBe(200)
})

test('a node that is gone names nothing any more; targets of another organization are not named', async () => {
  const other = await server.anOrg('Elsewhere')
  const elsewhere = await made(ASSETS, { hostname: 'away', ip: '10.9.9.9', platform: 'Linux' }, server.admin.in(other))
  const refused = await keeper.patch(`${IDENTITIES}${identity.id}/`, { assets: [elsewhere.id] })
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('does not exist')])
})

test('it is chosen as a reviewer or approver nowhere, and a role of an administrator makes it none', async () => {
  const words = 'A service identity decides nothing: choose a person'
  const reviewers = [identity.id]
  const rule = { ip_group: ['*'], time_period: [0, 1, 2, 3, 4, 5, 6].map((id) => ({ id, value: '00:00~00:00' })) }
  const filter = await made('/api/v1/assets/cmd-filters/', { name: 'f' })
  for (const [path, body] of [
    ['/api/v1/acls/login-acls/', { name: 'l', user: owner.id, action: 'confirm', rules: rule, reviewers }],
    [
      '/api/v1/acls/login-asset-acls/',
      {
        name: 'a',
        users: { username_group: ['*'] },
        system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
        assets: { ip_group: ['*'], hostname_group: ['*'] },
        reviewers,
      },
    ],
    [
      `/api/v1/assets/cmd-filters/${filter.id}/rules/`,
      { filter: filter.id, type: 'command', content: 'rm', action: 2, reviewers },
    ],
    ['/api/v1/reviews/access-reviews/', { name: 'r', reviewers }],
  ] as const) {
    const answer = await server.admin.post(path, body)
    expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([path, 400, expect.stringContaining(words)])
  }
  const flows = (await server.admin.get('/api/v1/tickets/flows/')).body as { id: string; type: string }[]
  const flow = flows.find(({ type }) => type === 'apply_asset')
  const change = (rules: object[]) =>
    server.admin.put(`/api/v1/tickets/flows/${flow?.id}/`, { type: 'apply_asset', approval_level: 1, rules })
  const named = await change([{ strategy: 'custom_user', assignees: [identity.id] }])
  expect([named.status, JSON.stringify(named.body)]).toEqual([400, expect.stringContaining(words)])
  const byRole = await change([{ strategy: 'org_admin' }])
  expect(byRole.status).toBe(200)
  expect(byRole.body.rules[0].assignees_display).toEqual(['Administrator(admin)', 'keeper of test(keeper)'])
  const listed = (await server.admin.get('/api/v1/users/users/?is_service=false')).body as { username: string }[]
  expect(listed.map(({ username }) => username)).not.toContain(identity.username)
  expect((await server.admin.get('/api/v1/users/users/?is_service=true')).body).toMatchObject([
    { username: identity.username },
  ])
})

test('files that it moves and passwords that it sets say on whose behalf', async () => {
  const onBehalf = 'owner of test(owner)'
  const file = {
    ...{ user: 'Deployer(svc.deploy)', user_id: identity.id, asset: 'second(10.0.0.1)', system_user: 'root(root)' },
    ...{ org_id: DEFAULT_ORG_ID, operate: 'Upload' as const },
  }
  await recordFileOperations(server.kernel.db, [
    { ...file, filename: '/srv/app' },
    { ...file, filename: '/srv/token', on_behalf_of: 'repo:acme/app' },
    { ...file, filename: '/srv/own', user: 'owner(owner)', user_id: owner.id },
  ])
  const files = (await keeper.get('/api/v1/audits/ftp-logs/?search=/srv/')).body as Record<string, string>[]
  expect(Object.fromEntries(files.map(({ filename, on_behalf_of }) => [filename, on_behalf_of]))).toEqual({
    '/srv/app': onBehalf,
    '/srv/token': 'repo:acme/app',
    '/srv/own': null,
  })
  const someone = await server.aPerson('someone')
  expect((await as('PATCH', `/api/v1/users/users/${someone.id}/`, { password: 'Another-door-7' })).status).toBe(200)
  const [changed] = (await keeper.get('/api/v1/audits/password-change-logs/?search=someone')).body
  expect(changed).toMatchObject({ change_by: 'Deployer(svc.deploy)', on_behalf_of: onBehalf })
})
