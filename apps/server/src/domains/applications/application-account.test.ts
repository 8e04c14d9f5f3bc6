import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, component, type DomainServer, openDomainServer, otherAdmin } from '../../../test/domain-server.ts'
import { storedCredentials } from '../authentication/credentials/credentials.ts'
import { credentials } from '../users/index.ts'
import { openLicense } from '../xpack/license.ts'

const ACCOUNTS = '/api/v1/applications/accounts/'
const SECRETS = '/api/v1/applications/account-secrets/'

let server: DomainServer
let fresh = false
let orders: { id: string }
let clerk: { id: string }
let account: { id: string }

beforeAll(async () => {
  server = await openDomainServer(async (kernel) => {
    const license = await openLicense(kernel)
    license.isValid = () => true
    credentials.provide({ ...storedCredentials, hasFreshMfa: async () => fresh })
  })
  const attrs = { host: '10.0.0.8', database: 'orders' }
  orders = await server.make('applications/applications', { name: 'orders', category: 'db', type: 'mysql', attrs })
  clerk = await server.make('assets/system-users', {
    name: 'clerk',
    username: 'scott',
    protocol: 'mysql',
    password: 'tiger',
  })
  account = await server.make('applications/accounts', { app: orders.id, systemuser: clerk.id })
})
afterAll(() => server?.close())

const get = (url: string, headers = admin) => server.call('GET', url, undefined, headers)
const found = async (query: string) =>
  ((await get(`${ACCOUNTS}${query}`)).body as { app_display: string }[]).map(({ app_display }) => app_display)

test('[A2.27] an account shows its application and the user name it inherits', async () => {
  expect((await get(`${ACCOUNTS}${account.id}/`)).body).toMatchObject({
    username: 'scott',
    app_display: 'orders',
    systemuser_display: 'clerk',
    type: 'mysql',
    type_display: 'MySQL',
    category: 'db',
    category_display: 'Database',
    attrs: { host: '10.0.0.8', port: 3306, database: 'orders' },
    version: 1,
  })
  expect((await get(`${ACCOUNTS}${account.id}/`, otherAdmin)).status).toBe(404)
})

test('[A2.27] the list is narrowed by type, category, application and search', async () => {
  for (const query of [
    '?type=mysql',
    '?category=db',
    '?app_display=orders',
    `?app=${orders.id}`,
    `?systemuser=${clerk.id}`,
    '?username=scott',
    '?search=rder',
    '?search=cot',
  ])
    expect([query, await found(query)]).toEqual([query, ['orders']])
  for (const query of ['?type=redis', '?category=cloud', '?app_display=order', '?username=tiger', '?search=nobody'])
    expect([query, await found(query)]).toEqual([query, []])
})

test('pairs that exist are left as they are by a list; filters alone delete nothing', async () => {
  const { status, body } = await server.call('POST', ACCOUNTS, [{ app: orders.id, systemuser: clerk.id }])
  expect([status, body]).toMatchObject([201, [{ id: account.id }]])
  expect((await server.call('DELETE', `${ACCOUNTS}?type=mysql`)).status).toBe(400)
  expect(await found('')).toEqual(['orders'])
  const other = await server.make('applications/accounts', { app: orders.id, username: 'own', password: 'x' })
  expect((await server.call('DELETE', `${ACCOUNTS}?ids=${other.id}`)).status).toBe(204)
  expect(await found('')).toEqual(['orders'])
})

test('an own secret goes before the inherited one for components, and its former ones are kept', async () => {
  const used = async () =>
    (await get(`/api/v1/assets/system-users/${clerk.id}/applications/${orders.id}/auth-info/`, component)).body.password
  expect(await used()).toBe('tiger')
  for (const password of ['first', 'second']) await server.call('PATCH', `${ACCOUNTS}${account.id}/`, { password })
  expect(await used()).toBe('second')
  const versions = (await get(`${ACCOUNTS}${account.id}/versions/`)).body
  expect(versions).toMatchObject([{ version: 2, state: 'previous', has_password: true }])
  fresh = true
  expect((await get(`${SECRETS}${account.id}/versions/${versions[0].id}/`)).body.password).toBe('first')
  fresh = false
  const { rows } = await server.pool.query('SELECT state FROM kernel_secret_version WHERE owner_id = $1', [account.id])
  expect(rows).toHaveLength(1)
})

test('[B7.16] secrets are behind the second factor, and of remote apps the app’s own password is among them', async () => {
  const windows = await server.make('assets/assets', { hostname: 'apps', ip: '10.0.0.9', platform: 'Windows' })
  const attrs = { asset: windows.id, path: 'c', custom_password: 'hunter2' }
  const wiki = await server.make('applications/applications', {
    name: 'wiki',
    category: 'remote_app',
    type: 'custom',
    attrs,
  })
  const remote = await server.make('applications/accounts', { app: wiki.id, username: 'me', password: 'mine' })
  expect((await get(`${SECRETS}${remote.id}/`)).body.code).toBe('mfa_verify_required')
  expect(JSON.stringify((await get(`${ACCOUNTS}${remote.id}/`)).body)).not.toMatch(/hunter2|mine/)
  fresh = true
  expect((await get(`${SECRETS}${remote.id}/`)).body).toMatchObject({
    password: 'mine',
    attrs: { asset_info: { hostname: 'apps' }, path: 'c', custom_password: 'hunter2' },
  })
  const { rows } = await server.pool.query(
    "SELECT owner_kind, owner FROM kernel_secret_look WHERE how = 'reveal' AND owner_id = ANY($1) ORDER BY owner_kind",
    [[remote.id, wiki.id]],
  )
  expect(rows).toEqual([
    { owner_kind: 'application', owner: 'wiki' },
    { owner_kind: 'application_account', owner: 'me@wiki' },
  ])
})
