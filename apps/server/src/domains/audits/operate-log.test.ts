import type { OperateLog, OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, auditor, BOB, type DomainServer, openDomainServer, otherAdmin } from '../../../test/domain-server.ts'

const LOG = '/api/v1/audits/operate-logs/'
const LINUX = { platform: 'Linux' }
let server: DomainServer
beforeAll(async () => {
  server = await openDomainServer()
})
afterAll(() => server?.close())

/** Entries of the log for that object, newest first. */
const logOf = async (id: string, headers = auditor): Promise<OperateLog[]> =>
  (await server.call('GET', `${LOG}?object_id=${id}`, undefined, headers)).body

/** The newest row's changes, without what is empty in them. */
async function lastChanges(id: string, headers = auditor): Promise<Record<string, unknown>[]> {
  const changes = ((await logOf(id, headers))[0]?.changes ?? []) as OperateLogChange[]
  return changes.map((change) =>
    Object.fromEntries(
      Object.entries(change).filter(
        ([, value]) => value !== null && value !== false && value !== 0 && String(value) !== '',
      ),
    ),
  )
}

const write = async (method: 'PATCH' | 'POST', path: string, body: unknown, headers = admin) => {
  const answer = await server.call(method, `/api/v1/${path}/`, body, headers)
  expect([answer.status, answer.body]).toEqual([expect.toSatisfy((status) => status < 300), expect.anything()])
  return answer.body
}

test('an update says of each field what it was and what it is, in the words of the forms', async () => {
  const asset = await server.make('assets/assets', { ...LINUX, hostname: 'web-1', ip: '10.0.0.1' })
  await write('PATCH', `assets/assets/${asset.id}`, { ip: '10.0.0.2', is_active: false, comment: 'moved' })
  const [row] = await logOf(asset.id)
  expect(row).toMatchObject({
    user: 'Ann(ann)',
    user_id: admin['x-test-user'],
    action: 'update',
    resource: 'web-1(10.0.0.2)',
    object_type: 'asset',
    object_id: asset.id,
    object_exists: true,
  })
  expect(await lastChanges(asset.id)).toEqual([
    { field: 'ip', label: 'IP', before: '10.0.0.1', after: '10.0.0.2' },
    { field: 'is_active', label: 'Active', before: 'Yes', after: 'No' },
    { field: 'comment', label: 'Comment', after: 'moved' },
  ])
  expect(await lastChanges(asset.id, { ...auditor, cookie: 'django_language=zh-hans' })).toContainEqual({
    field: 'is_active',
    label: '已启用',
    before: '是',
    after: '否',
  })
})

test('a new row says what was set, a row that was saved as it was says nothing, a deleted one who it was', async () => {
  const domain = await server.make('assets/domains', { name: 'inner' })
  const asset = await server.make('assets/assets', { ...LINUX, hostname: 'web-2', ip: '10.0.0.3', domain: domain.id })
  const created = await lastChanges(asset.id)
  expect(created).toContainEqual({ field: 'hostname', label: 'Hostname', after: 'web-2' })
  expect(created).toContainEqual({ field: 'domain', label: 'Domain', after: 'inner' })
  expect(created.map(({ field }) => field)).not.toContain('is_active')
  await write('PATCH', `assets/assets/${asset.id}`, { ip: '10.0.0.3', domain: domain.id })
  expect((await logOf(asset.id))[0]).toMatchObject({ action: 'update', changes: [] })
  await server.call('DELETE', `/api/v1/assets/assets/${asset.id}/`)
  expect((await logOf(asset.id))[0]).toMatchObject({
    action: 'delete',
    resource: 'web-2(10.0.0.3)',
    object_exists: false,
  })
})

