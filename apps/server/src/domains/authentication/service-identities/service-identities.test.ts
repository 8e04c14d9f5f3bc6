import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { undoBy } from '../../audits/undo/undo-fixture.ts'

let server: TestServer
let owner: Caller
let orgAdmin: Caller
beforeAll(async () => {
  server = await openTestServer()
  owner = await server.aPerson('owner')
  orgAdmin = await server.aPerson('keeper', { orgRoles: ['Admin'] })
})
afterAll(() => server?.close())

const IDENTITIES = '/api/v1/authentication/service-identities/'
const KEYS = '/api/v1/authentication/service-keys/'
const PROFILE = '/api/v1/users/profile/'
const ASSETS = '/api/v1/assets/assets/'
const USERS = '/api/v1/users/users/'

type Body = Record<string, unknown>
let count = 0

interface Identity {
  id: string
  username: string
  key: { id: string; token: string }
  as: (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>
}

/** An identity with one key, made by an organization's administrator. */
async function anIdentity(draft: Body = {}): Promise<Identity> {
  const username = `svc.${++count}`
  const made = await orgAdmin.post(IDENTITIES, {
    name: `Service ${count}`,
    username,
    owner: owner.id,
    purpose: 'deploys',
    reads: ['all'],
    writes: ['all'],
    ...draft,
  })
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ username })])
  const key = await aKey(made.body.id)
  const as: Identity['as'] = (method, path, body, token = key.token) =>
    server.call(method, path, { body, headers: { authorization: `Bearer ${token}` } })
  return { id: made.body.id, username, key, as }
}

async function aKey(identity: string, name = 'first'): Promise<{ id: string; token: string }> {
  const { status, body } = await orgAdmin.post(KEYS, { identity, name })
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ token: expect.stringMatching(/^sallyport-key-[\w-]{43}$/) }),
  ])
  return body
}

const refusal = ({ status, body }: Answer) => [status, body.code, body.detail]

test('a script calls by a key of its own, as itself; the key is shown once and stored as a hash', async () => {
  const { id, username, key, as } = await anIdentity()
  const me = await as('GET', `${PROFILE}?fields=id,username,source`)
  expect([me.status, me.body]).toEqual([200, expect.objectContaining({ id, username })])
  const listed = await orgAdmin.get(`${KEYS}?identity=${id}`)
  expect(listed.body).toMatchObject([{ id: key.id, token: null, ending: key.token.slice(-4), last_addr: '127.0.0.1' }])
  expect(listed.body[0].date_last_used).not.toBeNull()
  const { rows } = await server.kernel.db.execute(
    sql`SELECT row_to_json(k)::text AS text FROM authentication_service_key k`,
  )
  expect(JSON.stringify(rows)).not.toContain(key.token)
  const log = await orgAdmin.get(`/api/v1/audits/operate-logs/?object_id=${key.id}`)
  expect(JSON.stringify(log.body)).not.toContain(key.token)
  expect(log.body[0]).toMatchObject({ action: 'create', object_type: 'service_key' })
  expect((await orgAdmin.get(`${IDENTITIES}${id}/`)).body).toMatchObject({ state: 'active', keys_amount: 1 })
})

test('two keys work at once, so that one replaces the other without a gap; a key that is off, expired or deleted is refused', async () => {
  const { id, key, as } = await anIdentity()
  const second = await aKey(id, 'second')
  const statuses = async () => [
    (await as('GET', PROFILE)).status,
    (await as('GET', PROFILE, undefined, second.token)).status,
  ]
  expect(await statuses()).toEqual([200, 200])
  await orgAdmin.patch(`${KEYS}${key.id}/`, { is_active: false })
  expect(await statuses()).toEqual([401, 200])
  await orgAdmin.patch(`${KEYS}${key.id}/`, { is_active: true, date_expired: '2020-01-01T00:00:00Z' })
  expect(await statuses()).toEqual([401, 200])
  expect((await orgAdmin.delete(`${KEYS}${second.id}/`)).status).toBe(204)
  expect(await statuses()).toEqual([401, 401])
  expect((await as('GET', PROFILE, undefined, `${second.token.slice(0, -1)}-`)).status).toBe(401)
})

test('it stops with its owner, and says why to the holder of a key alone', async () => {
  const person = await server.aPerson('leaver')
  const { id, as } = await anIdentity({ owner: person.id })
  const stateNow = async () => (await orgAdmin.get(`${IDENTITIES}${id}/`)).body.state
  const change = (body: Body) => server.admin.patch(`${USERS}${person.id}/`, body)
  await change({ is_active: false })
  expect(refusal(await as('GET', PROFILE))).toEqual([
    401,
    'not_authenticated',
    'This service identity has stopped, as its owner is disabled',
  ])
  expect(await stateNow()).toBe('owner_disabled')
  await change({ is_active: true, date_expired: '2020-01-01T00:00:00Z' })
  expect((await as('GET', PROFILE)).status).toBe(401)
  expect(await stateNow()).toBe('owner_expired')
  await change({ date_expired: null })
  expect((await as('GET', PROFILE)).status).toBe(200)
  await server.admin.delete(`${USERS}${person.id}/`)
  expect((await as('GET', PROFILE)).body.detail).toBe('This service identity has stopped, as its owner was deleted')
  expect(await stateNow()).toBe('owner_gone')
  expect((await orgAdmin.patch(`${IDENTITIES}${id}/`, { owner: owner.id })).status).toBe(200)
  expect((await as('GET', PROFILE)).status).toBe(200)
})

