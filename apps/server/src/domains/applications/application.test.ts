import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  admin,
  as,
  bob,
  component,
  type DomainServer,
  openDomainServer,
  superAdmin,
} from '../../../test/domain-server.ts'
import { openLicense } from '../xpack/license.ts'

const APPLICATIONS = '/api/v1/applications/applications/'

let server: DomainServer
let licensed = true
let windows: string

beforeAll(async () => {
  server = await openDomainServer(async (kernel) => {
    const license = await openLicense(kernel)
    license.isValid = () => licensed
  })
  const platform = { platform: 'Windows', protocols: ['rdp/3389'] }
  windows = (await server.make('assets/assets', { hostname: 'apps', ip: '10.0.0.9', ...platform })).id
})
afterAll(() => server?.close())

const mysql = (name: string, more: object = {}) => ({
  name,
  category: 'db',
  type: 'mysql',
  attrs: { host: '10.0.0.8', database: 'orders' },
  ...more,
})
const make = (draft: Record<string, unknown>) => server.make('applications/applications', draft)
const one = async (id: string) => (await server.call('GET', `${APPLICATIONS}${id}/`)).body
const patch = (id: string, change: object) => server.call('PATCH', `${APPLICATIONS}${id}/`, change)

test('[A1.06 A3.24] attributes follow the type in the body, no address needs to name it', async () => {
  const made = await make(mysql('orders'))
  expect(made).toMatchObject({
    category_display: 'Database',
    type_display: 'MySQL',
    attrs: { host: '10.0.0.8', port: 3306, database: 'orders' },
    domain: null,
    created_by: 'Ann',
  })
  const [listed] = (await server.call('GET', `${APPLICATIONS}?type__in=mysql,redis`)).body
  expect(listed.attrs).toEqual(made.attrs)
  expect((await make(mysql('in brackets', { attrs: { host: '[::1]', database: null } }))).attrs.host).toBe('::1')
  expect((await make(mysql('no port', { attrs: { host: 'a', port: null, database: null } }))).attrs.port).toBe(3306)
  const k8s = {
    name: 'cluster',
    category: 'cloud',
    type: 'k8s',
    attrs: { cluster: 'https://10.0.0.8:8443', host: 'x' },
  }
  expect((await make(k8s)).attrs).toEqual({ cluster: 'https://10.0.0.8:8443' })
  const wrong = await server.call('POST', APPLICATIONS, mysql('wrong', { attrs: { port: 99_999 } }))
  expect([wrong.status, Object.keys(wrong.body.attrs).sort()]).toEqual([400, ['database', 'host', 'port']])
})

test('[A3.24] a type of another category is refused, and a type does not change', async () => {
  const pair = await server.call('POST', APPLICATIONS, mysql('pair', { category: 'cloud' }))
  expect([pair.status, pair.body]).toEqual([400, { category: ['The type belongs to another category'] }])
  const { id } = await make(mysql('stays'))
  const changed = await patch(id, { type: 'redis', attrs: { host: 'a', database: '0' } })
  expect([changed.status, changed.body]).toEqual([400, { type: ['The type of an application cannot be changed'] }])
})

test('[A2.22] a remote app keeps its password, never shows it, and asks for it again when it leads elsewhere', async () => {
  const attrs = { asset: windows, chrome_target: 'https://wiki', chrome_username: 'w', chrome_password: 'hunter2' }
  const { id, attrs: shown } = await make({ name: 'wiki', category: 'remote_app', type: 'chrome', attrs })
  expect(shown).toEqual({
    asset_info: { id: windows, hostname: 'apps' },
    asset: windows,
    path: 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    chrome_target: 'https://wiki',
    chrome_username: 'w',
  })
  const start = () =>
    server.call('GET', `/api/v1/applications/remote-apps/${id}/connection-info/`, undefined, component)
  const parameters = `chrome "${shown.path}" https://wiki w hunter2`
  expect((await start()).body).toEqual({
    id,
    name: 'wiki',
    asset: windows,
    parameter_remote_app: { program: '||jmservisor', working_directory: '', parameters },
  })
  expect((await patch(id, { attrs: { chrome_username: 'w' }, comment: 'same' })).status).toBe(200)
  const moved = await patch(id, { attrs: { chrome_target: 'https://evil' } })
  expect([moved.status, moved.body]).toEqual([
    400,
    { attrs: { chrome_password: ['The remote app was changed: enter its password again'] } },
  ])
  expect((await start()).body.parameter_remote_app.parameters).toBe(parameters)
  // Past the rule, the database drops it.
  await server.pool.query(
    `UPDATE applications_application SET attrs = attrs || '{"chrome_target":"x"}' WHERE id = $1`,
    [id],
  )
  expect((await start()).body.parameter_remote_app.parameters).toBe(`chrome "${shown.path}" x w`)
  const looks = await server.pool.query('SELECT owner FROM kernel_secret_look WHERE owner_id = $1', [id])
  expect(looks.rows[0]).toEqual({ owner: 'wiki' })
  const [database] = (await server.call('GET', `${APPLICATIONS}?category=db`)).body
  const other = `/api/v1/applications/remote-apps/${database.id}/connection-info/`
  expect((await server.call('GET', other, undefined, component)).status).toBe(403)
  expect((await server.call('GET', other)).status).toBe(403)
  await server.call('DELETE', `/api/v1/assets/assets/${windows}/`)
  expect((await one(id)).attrs).toMatchObject({ asset_info: {}, asset: null })
})

