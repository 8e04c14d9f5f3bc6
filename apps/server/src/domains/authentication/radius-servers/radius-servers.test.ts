import { radiusServer } from '@sallyport/contract/resources/authentication/radius-server.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { type FreeRadius, startFreeRadius } from '../radius/freeradius-fixture.ts'
import { settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'

const { path } = radiusServer
const RULES = '/api/v1/authentication/group-mappings/'

/** The server of the settings, and two further ones; some people are called the same at several. */
let first: FreeRadius
let second: FreeRadius
let third: FreeRadius
let server: TestServer
let partner: string

beforeAll(async () => {
  const [one, two] = ['First-1', 'Second-1']
  first = await startFreeRadius({ anna: one, both: one, moved: one, 'eva@third.example': one }, 'Secret-of-first', {
    anna: ['ops'],
  })
  second = await startFreeRadius(
    { berta: two, both: two, moved: two, admin: two, locally: two, late: two, gone: two },
    'Secret-of-second',
    { berta: ['ops'] },
  )
  third = await startFreeRadius({ 'carl@third.example': 'Third-1', dora: 'Third-1' }, 'Secret-of-third')
  server = await openTestServer()
  await server.aPerson('locally')
  const set = { AUTH_RADIUS: true, RADIUS_SERVER: '127.0.0.1', RADIUS_PORT: first.port, RADIUS_SECRET: first.secret }
  expect((await server.admin.patch(settingsAt('radius'), set)).status).toBe(200)
  partner = await aServer({ name: 'Partner' }, second)
  await aServer({ name: 'Third', name_suffix: '@third.example' }, third)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([first?.close(), second?.close(), third?.close()])
})
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

const draft = (values: object, { port, secret }: FreeRadius) => ({ host: '127.0.0.1', port, secret, ...values })
async function aServer(values: object, radius: FreeRadius) {
  const { status, body } = await server.admin.post(path, draft(values, radius))
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id as string
}
async function change(id: string, values: object) {
  const answer = await server.admin.patch(`${path}${id}/`, values)
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer
}
const signIn = (username: string, password: string) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)).body[0]
const undo = (answer: { headers: Record<string, unknown> }) =>
  server.admin.post(`/api/v1/audits/undo/${answer.headers['x-change']}/`, {})

test('people of a further server sign in with its password, and are its own: no other server is asked for them', async () => {
  expect((await signIn('anna', 'First-1')).status).toBe(201)
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect(await userRow('anna')).toMatchObject({ source: 'radius', directory: '' })
  expect(await userRow('berta')).toMatchObject({ source: 'radius', directory: 'Partner', is_directory_off: false })
  expect((await server.admin.get(`${path}${partner}/`)).body).toMatchObject({ people_amount: 1 })
  expect((await signIn('both', 'First-1')).status).toBe(201)
  for (const name of ['both', 'BOTH']) expect((await signIn(name, 'Second-1')).body.error).toBe('password_failed')
  expect(await userRow('both')).toMatchObject({ directory: '' })
})

test('names with the suffix of a server are asked there and nowhere else, and others not there', async () => {
  expect((await signIn('eva@third.example', 'First-1')).body.error).toBe('password_failed')
  expect((await signIn('Carl@Third.example', 'Third-1')).body.error).toBe('password_failed')
  expect((await signIn('carl@third.example', 'Third-1')).status).toBe(201)
  expect(await userRow('carl@third.example')).toMatchObject({ directory: 'Third' })
  expect((await signIn('dora', 'Third-1')).body.error).toBe('password_failed')
  expect(await userRow('dora')).toBeUndefined()
})

test('while a server is away, a password that it might know goes to none after it', async () => {
  const silent = await aServer({ name: 'Silent', priority: 1, host: '127.0.0.1', port: 1 }, second)
  expect((await signIn('late', 'Second-1')).body.error).toBe('source_unavailable')
  expect(await userRow('late')).toBeUndefined()
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect((await server.admin.delete(`${path}${silent}/`)).status).toBe(204)
  expect((await signIn('late', 'Second-1')).status).toBe(201)
})

test('neither the administrator nor a local person of here is anybody of a further server', async () => {
  for (const name of ['admin', 'Admin', 'locally', 'LOCALLY'])
    expect([name, (await signIn(name, 'Second-1')).body.error]).toEqual([name, 'password_failed'])
  expect(await userRow('admin')).toMatchObject({ source: 'local', directory: '' })
  expect((await signIn('locally', PASSWORD)).status).toBe(201)
})

test('with nobody new, only people of the server come in', async () => {
  await change(partner, { existing_only: true })
  expect((await signIn('gone', 'Second-1')).body.error).toBe('password_failed')
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  await change(partner, { existing_only: false })
})