test('one that is disabled, has expired or calls from elsewhere is refused', async () => {
  const { id, as } = await anIdentity()
  const change = (body: Body) => orgAdmin.patch(`${IDENTITIES}${id}/`, body)
  await change({ is_active: false })
  expect((await as('GET', PROFILE)).body.detail).toBe('This service identity is disabled')
  await change({ is_active: true, date_expired: '2020-01-01T00:00:00Z' })
  expect((await as('GET', PROFILE)).body.detail).toBe('This service identity has expired')
  await change({ date_expired: null, ip_group: ['10.9.0.0/16'] })
  expect((await as('GET', PROFILE)).body.detail).toBe('This token may not be used from your address.')
  await change({ ip_group: ['127.0.0.0/8'] })
  expect((await as('GET', PROFILE)).status).toBe(200)
  expect(refusal(await change({ ip_group: ['nonsense'] }))[0]).toBe(400)
})

test('scopes say which calls: reading is part of changing, and what no scope names is refused', async () => {
  const draft = { org_roles: ['Admin'], reads: ['assets'], writes: ['perms'] }
  const { as } = await anIdentity(draft)
  expect((await as('GET', ASSETS)).status).toBe(200)
  expect(refusal(await as('POST', ASSETS, {})).slice(0, 2)).toEqual([403, 'out_of_scope'])
  expect((await as('GET', '/api/v1/perms/asset-permissions/')).status).toBe(200)
  expect((await as('POST', '/api/v1/perms/asset-permissions/', {})).status).toBe(400)
  expect((await as('GET', USERS)).status).toBe(403)
  expect((await as('GET', '/api/v1/terminal/sessions/')).status).toBe(403)
  expect((await as('GET', PROFILE)).status).toBe(200)
  // The opening of a socket changes things, though it is a GET.
  const { as: reader } = await anIdentity({ reads: ['connect'], writes: [] })
  const socket = await server.call('GET', '/koko/ws/terminal/', {
    headers: {
      authorization: `Bearer ${(await anIdentity({ reads: ['all'], writes: [] })).key.token}`,
      upgrade: 'websocket',
    },
  })
  expect([socket.status, socket.body.code]).toEqual([403, 'out_of_scope'])
  expect((await reader('POST', '/api/v1/authentication/connection-token/', {})).status).toBe(403)
})

test('a script with some scopes lets nobody in: neither people nor keys nor other identities', async () => {
  const { id, as } = await anIdentity({ org_roles: ['Admin'], writes: ['users'] })
  const person = { name: 'x', username: 'x.of.script', email: 'x@example.com', org_roles: ['Admin'] }
  for (const [path, body] of [
    [USERS, person],
    [KEYS, { identity: id, name: 'more' }],
    [IDENTITIES, { name: 'more', username: 'svc.more', owner: owner.id, purpose: 'x' }],
  ] as const)
    expect(refusal(await as('POST', path, body)).slice(0, 2)).toEqual([403, 'key_limited_to_calls'])
  expect((await as('PATCH', `${IDENTITIES}${id}/`, { writes: ['all'] })).status).toBe(403)
})

test('it is given nothing to sign in with: no password, key of a person, browser, second factor or messenger', async () => {
  const { id, username, as } = await anIdentity({ org_roles: ['Admin'] })
  for (const [method, path] of [
    ['POST', '/api/v1/authentication/access-keys/'],
    ['POST', '/api/v1/authentication/passkeys/options/'],
    ['PUT', `${PROFILE}password/`],
    ['PUT', `${PROFILE}public-key/`],
    ['PATCH', PROFILE],
    ['GET', '/core/auth/profile/otp/enable/start/'],
  ] as const) {
    const answer = await as(method, path, method === 'GET' ? undefined : {})
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'permission_denied'])
  }
  for (const part of ['password', 'password/reset', 'pubkey/reset', 'unblock'])
    expect(refusal(await orgAdmin.put(`${USERS}${id}/${part}/`, { password: PASSWORD }))[0]).toBe(400)
  for (const draft of [
    { password: PASSWORD },
    { source: 'local' },
    { public_key: 'ssh-ed25519 AAAA' },
    { is_active: false },
  ])
    expect(Object.keys((await orgAdmin.patch(`${USERS}${id}/`, draft)).body)).toContain(Object.keys(draft)[0])
  const { status } = await server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password: '' } })
  expect(status).toBe(400)
  // The database has the rule as well, for a path that forgets it.
  const { db } = server.kernel
  const inserts = [
    sql`INSERT INTO authentication_session (key_hash, user_id, date_expired) VALUES ('a', ${id}, now())`,
    sql`INSERT INTO authentication_access_key (user_id, secret_sealed) VALUES (${id}, 'a')`,
    sql`INSERT INTO authentication_private_token (key_hash, user_id) VALUES ('a', ${id})`,
    sql`UPDATE users_user SET password_hash = 'x' WHERE id = ${id}`,
  ]
  for (const insert of inserts) await expect(db.execute(insert)).rejects.toThrow()
  const { status: made } = await server.admin.post(USERS, {
    name: 'x',
    username: 'not.a.service',
    email: 'y@example.com',
    source: 'service',
  })
  expect(made).toBe(400)
})

