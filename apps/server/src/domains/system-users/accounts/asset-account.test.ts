import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admin, auditor, bob, type DomainServer, openDomainServer, otherAdmin } from '../../../../test/domain-server.ts'
import { storedCredentials } from '../../authentication/credentials/credentials.ts'
import { credentials } from '../../users/index.ts'

const ACCOUNTS = '/api/v1/assets/accounts/'
const SECRETS = '/api/v1/assets/account-secrets/'

let server: DomainServer
/** Whether the second factor was proven within SECURITY_MFA_VERIFY_TTL. */
let fresh = false
let web: { id: string }
let deploy: { id: string }
let linked: { id: string }

beforeAll(async () => {
  server = await openDomainServer(() => {
    credentials.provide({ ...storedCredentials, hasFreshMfa: async () => fresh })
  })
  web = await server.make('assets/assets', {
    hostname: 'web-1',
    platform: 'Linux',
    ip: '10.0.0.1',
    protocols: ['ssh/22', 'rdp/3389'],
  })
  deploy = await server.make('assets/system-users', { name: 'deployer', username: 'deploy', password: 'identity' })
  linked = await make({ username: 'deploy', asset: web.id, systemuser: deploy.id })
})
beforeEach(async () => {
  fresh = false
  await server.pool.query('DELETE FROM kernel_secret_look')
})
afterAll(() => server?.close())

const make = (draft: object) => server.make('assets/accounts', draft as Record<string, unknown>)
const get = async (url: string, headers = admin) => server.call('GET', url, undefined, headers)
const names = async (query: string) =>
  ((await get(`${ACCOUNTS}${query}`)).body as { username: string; hostname: string }[])
    .map(({ username, hostname }) => `${username}@${hostname}`)
    .sort()
const secretOf = async (id: string) => {
  fresh = true
  return (await get(`${SECRETS}${id}/`)).body
}

test('[A2.26] an account shows its machine, and the user name that it inherits without copying it', async () => {
  const { body } = await get(`${ACCOUNTS}${linked.id}/`)
  expect(body).toMatchObject({
    username: 'deploy',
    hostname: 'web-1',
    ip: '10.0.0.1',
    platform: 'Linux',
    protocols: 'ssh/22, rdp/3389',
    systemuser_display: 'deployer(deploy)',
    version: 1,
    org_id: DEFAULT_ORG_ID,
  })
  expect(body.date_created).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/)
  expect(Object.keys(body)).not.toContain('password')
  await server.call('PATCH', `/api/v1/assets/system-users/${deploy.id}/`, { username: 'deploy2' })
  expect((await get(`${ACCOUNTS}${linked.id}/`)).body.username).toBe('deploy2')
  await server.call('PATCH', `/api/v1/assets/system-users/${deploy.id}/`, { username: 'deploy' })
})

test('[A2.26] the list is narrowed by user name, own or inherited, machine, node, system user and search', async () => {
  const node = await server.make('assets/nodes', { value: 'inner' })
  const below = (await server.call('POST', `/api/v1/assets/nodes/${node.id}/children/`, { value: 'deeper' })).body
  const db = await server.make('assets/assets', {
    hostname: 'db-1',
    platform: 'Linux',
    ip: '10.0.0.2',
    // In both, and yet its accounts count once.
    nodes: [node.id, below.id],
  })
  await make({ username: 'oracle', asset: db.id, password: 'x' })
  const both = ['deploy@web-1', 'oracle@db-1']
  expect(await names('')).toEqual(both)
  for (const [query, found] of [
    ['?username=deploy', [both[0]]],
    ['?username=oracle', [both[1]]],
    ['?hostname=db-1', [both[1]]],
    ['?ip=10.0.0.1', [both[0]]],
    [`?asset=${db.id}`, [both[1]]],
    [`?systemuser=${deploy.id}`, [both[0]]],
    [`?node=${node.id}`, [both[1]]],
    [`?node=${below.id}`, [both[1]]],
    [`?node=${node.id}&username=deploy`, []],
    [`?node=${node.id}&search=oracle`, [both[1]]],
    [`?node=${node.id}&ids=${linked.id}`, []],
    ['?search=eplo', [both[0]]],
    ['?search=b-1', both],
    ['?search=db-1', [both[1]]],
    ['?search=0.0.2', [both[1]]],
    ['?search=nothing', []],
  ] as const)
    expect([query, await names(query), (await get(`${ACCOUNTS}${query}&limit=1`)).body.count]).toEqual([
      ...[query, found, found.length],
    ])
  expect((await get(`${ACCOUNTS}?node=${node.id}&limit=1`, otherAdmin)).status).toBe(404)
  expect((await get(`${ACCOUNTS}?node=33333333-3333-4333-8333-333333333333`)).status).toBe(404)
  expect((await get(`${ACCOUNTS}?limit=1`)).body.count).toBe(2)
  expect((await get(ACCOUNTS, otherAdmin)).body).toEqual([])
  expect((await get(ACCOUNTS, bob)).status).toBe(403)
})