test('people of a server that is switched off or deleted are shut out at once, and stay its own', async () => {
  const { body } = await signIn('berta', 'Second-1')
  const profile = async () =>
    (await server.call('GET', '/api/v1/users/profile/', { headers: { authorization: `Bearer ${body.token}` } })).status
  expect(await profile()).toBe(200)
  const off = await change(partner, { is_active: false })
  expect(await profile()).toBe(401)
  expect((await signIn('berta', 'Second-1')).body.error).toBe('password_failed')
  const [logged] = (await server.admin.in('root').get('/api/v1/audits/login-logs/?username=berta')).body
  expect(logged).toMatchObject({ reason: 'directory_off' })
  expect((await undo(off)).status).toBe(200)
  expect([(await signIn('berta', 'Second-1')).status, await profile()]).toEqual([201, 401])
  const deleted = await server.admin.delete(`${path}${partner}/`)
  expect(deleted.status).toBe(204)
  expect((await signIn('berta', 'Second-1')).body.error).toBe('password_failed')
  const undone = await undo(deleted)
  expect([undone.status, undone.body]).toEqual([200, expect.anything()])
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
})

test('a rule about classes holds for one server, unless it says all', async () => {
  const roles = async () => {
    expect((await signIn('anna', 'First-1')).status).toBe(201)
    expect((await signIn('berta', 'Second-1')).status).toBe(201)
    return [(await userRow('anna')).role, (await userRow('berta')).role]
  }
  const rule = (name: string, more: object) =>
    server.admin.post(RULES, { name, source: 'radius', value: 'ops', ...more })
  const ofFirst = await rule('first', { system_role: 'Admin' })
  expect([ofFirst.status, await roles()]).toEqual([201, ['Admin', 'User']])
  const ofAll = await rule('all', { system_role: 'Auditor', all_radius_servers: true })
  expect([ofAll.status, await roles()]).toEqual([201, ['Admin', 'Auditor']])
  const ofSecond = await rule('second', { system_role: 'Admin', radius_server: partner })
  expect([ofSecond.status, await roles()]).toEqual([201, ['Admin', 'Admin']])
  expect((await server.admin.delete(`${path}${partner}/`)).status).toBe(400)
  for (const { body } of [ofFirst, ofAll, ofSecond]) await server.admin.delete(`${RULES}${body.id}/`)
  expect(await roles()).toEqual(['User', 'User'])
})

test('the secret is never shown, and goes only where it was entered for; it is tried before it is saved', async () => {
  const shown = await server.admin.get(`${path}${partner}/`)
  const { rows } = await server.kernel.pool.query('SELECT * FROM authentication_radius_server')
  expect(JSON.stringify([shown.body, rows])).not.toContain(second.secret)
  for (const elsewhere of [{ host: 'localhost' }, { port: third.port }]) {
    for (const { status, body } of [
      await server.admin.patch(`${path}${partner}/`, { ...elsewhere, secret: '' }),
      await server.admin.post(`${path}test/`, { ...draft({ id: partner, secret: '' }, second), ...elsewhere }),
    ])
      expect([status, Object.keys(body)]).toEqual([400, ['secret']])
  }
  expect((await server.admin.post(path, { name: 'Bare', host: '127.0.0.1' })).body).toHaveProperty('secret')
  const attempt = (values: object) => server.admin.post(`${path}test/`, draft(values, second))
  const name = `127.0.0.1:${second.port}`
  for (const kept of [{}, { id: partner, secret: '' }])
    expect(await attempt(kept)).toMatchObject({ status: 200, body: { msg: `${name} answers, with the same secret.` } })
  const login = { username: 'berta', password: 'Second-1' }
  expect(await attempt(login)).toMatchObject({ status: 200, body: { msg: 'berta can sign in' } })
  expect(await attempt({ ...login, password: 'Wrong-1' })).toMatchObject({
    status: 400,
    body: { detail: 'The server refuses this sign-in' },
  })
  expect(await attempt({ port: 1 })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^The provider cannot be used: ./) },
  })
})

test('there are 20 at most, for system administrators alone', async () => {
  const org = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  expect([
    (await org.get(path)).status,
    (await org.post(path, draft({ name: 'Other' }, second))).status,
    (await org.post(`${path}test/`, draft({}, second))).status,
  ]).toEqual([403, 403, 403])
  for (let n = 3; n <= 20; n++)
    expect((await server.admin.post(path, draft({ name: `P${n}` }, second))).status).toBe(201)
  expect((await server.admin.post(path, draft({ name: 'P21' }, second))).body.detail).toBe(
    'There are 20 RADIUS servers at most',
  )
})
