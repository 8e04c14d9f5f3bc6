import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANN, as, BOB, type DomainServer, openDomainServer } from '../../../test/domain-server.ts'
import { openLicense } from '../xpack/license.ts'
import { findGrantedApplications } from './granted/granted-applications.ts'
import { mayConnect } from './may-connect.ts'

const PERMISSIONS = '/api/v1/perms/application-permissions/'
const MINE = '/api/v1/perms/users/applications/'
const bob = as({ user: BOB, orgRoles: ['User'] })

let server: DomainServer
let orders: string
let cache: string
let keeper: string
let permission: string

const make = (path: string, row: Record<string, unknown>) => server.make(path, row)
const database = async (name: string, type: string) =>
  (await make('applications/applications', { name, category: 'db', type, attrs: { host: 'db.test', database: name } }))
    .id
const names = (rows: { name: string }[]) => rows.map(({ name }) => name)

beforeAll(async () => {
  server = await openDomainServer(async (kernel) => {
    const license = await openLicense(kernel)
    license.isValid = () => true
  })
  orders = await database('orders', 'mysql')
  cache = await database('cache', 'redis')
  const account = { username: 'keeper', login_mode: 'auto', auto_push: false }
  keeper = (await make('assets/system-users', { name: 'keeper', protocol: 'mysql', ...account })).id
  const group = await make('users/groups', { name: 'shop', users: [BOB] })
  const draft = { name: 'shop', category: 'db', type: 'mysql', user_groups: [group.id] }
  permission = (
    await make('perms/application-permissions', { ...draft, applications: [orders], system_users: [keeper] })
  ).id
})
afterAll(() => server?.close())

test('[A2.33] a permission is about applications of its own type, in the form and by its relations', async () => {
  const refused = await server.call('PATCH', `${PERMISSIONS}${permission}/`, { applications: [orders, cache] })
  expect([refused.status, refused.body]).toEqual([
    400,
    { applications: ['Not of the type of the permission:', 'cache'] },
  ])
  const relations = '/api/v1/perms/application-permissions-applications-relations/'
  const pair = { applicationpermission: permission, application: cache }
  expect((await server.call('POST', relations, pair)).status).toBe(400)
  expect((await server.call('GET', `${PERMISSIONS}${permission}/applications/all/`)).body).toEqual([
    { application: orders, application_display: 'orders(mysql)[db]' },
  ])
  const other = await server.call('PATCH', `${PERMISSIONS}${permission}/`, { type: 'redis' })
  expect([other.status, Object.keys(other.body)]).toEqual([400, ['type']])
  for (const filter of ['type=mysql', 'application=orders', `app=${orders}`, `user_id=${BOB}`, 'search=shop'])
    expect(names((await server.call('GET', `${PERMISSIONS}?${filter}`)).body)).toEqual(['shop'])
  for (const filter of ['type=redis', 'application=cache', `user_id=${BOB}&all=0`])
    expect((await server.call('GET', `${PERMISSIONS}?${filter}`)).body).toEqual([])
})

test('lists without a console show applications that were granted, of the types that are asked for, by words and by name', async () => {
  const found = async (question: Partial<Parameters<typeof findGrantedApplications>[1]>) => {
    const asked = { userId: BOB, types: ['mysql', 'redis'] as const, limit: 10, ...question }
    const { total, applications } = await findGrantedApplications(server.db, asked)
    return [total, ...applications.map(({ name }) => name)]
  }
  expect(await found({})).toEqual([1, 'orders'])
  expect(await found({ userId: ANN })).toEqual([0])
  expect(await found({ types: ['redis'] })).toEqual([0])
  expect(await found({ types: [] })).toEqual([0])
  expect(await found({ words: ['ORD', 'db.test'] })).toEqual([1, 'orders'])
  for (const words of [['nothing'], ['ord', 'nothing'], ['o%r'], ['or\0x']]) expect(await found({ words })).toEqual([0])
  for (const named of ['ORDERS', orders]) expect(await found({ named })).toEqual([1, 'orders'])
  for (const named of ['order', 'o%', cache]) expect(await found({ named })).toEqual([0])
  // A page that is full, and one behind the last, still tell how many there are.
  expect(await found({ limit: 1 })).toEqual([1, 'orders'])
  expect(await found({ limit: 1, offset: 1 })).toEqual([1])
})