test('it is no system administrator unless one says so, and then only that one changes it or makes keys', async () => {
  const { id } = await anIdentity()
  expect((await orgAdmin.patch(`${USERS}${id}/`, { role: 'Admin' })).status).toBe(400)
  expect((await server.admin.patch(`${USERS}${id}/`, { role: 'Admin' })).status).toBe(200)
  expect((await orgAdmin.post(KEYS, { identity: id, name: 'more' })).status).toBe(403)
  expect((await orgAdmin.patch(`${IDENTITIES}${id}/`, { purpose: 'more' })).status).toBe(403)
  expect((await orgAdmin.delete(`${IDENTITIES}${id}/`)).status).toBe(403)
  expect((await server.admin.post(KEYS, { identity: id, name: 'more' })).status).toBe(201)
})

test('permissions decide about it as about a person, and its rows say on whose behalf it acts', async () => {
  const { id, username, as } = await anIdentity({ reads: [], writes: ['assets', 'connect'], org_roles: ['Admin'] })
  const labels = '/api/v1/assets/labels/'
  expect((await as('POST', labels, { name: 'by', value: username })).status).toBe(201)
  const { body: log } = await orgAdmin.get(`/api/v1/audits/operate-logs/?user_id=${id}`)
  expect(log[0]).toMatchObject({ user: `Service ${count}(${username})`, on_behalf_of: 'owner of test(owner)' })
  const { body: own } = await orgAdmin.get(`/api/v1/audits/operate-logs/?user_id=${orgAdmin.id}`)
  expect(own[0].on_behalf_of).toBeNull()
  const asset = await orgAdmin.post(ASSETS, { hostname: `m${count}`, ip: '10.0.0.1', platform: 'Linux' })
  const granted = '/api/v1/perms/users/assets/'
  expect((await as('GET', '/api/v1/perms/users/assets/')).status).toBe(403)
  await orgAdmin.patch(`${IDENTITIES}${id}/`, { reads: ['perms'] })
  expect((await as('GET', granted)).body).toEqual([])
  const permission = { name: `p${count}`, users: [id], assets: [asset.body.id] }
  expect((await orgAdmin.post('/api/v1/perms/asset-permissions/', permission)).status).toBe(201)
  expect((await as('GET', granted)).body).toMatchObject([{ id: asset.body.id }])
})

test('only administrators see identities, each those of their organization; a wrong owner or name is refused', async () => {
  const { id } = await anIdentity()
  const other = await server.anOrg('elsewhere')
  expect((await owner.get(IDENTITIES)).status).toBe(403)
  expect((await server.admin.in(other).get(`${IDENTITIES}${id}/`)).status).toBe(404)
  const draft = { name: 'n', username: 'svc.n', owner: owner.id, purpose: 'p' }
  const fields = async (more: Body) => Object.keys((await orgAdmin.post(IDENTITIES, { ...draft, ...more })).body)
  expect(await fields({ owner: id })).toContain('owner')
  expect(await fields({ owner: DEFAULT_ORG_ID })).toContain('owner')
  expect(await fields({ username: 'owner' })).toContain('username')
  expect(await fields({ username: '0wner' })).toContain('username')
  expect(await fields({ username: 'With Space' })).toContain('username')
  expect(await fields({ writes: ['nonsense'] })).toContain('writes')
  const { body } = await orgAdmin.get(USERS)
  expect(body.some((one: Body) => one.username === 'svc.n')).toBe(false)
})

test('a deleted identity is gone with its user and keys; undo brings it back without a key', async () => {
  const { id, username, as } = await anIdentity()
  const gone = await orgAdmin.delete(`${IDENTITIES}${id}/`)
  expect(gone.status).toBe(204)
  expect((await as('GET', PROFILE)).status).toBe(401)
  expect((await orgAdmin.get(`${USERS}${id}/`)).status).toBe(404)
  const undone = await undoBy(orgAdmin, gone)
  expect([undone.status, undone.body]).toEqual([200, expect.anything()])
  expect((await orgAdmin.get(`${IDENTITIES}${id}/`)).body).toMatchObject({ username, keys_amount: 0, state: 'active' })
  expect((await as('GET', PROFILE)).status).toBe(401)
})