test('a deleted row keeps what it held and what it was linked to, without its secrets', async () => {
  const secret = 'gone-with-the-account'
  const asset = await server.make('assets/assets', { ...LINUX, hostname: 'web-9', ip: '10.0.9.1' })
  const account = await server.make('assets/system-users', {
    name: 'leaver',
    username: 'leaver',
    protocol: 'ssh',
    password: secret,
    assets: [asset.id],
  })
  const rule = await server.make('perms/asset-permissions', {
    name: 'short-lived',
    actions: ['connect'],
    users: [BOB],
    assets: [asset.id],
    system_users: [account.id],
  })
  await server.call('DELETE', `/api/v1/perms/asset-permissions/${rule.id}/`)
  const last = await lastChanges(rule.id)
  expect(last).toContainEqual({ field: 'name', label: 'Name', before: 'short-lived' })
  expect(last).toContainEqual({ field: 'actions', label: 'Actions', before: 'Connect' })
  expect(last).toContainEqual(
    expect.objectContaining({ field: 'assets', removed: ['web-9(10.0.9.1)'], removed_amount: 1 }),
  )
  expect(last).toContainEqual(expect.objectContaining({ field: 'users', removed_amount: 1 }))
  await server.call('DELETE', `/api/v1/assets/system-users/${account.id}/`)
  const gone = await lastChanges(account.id)
  expect(gone).toContainEqual(expect.objectContaining({ field: 'username', before: 'leaver' }))
  expect(gone.map(({ field }) => field)).not.toContain('password')
  expect(JSON.stringify(gone)).not.toContain(secret)
})

test('each of several rows that are deleted together has its own entry, and an entry of many links has the first and their number', async () => {
  const rack = await server.make('assets/nodes', { value: 'Rack' })
  const labels = []
  for (let n = 0; n < 22; n++) labels.push((await server.make('assets/labels', { name: 'slot', value: `s${n}` })).id)
  const many = await server.make('assets/assets', { ...LINUX, hostname: 'many', ip: '10.0.9.2', labels })
  const one = await server.make('assets/assets', { ...LINUX, hostname: 'one', ip: '10.0.9.3', nodes: [rack.id] })
  await server.call('DELETE', `/api/v1/assets/assets/${many.id},${one.id}/`)
  expect(await lastChanges(many.id)).toContainEqual(
    expect.objectContaining({
      field: 'labels',
      removed: expect.toSatisfy((names) => names.length === 20),
      removed_amount: 22,
    }),
  )
  expect(await lastChanges(one.id)).toContainEqual(
    expect.objectContaining({ field: 'nodes', removed: [rack.full_value], removed_amount: 1 }),
  )
})

test('a node that moved says from where to where, and which assets were put in or taken out', async () => {
  const [from, to] = [
    await server.make('assets/nodes', { value: 'Old hall' }),
    await server.make('assets/nodes', { value: 'New hall' }),
  ]
  await server.call('PUT', `/api/v1/assets/nodes/${to.id}/children/add/`, { nodes: [from.id] })
  expect((await logOf(from.id))[0]).toMatchObject({ resource: `${to.full_value}/Old hall`, object_exists: true })
  expect(await lastChanges(from.id)).toEqual([
    { field: 'full_value', label: 'Full path', before: from.full_value, after: `${to.full_value}/Old hall` },
  ])
  const asset = await server.make('assets/assets', { ...LINUX, hostname: 'web-8', ip: '10.0.8.1', nodes: [to.id] })
  await write('PATCH', `assets/nodes/${from.id}/assets/add`, { assets: [asset.id] })
  expect(await lastChanges(from.id)).toEqual([
    { field: 'assets', label: 'Assets', added: ['web-8(10.0.8.1)'], added_amount: 1 },
  ])
  await write('PATCH', `assets/nodes/${from.id}/assets/add`, { assets: [asset.id] })
  expect(await lastChanges(from.id)).toEqual([])
  await write('PATCH', `assets/nodes/${from.id}/assets/remove`, { assets: [asset.id] })
  expect(await lastChanges(from.id)).toEqual([
    { field: 'assets', label: 'Assets', removed: ['web-8(10.0.8.1)'], removed_amount: 1 },
  ])
})

test('the log has the roles of a person who gets one in an organization and is removed from it', async () => {
  const cara = await server.make('users/users', { name: 'Cara', username: 'cara', email: 'cara@example.com' })
  await server.call('POST', '/api/v1/users/users/invite/', [{ user: cara.id, role: 'Auditor' }])
  const auditorRole = { field: 'org_roles', label: 'Organization roles' }
  expect(await lastChanges(cara.id)).toEqual([{ ...auditorRole, added: ['Organization auditor'], added_amount: 1 }])
  await server.call('POST', `/api/v1/users/users/${cara.id}/remove/`)
  expect((await logOf(cara.id))[0]).toMatchObject({ action: 'delete', resource: 'Cara(cara)' })
  expect(await lastChanges(cara.id)).toEqual([expect.objectContaining({ ...auditorRole, removed_amount: 2 })])
})