test('the databases of a server are those of all permissions to connect to it, and all where one of these names none', async () => {
  const target = { family: 'application', id: orders } as const
  const reached = async () => {
    const { allowed, databases } = await mayConnect(server.db, { userId: BOB, target, systemUserId: keeper })
    return [allowed, databases?.toSorted()]
  }
  const name = (databases: string[]) => server.call('PATCH', `${PERMISSIONS}${permission}/`, { databases })
  expect(await reached()).toEqual([true, undefined])
  expect((await name([' shop ', 'shop', 'x'.repeat(64), ''])).body.databases).toEqual(['shop', 'x'.repeat(64)])
  for (const odd of ['x'.repeat(65), 'a\0b']) expect((await name(['shop', odd])).status).toBe(400)
  const type = { name: 'of a cache', category: 'db', type: 'redis' }
  expect(await server.call('POST', PERMISSIONS, { ...type, databases: ['0'] })).toMatchObject({
    status: 400,
    body: { databases: [expect.any(String)] },
  })
  expect((await name(['shop'])).status).toBe(200)
  const more = { category: 'db', type: 'mysql', users: [BOB], applications: [orders], system_users: [keeper] }
  const stock = await make('perms/application-permissions', { name: 'stock', ...more, databases: ['stock', 'shop'] })
  const files = { name: 'files', ...more, actions: ['upload_file'] }
  const other = await make('perms/application-permissions', files)
  expect(await reached(), 'one that connects nobody opens nothing').toEqual([true, ['shop', 'stock']])
  await server.call('PATCH', `${PERMISSIONS}${stock.id}/`, { databases: [] })
  expect(await reached()).toEqual([true, undefined])
  for (const { id } of [stock, other]) await server.call('DELETE', `${PERMISSIONS}${id}/`)
  expect((await name([])).body.databases).toEqual([])
})

test('[A2.33] OPTIONS offers the actions that mean something for the category', async () => {
  const offered = async (query: string) => {
    const { body } = await server.call('OPTIONS', `${PERMISSIONS}${query}`)
    return body.actions.POST.actions.choices.map(({ value }: { value: string }) => value)
  }
  expect(await offered('?category=cloud')).toEqual(['all', 'connect'])
  const every = await offered('')
  expect(every).toEqual(expect.arrayContaining(['all', 'connect', 'upload_file', 'download_file']))
  expect(await offered('?category=no-such')).toEqual(every)
})

