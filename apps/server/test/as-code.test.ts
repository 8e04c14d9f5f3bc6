/** An organization as files: what is exported, planned and applied, by the API and on the command line. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AS_CODE, type AsCodePlan, isSecretField } from '@sallyport/contract/as-code.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KINDS } from '../src/domains/as-code/kinds.ts'
import { type Caller, openTestServer, type TestServer } from './server.ts'
import { signed } from './signed.ts'

let server: TestServer
let admin: Caller
/** An organization that the tests describe, and its administrator's calls. */
let orgId: string
let org: Caller
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-as-code-'))
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  admin = server.admin
  orgId = await server.anOrg('Harbour')
  org = admin.in(orgId)
  await server.aPerson('alice', { org: orgId })
  await server.aPerson('bob', { org: orgId })
})
afterAll(async () => {
  if (folder) rmSync(folder, { recursive: true, force: true })
  await server?.close()
})

type Documents = Record<string, unknown[]>

/** Every kind once, with what refers to what, and names as people write them. */
const company = (): Documents => ({
  labels: [
    { name: 'env', value: 'prod' },
    { name: 'a:b', value: 'c' },
    { name: 'a', value: 'b:c' },
  ],
  domains: [{ name: 'dmz', comment: 'behind the door' }],
  gateways: [{ name: 'door', ip: '10.0.0.1', username: 'jump', password: 'secret-of-door', domain: 'dmz' }],
  nodes: ['/Web/Front', '/Db', { path: '/网络 & "co": \\ #1' }],
  system_users: [
    { name: 'become', username: 'root', su_enabled: true, su_from: 'deploy' },
    { name: 'deploy', username: 'deploy', password: 'secret-of-deploy', auto_push: false },
    { name: 'orders', username: 'orders', protocol: 'mysql', login_mode: 'manual' },
  ],
  assets: [
    {
      hostname: 'web-1',
      ip: '10.0.1.1',
      platform: 'Linux',
      nodes: ['/Web/Front', '/Db'],
      labels: ['env:prod'],
      domain: 'dmz',
      protocols: ['ssh/2222', 'rdp/3389'],
    },
    { hostname: '- "odd": name #2 ', ip: '10.0.1.2', platform: 'Linux', is_active: false, comment: 'two\nlines' },
  ],
  applications: [
    {
      name: 'orders',
      category: 'db',
      type: 'mysql',
      attrs: { host: 'db.example.com', port: 3307, database: 'orders' },
      domain: 'dmz',
    },
    {
      name: 'browser',
      category: 'remote_app',
      type: 'chrome',
      attrs: { asset: 'web-1', path: 'C:\\chrome.exe', chrome_target: 'https://example.com' },
    },
  ],
  user_groups: [{ name: 'Operators', users: ['bob', 'alice'] }, { name: 'Empty' }],
  command_filters: [
    {
      name: 'careful',
      users: ['bob'],
      assets: ['web-1'],
      rules: [
        { content: 'rm\nreboot', priority: 10 },
        { type: 'regex', content: 'sudo.*', action: 2, reviewers: ['alice'] },
      ],
    },
  ],
  asset_permissions: [
    {
      name: 'Operate the web',
      user_groups: ['Operators'],
      nodes: ['/Web'],
      system_users: ['deploy'],
      actions: ['connect', 'updownload'],
      date_start: '2026-01-01T00:00:00Z',
      date_expired: '2090-01-01T08:00:00+08:00',
    },
  ],
  application_permissions: [
    {
      name: 'Orders',
      category: 'db',
      type: 'mysql',
      users: ['alice'],
      applications: ['orders'],
      system_users: ['orders'],
      databases: ['orders'],
    },
  ],
  sign_in_rules: [
    { name: 'office', user: 'bob', rules: { ip_group: ['10.0.0.0/8'] }, action: 'allow', reviewers: [] },
    {
      name: 'office',
      user: 'alice',
      rules: { ip_group: ['*'], time_period: [{ id: 1, value: '09:00~18:00' }] },
      action: 'reject',
      reviewers: [],
    },
  ],
  asset_access_rules: [
    { name: 'review', users: { username_group: ['bob'] }, system_users: {}, assets: {}, reviewers: ['alice'] },
  ],
})