test('the entry of a secret says only that it was set', async () => {
  const secret = 'never-to-be-read-again'
  const account = await server.make('assets/system-users', { name: 'deploy', username: 'deploy', protocol: 'ssh' })
  await write('PATCH', `assets/system-users/${account.id}`, { password: secret, comment: 'rotated' })
  expect(await lastChanges(account.id)).toEqual([
    { field: 'password', label: 'Password', is_secret: true },
    { field: 'comment', label: 'Comment', after: 'rotated' },
  ])
  const { rows } = await server.pool.query(
    'SELECT coalesce(string_agg(changes::text, $1), $1) AS all FROM audits_operate_log',
    [''],
  )
  expect(rows[0].all).toContain('password')
  expect(rows[0].all).not.toContain(secret)
})

test('links are listed by name, those that came and those that went; of many the first and how many', async () => {
  const [one, two] = [
    await server.make('assets/nodes', { value: 'East' }),
    await server.make('assets/nodes', { value: 'West' }),
  ]
  const asset = await server.make('assets/assets', { ...LINUX, hostname: 'web-3', ip: '10.0.0.4', nodes: [one.id] })
  await write('PATCH', `assets/assets/${asset.id}`, { nodes: [two.id] })
  expect(await lastChanges(asset.id)).toEqual([
    {
      field: 'nodes',
      label: 'Nodes',
      added: [two.full_value],
      added_amount: 1,
      removed: [one.full_value],
      removed_amount: 1,
    },
  ])
  const labels = []
  for (let n = 0; n < 25; n++) labels.push((await server.make('assets/labels', { name: 'rack', value: `r${n}` })).id)
  await write('PATCH', `assets/assets/${asset.id}`, { labels })
  expect(await lastChanges(asset.id)).toMatchObject([
    { field: 'labels', added: expect.toSatisfy((names) => names.length === 20), added_amount: 25 },
  ])
})

test("roles and groups of a person are links, too, and a permission's actions are words", async () => {
  const group = await server.make('users/groups', { name: 'Night shift' })
  await write('PATCH', `users/users/${BOB}`, { groups: [group.id], org_roles: ['Auditor'] })
  expect(await lastChanges(BOB)).toEqual([
    {
      field: 'org_roles',
      label: expect.any(String),
      added: ['Organization auditor'],
      added_amount: 1,
      removed: ['User'],
      removed_amount: 1,
    },
    { field: 'groups', label: expect.any(String), added: ['Night shift'], added_amount: 1 },
  ])
  await write('PATCH', `users/users/${BOB}`, { org_roles: ['User'] })
  const rule = await server.make('perms/asset-permissions', { name: 'all', actions: ['connect', 'upload_file'] })
  await write('PATCH', `perms/asset-permissions/${rule.id}`, { actions: ['connect'] })
  expect(await lastChanges(rule.id)).toEqual([
    { field: 'actions', label: 'Actions', before: 'Connect, Upload file', after: 'Connect' },
  ])
})

test('each row of a bulk update and of an import has changes of its own', async () => {
  const assets = []
  for (const n of [1, 2])
    assets.push(await server.make('assets/assets', { ...LINUX, hostname: `bulk-${n}`, ip: `10.0.1.${n}` }))
  await write(
    'PATCH',
    'assets/assets',
    assets.map(({ id }, n) => ({ id, comment: `number ${n}` })),
  )
  for (const [n, { id }] of assets.entries())
    expect(await lastChanges(id)).toEqual([{ field: 'comment', label: 'Comment', after: `number ${n}` }])
})

test('a long value is cut and says so', async () => {
  const label = await server.make('assets/labels', { name: 'env', value: 'x' })
  const long = `${'é'.repeat(499)}😀 and more`
  await write('PATCH', `assets/labels/${label.id}`, { comment: long })
  const [change] = await lastChanges(label.id)
  expect(change).toMatchObject({ field: 'comment', is_cut: true })
  expect(String(change?.after)).toHaveLength(500)
})

test('an auditor of another organization sees nothing of it', async () => {
  const label = await server.make('assets/labels', { name: 'hidden', value: 'x' })
  expect(await logOf(label.id)).toHaveLength(1)
  expect(await logOf(label.id, otherAdmin)).toEqual([])
})