test('[A2.64] people see what their groups were granted, as a list, as a tree, and as whom', async () => {
  const mine = (await server.call('GET', MINE, undefined, bob)).body
  expect(mine).toMatchObject([{ name: 'orders', type_display: 'MySQL', attrs: { host: 'db.test', port: 3306 } }])
  expect((await server.call('GET', `/api/v1/perms/users/${BOB}/applications/?type=mysql`)).body).toEqual(mine)
  expect((await server.call('GET', `${MINE}?category=cloud`, undefined, bob)).body).toEqual([])
  const tree = (await server.call('GET', `${MINE}tree/`, undefined, bob)).body
  const org = `org_id=${DEFAULT_ORG_ID}`
  expect(tree.map(({ id, name }: Record<string, string>) => [id, name])).toEqual([
    ['applications', 'My applications'],
    [org, 'Default(1)'],
    [`${org}&category=db`, 'Database (1)'],
    [`${org}&category=db&type=mysql`, 'MySQL (1)'],
    [orders, 'orders'],
  ])
  const branch = { isParent: true, open: true, nocheck: false, title: expect.any(String) }
  expect(tree.slice(0, 2)).toMatchObject([branch, branch])
  const usable = (await server.call('GET', `${MINE}${orders}/system-users/`, undefined, bob)).body
  expect(usable).toEqual([
    { id: keeper, name: 'keeper', username: 'keeper', priority: 81, protocol: 'mysql', login_mode: 'auto' },
  ])
  expect((await server.call('GET', `${MINE}${cache}/system-users/`, undefined, bob)).status).toBe(404)
  const typed = (by: typeof bob) =>
    server.call('POST', `/api/v1/assets/system-users/${keeper}/temp-auth/`, { instance_id: orders }, by)
  expect([(await typed(bob)).status, (await typed(as({ user: ANN, orgRoles: ['User'] }))).status]).toEqual([201, 404])
  await server.call('PATCH', `${PERMISSIONS}${permission}/`, { is_active: false })
  expect((await server.call('GET', MINE, undefined, bob)).body).toEqual([])
  await server.call('PATCH', `${PERMISSIONS}${permission}/`, { is_active: true })
})

test('an account exists for each application and system user of a permission, and counts for the system user', async () => {
  const amount = async () =>
    (await server.call('GET', `/api/v1/assets/system-users/${keeper}/`)).body.applications_amount
  expect(await amount()).toBe(1)
  const second = await database('stock', 'mysql')
  await server.call('PATCH', `${PERMISSIONS}${permission}/`, { applications: [orders, second] })
  expect(await amount()).toBe(2)
  // Removing from a permission keeps accounts; deleting the application does not.
  await server.call('PATCH', `${PERMISSIONS}${permission}/`, { applications: [orders] })
  expect(await amount()).toBe(2)
  await server.call('DELETE', `/api/v1/applications/applications/${second}/`)
  expect(await amount()).toBe(1)
})

test('people are known to a system user by the remote applications of their own permission, which are as usable as their machine', async () => {
  const remote = async (name: string, user: string, login: object) => {
    const host = { hostname: name, ip: '10.6.0.1', platform: 'Windows', protocols: ['rdp/3389'] }
    const asset = (await make('assets/assets', host)).id
    const attrs = { asset, path: 'chrome.exe', chrome_target: 'https://wiki.test' }
    const row = { name, category: 'remote_app', type: 'chrome', attrs }
    const application = (await make('applications/applications', row)).id
    const account = (await make('assets/system-users', { name, protocol: 'rdp', auto_push: false, ...login })).id
    const grant = { name, category: 'remote_app', type: 'chrome', users: [user] }
    await make('perms/application-permissions', { ...grant, applications: [application], system_users: [account] })
    return { account, application, asset }
  }
  const wiki = await remote('wiki', BOB, { login_mode: 'manual', username_same_with_user: true })
  const floor = await remote('shop floor', ANN, { login_mode: 'auto', username: 'floor' })
  const { account: own } = wiki
  const { body } = await server.call('GET', `/api/v1/assets/system-users-users-relations/?systemuser=${own}`)
  expect(body).toMatchObject([{ user: BOB }])
  expect(body.length).toBe(1)
  // It is as usable as its own machine, and no other is.
  const usable = async () => {
    const asked: [string, string, string][] = [
      [BOB, wiki.application, own],
      [ANN, floor.application, floor.account],
      [BOB, orders, keeper],
    ]
    const answers = asked.map(([userId, id, systemUserId]) =>
      mayConnect(server.db, { userId, systemUserId, target: { family: 'application', id } }),
    )
    return (await Promise.all(answers)).map(({ allowed }) => allowed)
  }
  expect(await usable()).toEqual([true, true, true])
  await server.pool.query('UPDATE assets_asset SET is_active = false WHERE id = $1', [wiki.asset])
  expect(await usable()).toEqual([false, true, true])
})