const plan = async (documents: Documents, more = {}, caller = org): Promise<AsCodePlan> => {
  const { status, body } = await caller.post(AS_CODE.plan, { documents, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const applied = async (documents: Documents, more = {}, caller = org) => {
  const { digest, errors } = await plan(documents, more, caller)
  expect(errors).toEqual([])
  return caller.post(AS_CODE.apply, { documents, ...more, digest })
}
const exported = async (caller = org, query = '') => {
  const { status, body } = await caller.get(AS_CODE.export + query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Documents
}
const wrong = ({ errors }: { errors: AsCodePlan['errors'] }) =>
  errors.map(({ kind, index, field, message }) => `${kind} ${index} ${field}: ${message}`)

test('a company in files is made in one change, and its export says the same, in the same bytes each time', async () => {
  const asked = await plan(company())
  expect(wrong(asked)).toEqual([])
  expect(asked).toMatchObject({ created: 24, updated: 0, deleted: 0, unchanged: 0 })
  expect(asked.access).toMatchObject({ is_exact: true, gained: { people: 2 }, lost: { count: 0 } })
  expect(JSON.stringify(asked)).not.toContain('secret-of')
  expect(asked.changes.find(({ name }) => name === 'deploy')?.fields).toContainEqual({
    field: 'password',
    is_secret: true,
  })
  expect((await exported()).assets, 'a plan changes nothing').toEqual([])
  const done = await org.post(AS_CODE.apply, { documents: company(), digest: asked.digest })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  expect(done.headers['x-change']).toMatch(/^[0-9a-f-]{36}$/)
  const first = await org.get(AS_CODE.export)
  const again = await org.get(AS_CODE.export)
  expect(again.body).toEqual(first.body)
  const all = first.body as Documents
  expect(all.nodes).toEqual(['/Db', '/Web', '/Web/Front', '/网络 & "co": \\ #1'])
  expect(all.assets).toEqual([
    { hostname: '- "odd": name #2', ip: '10.0.1.2', platform: 'Linux', is_active: false, comment: 'two\nlines' },
    {
      hostname: 'web-1',
      ip: '10.0.1.1',
      platform: 'Linux',
      protocols: ['ssh/2222', 'rdp/3389'],
      domain: 'dmz',
      nodes: ['/Db', '/Web/Front'],
      labels: ['env:prod'],
    },
  ])
  expect(all.system_users?.[0]).toEqual({
    name: 'become',
    username: 'root',
    su_enabled: true,
    su_from: 'deploy',
  })
  expect(all.command_filters).toEqual(company().command_filters)
  expect(JSON.stringify(all)).not.toMatch(/secret-of|[0-9a-f]{8}-[0-9a-f]{4}/)
})

test('an export that is applied changes nothing, with rows of all kinds', async () => {
  const all = await exported()
  expect(Object.values(all).filter((some) => some.length)).toHaveLength(14)
  const asked = await plan(all, { prune: true })
  expect(wrong(asked)).toEqual([])
  expect(asked.changes).toEqual([])
  expect(asked).toMatchObject({ created: 0, updated: 0, deleted: 0, access: null })
  const before = (await org.get('/api/v1/audits/operate-logs/?limit=1')).body.count
  const done = await applied(all, { prune: true })
  expect([done.status, done.headers['x-change']]).toEqual([200, undefined])
  expect((await org.get('/api/v1/audits/operate-logs/?limit=1')).body.count).toBe(before)
})

test('the files that made a company change nothing when they are applied once more, whatever their order of names', async () => {
  const asked = await plan(company(), { prune: true })
  expect([wrong(asked), asked.changes]).toEqual([[], []])
})

test('a plan shows field by field what differs from the files, who gains and loses, and what prune takes out', async () => {
  const all = await exported()
  const [operate] = all.asset_permissions as Record<string, unknown>[]
  const documents = {
    asset_permissions: [{ ...operate, nodes: ['/Db'], user_groups: [], users: ['alice'], comment: 'x' }],
    labels: all.labels?.slice(0, 2) ?? [],
  }
  const asked = await plan(documents, { prune: true })
  expect(wrong(asked)).toEqual([])
  expect(asked.changes).toEqual([
    { kind: 'labels', name: expect.stringContaining(':'), action: 'delete', fields: [] },
    {
      kind: 'asset_permissions',
      name: 'Operate the web',
      action: 'update',
      fields: [
        { field: 'comment', before: null, after: 'x' },
        { field: 'users', added: ['alice'], removed: [] },
        { field: 'user_groups', added: [], removed: ['Operators'] },
        { field: 'nodes', added: ['/Db'], removed: ['/Web'] },
      ],
    },
  ])
  expect(asked.access).toMatchObject({ lost: { people: 1 } })
  expect((await plan(documents)).deleted, 'without prune').toBe(0)
  // Drift: a row that was changed by hand differs from the files that were exported before.
  const [row] = (await org.get('/api/v1/assets/assets/?hostname=web-1')).body
  await org.patch(`/api/v1/assets/assets/${row.id}/`, { comment: 'by hand', labels: [] })
  expect((await plan(all)).changes).toEqual([
    {
      kind: 'assets',
      name: 'web-1',
      action: 'update',
      fields: [
        { field: 'comment', before: 'by hand', after: '' },
        { field: 'labels', added: ['env:prod'], removed: [] },
      ],
    },
  ])
  expect((await applied(all)).status).toBe(200)
  expect((await exported()).assets).toEqual(all.assets)
})

test('names of another organization, and its ids, mean nothing here', async () => {
  const other = admin.in(await server.anOrg('Quay'))
  const theirs = (
    await other.post('/api/v1/assets/system-users/', { name: 'theirs', username: 'x', login_mode: 'manual' })
  ).body
  const stranger = await server.aPerson('stranger', { org: theirs.org_id })
  const group = (await other.post('/api/v1/users/groups/', { name: 'Strangers' })).body
  const permission = (more: object) => ({ asset_permissions: [{ name: 'across', nodes: ['/Web'], ...more }] })
  expect(
    wrong(
      await plan(
        permission({
          users: ['stranger', stranger.id],
          user_groups: ['Strangers', group.id],
          system_users: ['theirs', theirs.id, 'deploy'],
          nodes: ['/Web', '/Nowhere'],
        }),
      ),
    ),
  ).toEqual(
    [
      ['users.0', 'stranger'],
      ['users.1', stranger.id],
      ['user_groups.0', 'Strangers'],
      ['user_groups.1', group.id],
      ['nodes.1', '/Nowhere'],
      ['system_users.0', 'theirs'],
      ['system_users.1', theirs.id],
    ].map(([field, name]) => `asset_permissions 0 ${field}: There is no "${name}" here.`),
  )
  const taken = { user_groups: [{ id: group.id, name: 'Mine now' }] }
  expect(wrong(await plan(taken))).toEqual([
    'user_groups 0 id: Nothing here has this id: leave it out to make a new one.',
  ])
  // The same names in both: each organization has its own, and paths begin below its own top.
  const own = { nodes: ['/Web'], system_users: [{ name: 'deploy', username: 'd', login_mode: 'manual' }] }
  expect((await applied(own, { prune: true }, other)).status).toBe(200)
  expect((await exported(other)).system_users).toEqual([
    { name: 'deploy', username: 'd', login_mode: 'manual', auto_push: false },
  ])
  expect((await exported()).system_users).toHaveLength(3)
  expect((await admin.in('00000000-0000-0000-0000-000000000000').get(AS_CODE.export)).status).toBe(400)
})

test('rows that one name does not tell apart have their ids beside it, and are renamed by that', async () => {
  const bob = (await org.get('/api/v1/users/users/?username=bob')).body[0].id
  const rule = { name: 'office', user: bob, rules: { ip_group: ['10.1.0.0/16'] }, action: 'reject', reviewers: [] }
  const made = (await org.post('/api/v1/acls/login-acls/', rule)).body
  const all = await exported()
  expect((await plan(all, { prune: true })).changes).toEqual([])
  const listed = (all.sign_in_rules ?? []) as { id: string }[]
  expect(listed.map(({ id }) => id)).toEqual([expect.any(String), expect.any(String), expect.any(String)])
  const { id: _, ...unsure } = listed.find(({ id }) => id === made.id) ?? { id: '' }
  expect(wrong(await plan({ sign_in_rules: [unsure] }))).toEqual([
    'sign_in_rules 0 id: Several objects are named "office:bob": give the id.',
  ])
  const renamed = { sign_in_rules: [{ ...unsure, id: made.id, name: 'home' }] }
  expect((await applied(renamed)).body.changes).toEqual([
    expect.objectContaining({ action: 'update', fields: [{ field: 'name', before: 'office', after: 'home' }] }),
  ])
  expect((await applied({ sign_in_rules: company().sign_in_rules ?? [] }, { prune: true })).body.deleted).toBe(1)
})

test('errors of all rows are reported at once, by row and field, and nothing of the files is written', async () => {
  const documents = {
    machines: [],
    labels: [{ name: 'tier' }, 'x', 7, { name: 'env', value: 'prod', paint: 'red' }],
    user_groups: [{ name: 'Twice' }, { name: ' Twice ' }],
    applications: [{ name: 'a', category: 'db', type: 'mysql', attrs: { host: 'h', database: 'd', hots: 'x' } }],
    asset_permissions: [{ name: 'p', date_start: '2026-01-01 10:00' }],
  }
  expect(wrong(await plan(documents))).toEqual([
    expect.stringMatching(/^machines null : There is no such kind: platforms, labels/),
    'labels 0 value: This field is required.',
    'labels 1 : A row has fields, or is a name alone.',
    'labels 2 : A row has fields, or is a name alone.',
    'labels 3 paint: There is no such field.',
    'applications 0 attrs.hots: There is no such field.',
    'user_groups 1 name: This is in the files twice.',
    'asset_permissions 0 date_start: Write a time with its zone, such as 2027-01-31T18:00:00Z.',
  ])
  const bad = {
    nodes: ['/New'],
    system_users: [
      { name: 'one', su_enabled: true, su_from: 'two', username: 'a' },
      { name: 'two', su_enabled: true, su_from: 'one', username: 'b' },
      { name: 'three', username: 'c d' },
    ],
    assets: [
      { hostname: 'fine', ip: '10.9.9.9', platform: 'Linux', nodes: ['/New'] },
      { hostname: 'odd', ip: '10.9.9.9', platform: 'Nothing', protocols: ['ssh/99999'] },
    ],
    asset_permissions: [{ name: 'p', nodes: ['/New'], system_users: ['three'] }],
    command_filters: [{ name: 'f', rules: [{ content: 'ls' }, { type: 'regex', content: '(' }] }],
    sign_in_rules: [{ name: 'r', user: 'bob', rules: { ip_group: ['x'] }, reviewers: [] }],
  }
  const asked = await plan(bad)
  expect(wrong(asked)).toEqual([
    expect.stringContaining('system_users 1 : New rows refer to each other in a circle'),
    'system_users 0 su_from: "two" has errors of its own.',
    'system_users 2 username: Special characters are not allowed',
    'assets 1 platform: Invalid pk "Nothing" - object does not exist.',
    'command_filters 0 rules.1.content: Not a valid regular expression',
    'asset_permissions 0 system_users.0: "three" has errors of its own.',
    'sign_in_rules 0 rules.ip_group.0: IP address invalid: `x`',
  ])
  expect([asked.digest, asked.access]).toEqual(['', null])
  const before = await exported()
  const done = await org.post(AS_CODE.apply, { documents: bad, digest: 'x' })
  expect([done.status, done.body.code, done.body.errors.length]).toEqual([400, 'invalid', 7])
  expect(await exported()).toEqual(before)
})

test('an apply is refused once the state is another than planned, and of two at once only one is carried out', async () => {
  const documents = { user_groups: [{ name: 'Raced', users: ['bob'] }] }
  const { digest } = await plan(documents)
  const both = await Promise.all([1, 2].map(() => org.post(AS_CODE.apply, { documents, digest })))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const changed = { user_groups: [{ name: 'Raced', users: [], comment: 'new' }] }
  const second = await plan(changed)
  const [row] = (await org.get('/api/v1/users/groups/?name=Raced')).body
  await org.patch(`/api/v1/users/groups/${row.id}/`, { comment: 'meanwhile' })
  const late = await org.post(AS_CODE.apply, { documents: changed, digest: second.digest })
  expect([late.status, late.body.code]).toEqual([409, 'conflict'])
  expect((await org.get(`/api/v1/users/groups/${row.id}/`)).body.comment).toBe('meanwhile')
  const prune = await org.post(AS_CODE.apply, { documents: changed, digest: (await plan(changed)).digest, prune: true })
  expect(prune.status, 'another call than the one that was planned').toBe(409)
})

test('an apply is one change: undo takes all of it back at once', async () => {
  const documents = {
    nodes: ['/Undone/Below'],
    user_groups: [{ name: 'Undone', users: ['bob'] }],
    assets: [{ hostname: 'undone', ip: '10.0.0.9', platform: 'Linux', nodes: ['/Undone/Below'] }],
    command_filters: [
      { name: 'undone', user_groups: ['Undone'], rules: [{ content: 'ls' }] },
      { name: 'as well', rules: [{ content: 'ps' }, { content: 'id' }] },
      { name: 'without rules' },
    ],
    labels: [],
  }
  const before = await exported()
  const done = await applied(documents)
  expect(done.status).toBe(200)
  expect(done.body).toMatchObject({ created: 7, unchanged: 0 })
  const logged = (await org.get('/api/v1/audits/operate-logs/?limit=10')).body.results
  expect(logged.map((row: { resource: string }) => row.resource)).toEqual(
    expect.arrayContaining(['Undone', 'undone', 'undone(10.0.0.9)', '/Harbour/Undone/Below']),
  )
  const undone = await org.post(`/api/v1/audits/undo/${done.headers['x-change']}/`, {})
  expect(undone.status, JSON.stringify(undone.body)).toBe(200)
  expect(await exported()).toEqual(before)
})

test('a node gets another name by files, prune takes the former one out, and undo brings all of it back', async () => {
  const before = await exported()
  const documents = {
    nodes: before.nodes?.map((path) => (path === '/Db' ? '/Databases' : path)) ?? [],
    assets: [
      ...(before.assets?.map((row) => JSON.parse(JSON.stringify(row).replace('"/Db"', '"/Databases"'))) ?? []),
      { hostname: 'zebra', ip: '10.0.0.77', platform: 'Linux', nodes: ['/Databases'] },
    ],
    user_groups: before.user_groups?.slice(1) ?? [],
    platforms: [],
  }
  const asked = await plan(documents, { prune: true })
  expect(asked.changes.map(({ kind, name, action }) => `${action} ${kind} ${name}`)).toEqual([
    'create nodes /Databases',
    'delete nodes /Db',
    'create assets zebra',
    'update assets web-1',
    'delete user_groups Empty',
  ])
  const done = await org.post(AS_CODE.apply, { documents, prune: true, digest: asked.digest })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  expect(await exported(), "platforms are not the organization's own").toMatchObject({
    ...documents,
    platforms: before.platforms,
  })
  const undone = await org.post(`/api/v1/audits/undo/${done.headers['x-change']}/`, {})
  expect(undone.status, JSON.stringify(undone.body)).toBe(200)
  expect(await exported()).toEqual(before)
})

test('secrets are written with new rows, or where that is asked for, and a plan needs none of them', async () => {
  const unsent = { unsent: true }
  const documents = (password: unknown) => ({
    system_users: [{ name: 'vaulted', username: 'v', password, auto_push: false }],
    gateways: [{ name: 'vaulted', ip: '10.0.0.2', domain: 'dmz', password }],
  })
  const first = await plan(documents(unsent))
  expect(wrong(first)).toEqual([])
  expect(first.wanted_secrets.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
    'gateways password',
    'system_users password',
  ])
  const missing = await org.post(AS_CODE.apply, { documents: documents(unsent), digest: first.digest })
  expect([missing.status, missing.body.errors[0].message]).toEqual([400, 'This secret was not sent.'])
  const done = await org.post(AS_CODE.apply, { documents: documents('Secret-one-1'), digest: first.digest })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  expect(JSON.stringify(done.body)).not.toContain('Secret-one')
  // Sallyport may have rotated it since: what exists keeps its secret.
  expect((await plan(documents(unsent))).changes).toEqual([])
  const again = await plan(documents(unsent), { set_secrets: true })
  expect(again.changes.map(({ name, fields }) => [name, fields])).toEqual([
    ['vaulted', [{ field: 'password', is_secret: true }]],
    ['vaulted', [{ field: 'password', is_secret: true }]],
  ])
  const remote = (chrome_password: unknown) => ({
    applications: [
      {
        ...{ name: 'vaulted', category: 'remote_app', type: 'chrome' },
        attrs: { asset: 'web-1', path: 'C:\\chrome.exe', chrome_target: 'https://x.example', chrome_password },
      },
    ],
  })
  expect((await applied(remote('Secret-two-2'))).status).toBe(200)
  expect((await plan(remote(unsent))).changes).toEqual([])
  expect((await applied(remote('Secret-two-3'), { set_secrets: true })).body.changes).toEqual([
    expect.objectContaining({ fields: [{ field: 'attrs.chrome_password', is_secret: true }] }),
  ])
  expect((await exported()).applications).toContainEqual(expect.objectContaining({ name: 'vaulted' }))
  const moved = { gateways: [{ name: 'vaulted', ip: '10.0.0.3', domain: 'dmz', password: unsent }] }
  expect(wrong(await plan(moved))).toEqual([
    'gateways 0 password: The gateway was moved: enter its password or key again',
  ])
  expect(
    (await applied({ gateways: [{ ...moved.gateways[0], password: 'Other-1' }] }, { set_secrets: true })).status,
  ).toBe(200)
})

test('files need the rights, the scopes and the organization of each single call', async () => {
  const member = await server.aPerson('member', { org: orgId })
  for (const [method, url] of [
    ['get', AS_CODE.export],
    ['post', AS_CODE.plan],
    ['post', AS_CODE.apply],
  ] as const)
    expect((await member[method](url, { documents: {} })).status).toBe(403)
  const orgAdmin = await server.aPerson('harbour-admin', { org: orgId, orgRoles: ['Admin'] })
  const platform = { platforms: [{ name: 'Router', base: 'Other', meta: { device: 'cisco' } }] }
  expect(wrong(await plan(platform, {}, orgAdmin))).toEqual([
    'platforms 0 : You do not have permission to perform this action.',
  ])
  expect((await applied(platform)).status).toBe(200)
  expect((await plan(platform, {}, orgAdmin)).unchanged, 'nothing to write needs no right to write').toBe(1)
  expect(await exported(orgAdmin)).toEqual(await exported())
  const identity = (
    await org.post('/api/v1/authentication/service-identities/', {
      name: 'ci',
      username: 'svc.ci',
      owner: orgAdmin.id,
      purpose: 'applies files',
      org_roles: ['Admin'],
      reads: ['perms'],
      writes: ['assets'],
    })
  ).body
  const { token } = (await org.post('/api/v1/authentication/service-keys/', { identity: identity.id, name: 'k' })).body
  const send = async (method: string, url: string, body?: unknown) =>
    server.call(method, url, { body, headers: { authorization: `Bearer ${token}`, 'x-jms-org': orgId } })
  expect(Object.keys((await send('GET', AS_CODE.export)).body)).toEqual([
    ...[
      'platforms',
      'labels',
      'domains',
      'gateways',
      'host_authorities',
      'nodes',
      'secret_sources',
      'system_users',
      'assets',
      'command_filters',
    ],
    ...['asset_permissions', 'application_permissions'],
  ])
  expect((await send('GET', `${AS_CODE.export}?kinds=user_groups`)).status).toBe(403)
  const documents = {
    labels: [{ name: 'by', value: 'ci' }],
    user_groups: [{ name: 'ci' }],
    asset_permissions: [{ name: 'ci', nodes: ['/Web'] }],
  }
  const { body } = await send('POST', AS_CODE.plan, { documents })
  expect(wrong(body)).toEqual([
    'user_groups null : The scopes of this service identity do not include this call',
    'asset_permissions 0 : The scopes of this service identity do not include this call',
  ])
  const allowed = { labels: documents.labels }
  const { digest } = (await send('POST', AS_CODE.plan, { documents: allowed })).body
  expect((await send('POST', AS_CODE.apply, { documents: allowed, digest })).status).toBe(200)
  put('ci.yaml', 'labels: [{name: by, value: job}]')
  const job = await sallyport(['apply', '-f', 'ci.yaml', '--yes'], { SALLYPORT_CLI_TOKEN: token })
  expect(job).toMatchObject({ code: 0, out: expect.stringMatching(/^\+ labels by:job\n/) })
  const path = `/api/v1/authentication/service-identities/${identity.id}/`
  expect((await org.patch(path, { writes: ['all'], limits_targets: true })).status).toBe(200)
  expect((await send('GET', AS_CODE.export)).status, 'limited to targets').toBe(403)
  expect((await send('POST', AS_CODE.plan, { documents: allowed })).status).toBe(403)
  // A key of some addresses lets nobody in from elsewhere, by files either.
  const key = (await admin.post('/api/v1/authentication/access-keys/', { ip_group: ['127.0.0.1'] })).body
  const rule = { sign_in_rules: [{ name: 'open', user: 'bob', rules: {}, action: 'allow', reviewers: [] }] }
  const { body: limited } = await server.call('POST', AS_CODE.plan, {
    body: { documents: rule },
    headers: { ...signed(AS_CODE.plan, key, 'post'), 'x-jms-org': orgId },
  })
  expect(wrong(limited)).toEqual([
    expect.stringMatching(/^sign_in_rules 0 : This API key works from some addresses only/),
  ])
})

test('bodies that are too deep, too many or no documents are refused', async () => {
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)
  expect((await org.post(AS_CODE.plan, { documents: { labels: deep } })).status).toBe(413)
  const many = { documents: { nodes: Array.from({ length: 20_001 }, (_, at) => `/n${at}`) } }
  expect((await org.post(AS_CODE.plan, many)).status).toBe(400)
  const changes = { documents: { nodes: many.documents.nodes.slice(0, 1001) } }
  expect((await org.post(AS_CODE.plan, changes)).body.code).toBe('too_large')
  for (const body of [{}, { documents: [] }, { documents: { labels: {} } }, { documents: 'x' }])
    expect((await org.post(AS_CODE.plan, body)).status, JSON.stringify(body)).toBe(400)
  const wide = { user_groups: [{ name: 'wide', users: Array.from({ length: 100_000 }, (_, at) => `u${at}`) }] }
  expect((await plan(wide)).errors).toHaveLength(1000)
  const path = `/${'a/'.repeat(100_000)}`
  expect(wrong(await plan({ nodes: [path] }))).toEqual(['nodes 0 path: This path has too many levels.'])
  const odd = {
    assets: [{ hostname: '__proto__', ip: '10.0.0.1', platform: 'Linux', ['__proto__']: 1, constructor: 1 }],
  }
  expect(wrong(await plan(odd))).toEqual([
    'assets 0 __proto__: There is no such field.',
    'assets 0 constructor: There is no such field.',
  ])
  expect(wrong(await plan({ user_groups: [{ name: 'g', users: ['b\0b'] }] }))).toHaveLength(1)
  expect(wrong(await plan({ labels: [{ name: 'nul\0', value: 'x' }], __proto__: [] } as never))).toEqual([
    'labels 0 name: Null characters are not allowed.',
  ])
})

test('levels of paths and rows below others count as well; values of any shape are refused in words', async () => {
  const deep = Array.from({ length: 400 }, (_, at) => `/top${at}${'/level'.repeat(60)}`)
  expect((await org.post(AS_CODE.plan, { documents: { nodes: deep } })).body.code).toBe('too_large')
  const rules = Array.from({ length: 1001 }, (_, at) => ({ content: `command-${at}` }))
  const filter = { documents: { command_filters: [{ name: 'long', rules }] } }
  expect((await org.post(AS_CODE.plan, filter)).body.code).toBe('too_large')
  const odd = { toString: 1 }
  const shapes = {
    assets: [{ hostname: odd, ip: '10.0.0.1', platform: 'Linux' }],
    sign_in_rules: [{ name: 'n', user: odd }],
  }
  expect(wrong(await plan(shapes))).toEqual([
    'assets 0 hostname: This field is required.',
    'sign_in_rules 0 user: This field is required.',
  ])
  expect((await plan({ user_groups: [{ name: 'g', users: [odd] }] })).errors).toHaveLength(1)
})

test('a permission that says nothing of forwarding is one without it: what is there stays the same', async () => {
  const { asset_permissions: [first] = [] } = await exported()
  expect(first).not.toHaveProperty('forwarding')
  expect(await plan({ asset_permissions: [first] })).toMatchObject({ unchanged: 1, changes: [] })
})

test('an export makes the same company in another organization, with its own ids and its own top of the tree', async () => {
  const all = await exported()
  const copy = await server.anOrg('Copy')
  const members = (await org.get('/api/v1/users/users/')).body as { id: string; username: string }[]
  for (const { id } of members.filter(({ username }) => ['alice', 'bob'].includes(username)))
    expect((await admin.post('/api/v1/orgs/org-member-relation/', { org: copy, user: id, role: 'User' })).status).toBe(
      201,
    )
  const there = admin.in(copy)
  const done = await applied(all, { prune: true }, there)
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  expect(await exported(there)).toEqual(all)
  expect((await there.get('/api/v1/assets/nodes/')).body[0].full_value).toBe('/Copy')
  expect(await exported()).toEqual(all)
})

const PROGRAM = fileURLToPath(new URL('../../../packages/cli/bin/sallyport.js', import.meta.url))

interface Ran {
  code: number | null
  out: string
  error: string
}

/** A run of the command line in a folder of files, as a job does: by a token, without a terminal. */
function sallyport(words: string[], environment: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LC_ALL: 'C',
      SALLYPORT_CLI_URL: server.url,
      SALLYPORT_CLI_TOKEN: admin.token,
      SALLYPORT_CLI_ORG: orgId,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<Ran>()
  let [out, error] = ['', '']
  child.stdout.on('data', (bytes) => (out += bytes))
  child.stderr.on('data', (bytes) => (error += bytes))
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, out, error }))
  return promise
}
const put = (name: string, text: string) => writeFileSync(join(folder, name), text)