test('[A2.22] without a license the server takes no new application of a licensed type, and keeps those that exist', async () => {
  const postgres = mysql('ledger', { type: 'postgresql' })
  licensed = false
  const refused = await server.call('POST', APPLICATIONS, postgres)
  expect([refused.status, refused.body.code]).toEqual([403, 'license_required'])
  licensed = true
  const { id } = await make(postgres)
  licensed = false
  expect((await one(id)).name).toBe('ledger')
  expect((await patch(id, { comment: 'x' })).status).toBe(403)
  expect((await server.call('DELETE', `${APPLICATIONS}${id}/`)).status).toBe(204)
  expect((await server.call('POST', APPLICATIONS, mysql('free'))).status).toBe(201)
  licensed = true
})

test('[A2.23] the tree has categories and types with their numbers, empty ones too, and the applications', async () => {
  const tree = (await server.call('GET', `${APPLICATIONS}tree/?category=cloud`)).body
  const word = ({ id, name, pId, isParent }: Record<string, unknown>) => [id, name, pId, isParent]
  expect(tree.slice(0, 4).map(word)).toEqual([
    ['applications', 'Applications (1)', '', true],
    ['category=db', 'Database (0)', 'applications', false],
    ['category=remote_app', 'Remote app (0)', 'applications', false],
    ['category=cloud', 'Cloud (1)', 'applications', true],
  ])
  expect(tree).toHaveLength(1 + 3 + 11 + 1)
  expect(tree.at(-1)).toMatchObject({
    name: 'cluster',
    pId: 'category=cloud&type=k8s',
    iconSkin: 'cloud',
    meta: { type: 'application', data: { category: 'cloud', type: 'k8s' } },
  })
  const plain = (await server.call('GET', `${APPLICATIONS}tree/?show_count=0`)).body
  expect(plain[0].name).toBe('Applications')
  expect((await server.call('GET', `${APPLICATIONS}tree/`, undefined, bob)).status).toBe(403)
})

test('[A2.51] members look applications up by type, and learn nothing of how they are reached', async () => {
  const member = as({ user: '33333333-3333-4333-8333-333333333333', orgRoles: ['User'] })
  const rows = (await server.call('GET', `${APPLICATIONS}suggestions/?type=k8s`, undefined, member)).body
  expect(rows).toEqual([{ id: expect.any(String), name: 'cluster', category: 'cloud', type: 'k8s' }])
})

test('networks, command filters and organizations count what they have of applications', async () => {
  const { id: domain } = await server.make('assets/domains', { name: 'vault' })
  const { id } = await make(mysql('behind', { domain }))
  const network = async () => (await server.call('GET', `/api/v1/assets/domains/${domain}/`)).body.application_count
  expect(await network()).toBe(1)
  const filter = await server.make('assets/cmd-filters', { name: 'no drop', applications: [id] })
  expect(filter.applications).toEqual([id])
  await server.make(`assets/cmd-filters/${filter.id}/rules`, { filter: filter.id, content: 'drop' })
  const rules = `/api/v1/assets/cmd-filter-rules/?application_id=${id}`
  expect((await server.call('GET', rules)).body).toMatchObject([{ content: 'drop' }])
  const orgs = (await server.call('GET', '/api/v1/orgs/orgs/', undefined, superAdmin)).body
  const mine = orgs.find((org: { id: string }) => org.id === DEFAULT_ORG_ID)
  const count = (await server.call('GET', APPLICATIONS)).body.length
  expect(mine.resource_statistics.applications_amount).toBe(count)
  // An application without its network is reached directly.
  await server.call('DELETE', `/api/v1/assets/domains/${domain}/`)
  expect((await one(id)).domain).toBeNull()
  await server.call('DELETE', `${APPLICATIONS}${id}/`)
  expect((await server.call('GET', `/api/v1/assets/cmd-filters/${filter.id}/`)).body.applications).toEqual([])
})

test('an application that is moved asks a system administrator before secrets go there', async () => {
  const { id } = await make(mysql('moves'))
  const destinations = async () => (await server.call('GET', `${APPLICATIONS}${id}/destinations/`)).body
  expect((await destinations()).unconfirmed).toEqual([])
  await patch(id, { attrs: { host: 'evil.example' } })
  const { unconfirmed } = await destinations()
  expect(unconfirmed).toEqual([{ protocol: 'mysql/3306', address: 'evil.example', domain: null, gateway: null }])
  const confirm = (body: object, who = superAdmin) =>
    server.call('POST', `${APPLICATIONS}${id}/destinations/confirm/`, body, who)
  expect((await confirm({ destinations: unconfirmed }, admin)).status).toBe(403)
  const other = [{ ...unconfirmed[0], address: 'elsewhere' }]
  expect((await confirm({ destinations: other })).body).toEqual({
    destinations: ['The application has moved meanwhile'],
  })
  expect((await confirm({ destinations: unconfirmed })).body).toEqual({ unconfirmed: [], confirmed: unconfirmed })
  await patch(id, { attrs: { host: '10.0.0.8' } })
  expect((await destinations()).unconfirmed).toHaveLength(1)
})