test('an account stays with its machine and system user, and needs a user name', async () => {
  const other = await server.make('assets/assets', { hostname: 'other', platform: 'Linux', ip: '10.0.0.3' })
  for (const change of [{ asset: other.id }, { systemuser: null }]) {
    const { status, body } = await server.call('PATCH', `${ACCOUNTS}${linked.id}/`, change)
    expect([status, Object.keys(body)]).toEqual([400, Object.keys(change)])
  }
  const nameless = await server.call('POST', ACCOUNTS, { username: '', asset: other.id })
  expect([nameless.status, Object.keys(nameless.body)]).toEqual([400, ['username']])
  const again = await server.call('POST', ACCOUNTS, { username: 'deploy', asset: web.id, systemuser: deploy.id })
  expect(again.status).toBe(400)
})

test('a new secret is a new version; of a free account it is that of its linked ones, and what was is kept', async () => {
  const host = await server.make('assets/assets', { hostname: 'copies', platform: 'Linux', ip: '10.0.0.4' })
  const follower = await make({ username: 'deploy', asset: host.id, systemuser: deploy.id })
  const free = await make({ username: 'deploy', asset: host.id, password: 'one' })
  expect((await secretOf(follower.id)).password).toBe('one')
  await server.call('PATCH', `${ACCOUNTS}${free.id}/`, { comment: 'said', version: 9 })
  expect((await get(`${ACCOUNTS}${free.id}/`)).body.version).toBe(1)
  await server.call('PATCH', `${ACCOUNTS}${free.id}/`, { password: 'two' })
  expect((await get(`${ACCOUNTS}${free.id}/`)).body.version).toBe(2)
  expect((await secretOf(follower.id)).password).toBe('two')
  for (const [id, version] of [
    [free.id, 1],
    [follower.id, 2],
  ]) {
    const versions = (await get(`${ACCOUNTS}${id}/versions/`)).body
    expect(versions).toMatchObject([{ version, state: 'previous', has_password: true, has_key: false }])
    const former = `${SECRETS}${id}/versions/${versions[0].id}/`
    fresh = true
    expect((await get(former)).body.password).toBe('one')
    fresh = false
    expect((await get(former)).body.code).toBe('mfa_verify_required')
    fresh = true
    expect((await get(former, otherAdmin)).status).toBe(404)
  }
})

test('[B7.16] secrets are in clear only behind a fresh second factor, and each look is a row', async () => {
  for (const url of [SECRETS, `${SECRETS}${linked.id}/`, `${SECRETS}?format=csv`]) {
    const { status, body } = await get(url)
    expect([status, body.code]).toEqual([400, 'mfa_verify_required'])
  }
  const looks = async () =>
    (await server.pool.query('SELECT how, owner_kind, owner, "user" FROM kernel_secret_look ORDER BY owner')).rows
  expect(await looks()).toEqual([])
  expect(await secretOf(linked.id)).toMatchObject({ username: 'deploy', password: 'identity' })
  const seen = { how: 'reveal', user: 'Ann(ann)' }
  expect(await looks()).toEqual([
    { ...seen, owner_kind: 'asset_account', owner: 'deploy@web-1' },
    { ...seen, owner_kind: 'system_user', owner: 'deployer(deploy)' },
  ])
  const who = await get(`${ACCOUNTS}${linked.id}/looks/`, auditor)
  expect(who.body).toMatchObject([{ user: 'Ann(ann)' }, { user: 'Ann(ann)' }])
  expect(JSON.stringify(who.body)).not.toContain('identity')
  expect((await get(SECRETS, auditor)).status).toBe(403)
  expect((await get(`${SECRETS}${linked.id}/`, otherAdmin)).status).toBe(404)
})

test('[A4.23] secrets are exported as a file, with a row for each account in it', async () => {
  fresh = true
  const { raw } = await get(`${SECRETS}?format=csv&asset=${web.id}`)
  expect(raw.toString()).toContain('web-1,10.0.0.1,Linux,"ssh/22, rdp/3389",deploy,identity')
  const { rows } = await server.pool.query("SELECT owner FROM kernel_secret_look WHERE how = 'export' ORDER BY owner")
  expect(rows).toEqual([{ owner: 'deploy@web-1' }, { owner: 'deployer(deploy)' }])
  expect((await get(`${ACCOUNTS}?format=csv`)).raw.toString()).not.toContain('identity')
})

test('without its account a privileged system user is the asset’s no more', async () => {
  const boss = await server.make('assets/admin-users', { name: 'boss', username: 'root', password: 'x' })
  const host = await server.make('assets/assets', { hostname: 'ruled', ip: '10.0.0.5', platform: 'Linux' })
  const account = await make({ username: 'root', asset: host.id, systemuser: boss.id })
  await server.pool.query('UPDATE assets_asset SET admin_user = $1 WHERE id = $2', [boss.id, host.id])
  expect((await server.call('DELETE', `${ACCOUNTS}${account.id}/`)).status).toBe(204)
  expect((await get(`/api/v1/assets/assets/${host.id}/`)).body.admin_user).toBeNull()
})