test('on the command line an export is written as files, which are planned and applied and change nothing', async () => {
  expect(await sallyport(['export', '-o', 'company'])).toMatchObject({ code: 0, error: '' })
  const files = readdirSync(join(folder, 'company'))
  const before = files.map((file) => readFileSync(join(folder, 'company', file), 'utf8'))
  expect(files).toContain('asset_permissions.yaml')
  expect(before.join('')).not.toMatch(/secret/i)
  const asked = await sallyport(['apply', '-f', 'company', '--plan', '--prune'])
  expect(asked).toMatchObject({
    code: 0,
    error: '',
    out: expect.stringMatching(/^0 to create, 0 to change, 0 to remove/),
  })
  expect(await sallyport(['apply', '-f', 'company', '--prune'])).toMatchObject({ code: 0, out: asked.out })
  await sallyport(['export', '-o', 'company'])
  expect(files.map((file) => readFileSync(join(folder, 'company', file), 'utf8'))).toEqual(before)
  expect((await sallyport(['export', '--kinds', 'nodes'])).out).toContain('nodes:\n  - /Db\n')
  expect(Object.keys(JSON.parse((await sallyport(['export', '--kinds', 'nodes', '--json'])).out))).toEqual(['nodes'])
})

test('a plan reads like a diff, ends with 2 where changes are pending, and asks before it is carried out', async () => {
  put('key', 'Secret-of-file-1\n')
  put(
    'new.yaml',
    [
      'system_users:',
      '  - {name: by-env, username: e, auto_push: false, password: {env: DEPLOY_PASSWORD}}',
      '  - {name: by-file, username: f, auto_push: false, password: {file: key}}',
      'user_groups: &groups',
      '  - name: From files',
      '    users: [alice, bob]',
      '---',
      'asset_permissions:',
      '  - name: From files',
      '    user_groups: [From files]',
      '    nodes: [/Db]',
      '    system_users: [by-env]',
    ].join('\n'),
  )
  const asked = await sallyport(['apply', '-f', 'new.yaml', '--plan'])
  expect(asked).toMatchObject({ code: 2, error: '' })
  expect(asked.out).toContain(
    '+ user_groups From files\n    users: ["alice","bob"]\n+ asset_permissions From files\n    user_groups: ["From files"]\n',
  )
  expect(asked.out).toContain('    password: (secret)\n')
  expect(asked.out).toContain('4 to create, 0 to change, 0 to remove, 0 as they are')
  expect(asked.out).toMatch(
    /Gained access \(people: 2, targets: 1\):\n {2}\+ alice of test\(alice\) {2}web-1\(10\.0\.1\.1\) {2}by-env/,
  )
  expect(await sallyport(['apply', '-f', 'new.yaml'])).toMatchObject({
    code: 2,
    error: expect.stringContaining('say --yes'),
  })
  expect(await sallyport(['apply', '-f', 'new.yaml', '--yes'])).toMatchObject({
    code: 1,
    error: 'sallyport: system_users by-env password: The variable DEPLOY_PASSWORD is empty\n',
  })
  const done = await sallyport(['apply', '-f', 'new.yaml', '--yes', '--json'], { DEPLOY_PASSWORD: 'Secret-of-env-1' })
  expect(done).toMatchObject({ code: 0, error: '' })
  expect(done.out).not.toContain('Secret-of')
  expect(JSON.parse(done.out)).toMatchObject({ created: 4, change: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect((await sallyport(['apply', '-f', 'new.yaml', '--plan'])).code, 'what exists needs no secret').toBe(0)
  put('new.yaml', 'user_groups: [{name: From files, users: [bob], comment: "two\\nlines \\e[31m"}]')
  const changed = await sallyport(['apply', '-f', 'new.yaml', '--plan'])
  expect(changed.out).toContain(
    '~ user_groups From files\n    comment: null → "two\\nlines \\u001b[31m"\n    users: - alice\n',
  )
  expect(changed.out).toContain('Lost access (people: 1, targets: 1):')
  expect((await sallyport(['apply', '-f', 'new.yaml', '--plan'], { LC_ALL: 'zh_CN.UTF-8' })).out).toContain('更改 1')
})

test('errors name the file and the line, for people and for programs', async () => {
  put('a.yaml', 'labels:\n  - name: x\n    value: y\n    paint: red\n')
  put('b.yaml', '# says who\nuser_groups:\n  - name: Staff\n    users:\n      - alice\n      - nobody\n')
  expect(await sallyport(['apply', '-f', 'a.yaml', '-f', 'b.yaml', '--plan'])).toMatchObject({
    code: 1,
    error: [
      'a.yaml:4: labels x:y paint: There is no such field.',
      'sallyport: The files have errors: nothing was changed\n',
    ].join('\n'),
  })
  const { code, out } = await sallyport(['apply', '-f', 'b.yaml', '--plan', '--json'])
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      errors: [
        {
          ...{ kind: 'user_groups', index: 0, name: 'Staff', field: 'users.1' },
          ...{ message: 'There is no "nobody" here.', file: 'b.yaml', line: 6 },
        },
      ],
    },
  ])
  put('c.yaml', 'labels: [')
  expect((await sallyport(['apply', '-f', 'c.yaml', '--plan'])).error).toMatch(/^sallyport: c\.yaml:1: /)
  expect((await sallyport(['apply', '--plan'])).code).toBe(2)
  expect((await sallyport(['apply', '-f', 'missing', '--plan'])).code).toBe(2)
})

test('the example of the documentation is planned as it is written there', async () => {
  const page = readFileSync(new URL('../../../docs/everything-as-code.md', import.meta.url), 'utf8')
  put('example.yaml', /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  const { code, out, error } = await sallyport(['apply', '-f', 'example.yaml', '--plan'])
  expect([code, error]).toEqual([2, ''])
  const shown = /```\n\$ sallyport apply[^\n]*\n([\s\S]*?)\nGained/.exec(page)?.[1] ?? ''
  expect(shown).toContain('5 to create')
  expect(out).toContain(shown)
  expect(out).toContain('Gained access (people: 2, targets: 1):')
})

/** Resources that files do not have, and why. */
const NOT_IN_FILES: readonly (readonly [RegExp, string])[] = [
  [
    /^user$|^organization|^service_|^trust_rule$|^group_mapping$|_provider$|^cas_server$|^directory$|^radius_server$/,
    'sign-ins and their people',
  ],
  [/_relation$|^admin_user$/, 'part of the rows at both ends'],
  [/^(asset|application)_account$/, 'made by permissions and by pushes'],
  [
    /_plan$|_task$|^task$|^break_glass_bundle$|^cloud_account$|^access_review$|^runbook$/,
    'work by the clock, and its results',
  ],
  [/_storage$|^webhook$|^ticket_flow$/, 'set up by system administrators'],
  [/^ssh_authority$/, 'made here, each version with a key that nobody is shown'],
  [/^session$/, 'evidence'],
]

test('every resource that people configure is in files, or is named with the reason why it is not', () => {
  const configured = resources.filter(
    ({ operations, scope }) =>
      scope !== 'self' && operations.includes('create') && operations.includes('partial_update'),
  )
  const known = KINDS.flatMap(({ definition, children }) => [definition.name, children?.definition.name])
  const isNamed = (name: string) => NOT_IN_FILES.some(([pattern]) => pattern.test(name))
  expect(configured.filter(({ name }) => !known.includes(name) && !isNamed(name)).map(({ name }) => name)).toEqual([])
  expect(known.filter((name) => name && isNamed(name))).toEqual([])
})

test('every secret of the kinds is one that files only name the place of', () => {
  const secrets = KINDS.flatMap(({ definition: { fields } }) => [
    ...Object.entries(fields),
    ...Object.values(fields).flatMap(({ shapes = {} }) =>
      Object.values(shapes).flatMap((shape) => Object.entries(shape)),
    ),
  ]).filter(([name, field]) => field.writeOnly && /string|text/.test(field.type) && name !== 'public_key')
  expect(secrets.length).toBeGreaterThan(8)
  expect(secrets.filter(([name]) => !isSecretField(name))).toEqual([])
})
