import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { dnOf, entry, ldapSettings, ou } from './people-fixture.ts'
import { importWhenDue } from './periodic-import.ts'
import { nextDue, planOf } from './plan.ts'
import { type Slapd, SUFFIX, startSlapd } from './slapd-fixture.ts'

const LDAP = '/api/v1/settings/ldap/'
const SETTINGS = '/api/v1/settings/setting/?category=ldap'
const MANY = 2000

let slapd: Slapd
let server: TestServer
beforeAll(async () => {
  const crowd = Array.from({ length: MANY }, (_, n) =>
    entry('crowd', n, { uid: `u${n}`, name: `员工 ${n}`, mail: `u${n}@corp.example` }),
  )
  slapd = await startSlapd(
    ou('crowd') +
      crowd.join('') +
      ou('empty') +
      ou('few') +
      entry('few', 1, { uid: 'admin', mail: 'boss@corp.example' }) +
      entry('few', 2, { uid: 'bea', name: 'Bea Å', mail: 'bea@corp.example' }) +
      entry('few', 3, { uid: 'cid', name: 'Cid', mail: 'cid@corp.example' }) +
      entry('few', 4, { uid: 'mine', name: 'Mine', mail: 'mine@corp.example' }),
  )
  server = await openTestServer()
})
afterAll(async () => {
  await server?.close()
  await slapd?.close()
})
beforeEach(async () => {
  await configure({})
  await server.admin.get(`${LDAP}cache/refresh/`)
})

async function configure(changes: Record<string, unknown>) {
  const { status, body } = await server.admin.patch(SETTINGS, { ...ldapSettings(slapd.url, 'few'), ...changes })
  expect([status, body]).toEqual([200, expect.anything()])
}
const crowded = () => ({ AUTH_LDAP_SEARCH_OU: `ou=few,${SUFFIX}|ou=crowd,${SUFFIX}` })

/** The settings form as it is posted, with the map as text. */
const form = (changes: Record<string, unknown> = {}) => ({
  ...ldapSettings(slapd.url, 'few'),
  AUTH_LDAP_USER_ATTR_MAP: JSON.stringify({ username: 'uid', name: 'cn', email: 'mail' }),
  ...changes,
})
const testConfig = async (changes?: Record<string, unknown>) => {
  const { status, body } = await server.admin.post(`${LDAP}testing/config/`, form(changes))
  return [status, body]
}
/** The list, once the directory was asked in the background. */
async function listed(query = '') {
  await expect.poll(async () => (await server.admin.get(`${LDAP}users/${query}`)).status).not.toBe(409)
  return server.admin.get(`${LDAP}users/${query}`)
}
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${username}`)).body[0]
const members = async (org: string) =>
  (await server.admin.in(org).get('/api/v1/users/users/')).body.map((row: { username: string }) => row.username)

test('[B7.10] the test of the settings tells how many people there are, or in words what is wrong', async () => {
  expect(await testConfig()).toEqual([200, 'The settings work, the directory lists 4 people'])
  // As text without the map's form, and as an object: both are sent.
  expect((await testConfig({ AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' } }))[0]).toBe(200)
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ AUTH_LDAP_SERVER_URI: 'http://localhost' }, /begins with ldap:/],
    [{ AUTH_LDAP_SERVER_URI: 'localhost' }, /begins with ldap:/],
    [{ AUTH_LDAP_SERVER_URI: 'ldap://localhost:1' }, /Nothing listens/],
    [{ AUTH_LDAP_SERVER_URI: 'ldap://nowhere.invalid' }, /host name .* cannot be resolved/],
    [
      { AUTH_LDAP_SERVER_URI: slapd.url.replace('ldap:', 'ldaps:') },
      /No encrypted connection|connection to the LDAP server failed/,
    ],
    [{ AUTH_LDAP_SERVER_URI: slapd.tlsUrl }, /certificate of the LDAP server cannot be verified/],
    [{ AUTH_LDAP_BIND_PASSWORD: 'nonsense' }, /refuses the bind DN/],
    [{ AUTH_LDAP_BIND_DN: 'no dn' }, /does not know this DN/],
    [{ AUTH_LDAP_USER_ATTR_MAP: '{"username": "uid"}' }, /lacks name, email/],
    [{ AUTH_LDAP_SEARCH_OU: `ou=nowhere,${SUFFIX}` }, /OU ou=nowhere,dc=example,dc=org does not exist/],
    [{ AUTH_LDAP_SEARCH_OU: '' }, /Enter the OU/],
    [{ AUTH_LDAP_SEARCH_OU: `ou=empty,${SUFFIX}` }, /finds nobody/],
    [{ AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s' }, /filter is not valid/],
    [{ AUTH_LDAP: false }, /lists 4 people; but sign-in by LDAP is not enabled/],
  ]
  for (const [changes, text] of wrong) {
    const answer = await testConfig(changes)
    expect([changes, ...answer]).toEqual([changes, 400, expect.stringMatching(text)])
  }
  for (const body of [
    {},
    form({ AUTH_LDAP_BIND_PASSWORD: undefined }),
    form({ AUTH_LDAP_USER_ATTR_MAP: '[' }),
    [],
    'x',
  ]) {
    const { status, body: refusal } = await server.admin.post(`${LDAP}testing/config/`, body)
    // A field and what is wrong with it, or the sentence alone.
    expect([status, refusal]).toEqual([
      400,
      { error: expect.stringMatching(/^(AUTH_\w+: )?(This field is|Invalid data\. Expected an object)/) },
    ])
  }
})

test('the saved password goes to the saved server and account only, and to no other that somebody tries', async () => {
  expect((await testConfig({ AUTH_LDAP_BIND_PASSWORD: '' }))[0]).toBe(200)
  for (const elsewhere of [
    { AUTH_LDAP_SERVER_URI: 'ldap://localhost:1' },
    { AUTH_LDAP_BIND_DN: `cn=reader,${SUFFIX}` },
  ])
    expect(await testConfig({ AUTH_LDAP_BIND_PASSWORD: '', ...elsewhere })).toEqual([
      400,
      expect.stringMatching(/^Enter the password: the saved one/),
    ])
  const { body } = await server.admin.get(SETTINGS)
  expect(JSON.stringify(body)).not.toContain('Serving-1')
})

test('[B7.11] the test of a sign-in says whether it would work', async () => {
  const login = async (body: unknown) => {
    const { status, body: answer } = await server.admin.post(`${LDAP}testing/login/`, body)
    return [status, answer]
  }
  expect(await login({ username: 'bea', password: 'Directory-1' })).toEqual([200, 'bea can sign in'])
  expect(await login({ username: 'bea', password: 'nonsense' })).toEqual([400, 'The directory refuses this password'])
  expect(await login({ username: 'b*', password: 'Directory-1' })).toEqual([400, 'The directory does not know b*'])
  expect(await login({ username: 'bea' })).toEqual([400, { error: expect.any(String) }])
})

test('[A3.46] LDAP settings that could not work are refused by their field', async () => {
  const refused = async (change: Record<string, unknown>) =>
    Object.keys((await server.admin.patch(SETTINGS, change)).body)
  for (const change of [
    { AUTH_LDAP_SERVER_URI: 'https://localhost' },
    { AUTH_LDAP_SEARCH_FILTER: '(uid=anna)' },
    { AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s' },
    { AUTH_LDAP_USER_ATTR_MAP: { username: 'uid' } },
    { AUTH_LDAP_USER_ATTR_MAP: { username: 'uid)(x', name: 'cn', email: 'mail' } },
    { AUTH_LDAP_SYNC_CRONTAB: 'sometimes' },
    { AUTH_LDAP_SYNC_CRONTAB: '0 0 * * * *' },
  ])
    expect([change, await refused(change)]).toEqual([change, Object.keys(change)])
})

test('[B7.12] [B7.13] the list is read in the background, shows new people first, and is kept until it is refreshed', async () => {
  expect((await server.admin.get(`${LDAP}users/?cache_police=1`)).status).toBe(409)
  const { body } = await listed('?cache_police=1')
  expect(body.map(({ username }: { username: string }) => username)).toEqual(['bea', 'cid', 'mine', 'admin'])
  expect(body[0]).toEqual({ id: 'bea', username: 'bea', name: 'Bea Å', email: 'bea@corp.example', existing: false })
  slapd.change(`dn: ${dnOf('few', 3)}\nchangetype: modify\nreplace: cn\ncn: Cidney\n`)
  const name = async (query: string) => (await server.admin.get(`${LDAP}users/?search=CID&${query}`)).body[0].name
  expect([await name('cache_police=1'), await name('cache_police=0')]).toEqual(['Cid', 'Cidney'])
  expect((await server.admin.get(`${LDAP}cache/refresh/`)).body).toEqual({ msg: 'success' })
  await listed()
  expect(await name('cache_police=1')).toBe('Cidney')
  const page = await server.admin.get(`${LDAP}users/?limit=2&offset=2&order=-username`)
  expect([page.body.count, page.body.results.map(({ id }: { id: string }) => id)]).toEqual([4, ['bea', 'admin']])
  expect([page.body.previous, page.body.next]).toEqual([expect.stringContaining('offset=0'), null])
  const first = await server.admin.get(`${LDAP}users/?limit=2&offset=0`)
  expect([first.body.previous, first.body.next]).toEqual([null, expect.stringContaining('offset=2')])
})

test('[B7.12] a list that could not be read says why until it is refreshed', async () => {
  await configure({ AUTH_LDAP_BIND_PASSWORD: 'nonsense' })
  const { status, body } = await listed()
  expect([status, body]).toEqual([400, { error: 'The LDAP server refuses the bind DN or its password' }])
  await configure({})
  expect((await server.admin.get(`${LDAP}users/`)).status).toBe(400)
  await server.admin.get(`${LDAP}cache/refresh/`)
  expect((await listed()).status).toBe(200)
})

test('[B7.14] selected people are imported into the organization named, or the current one, and never as the administrator', async () => {
  const org = await server.anOrg('Imported')
  const call = (body: unknown, where = server.admin) => where.post(`${LDAP}users/import/`, body)
  expect((await call({ username_list: ['bea'], org_id: org })).body).toEqual({
    msg: '1 people were imported into the organization Imported',
  })
  expect(await userRow('bea')).toMatchObject({ source: 'ldap', email: 'bea@corp.example', name: 'Bea Å' })
  expect(await members(org)).toEqual(['bea'])
  expect(await members('DEFAULT')).not.toContain('bea')
  expect((await call({ username_list: ['bea'] })).status).toBe(200)
  expect(await members('DEFAULT')).toContain('bea')

  const local = await server.aPerson('mine')
  const mixed = await call({ username_list: ['mine', 'admin', 'nobody'] })
  expect(mixed.status).toBe(400)
  expect(mixed.body).toEqual({
    errors: [
      { admin: 'A local system administrator is not taken over' },
      { nobody: 'The directory does not list this person' },
    ],
  })
  expect(await userRow('mine')).toMatchObject({ id: local.id, source: 'ldap', email: 'mine@corp.example' })
  expect(await userRow('admin')).toMatchObject({ source: 'local', email: 'admin@sallyport.local' })
  expect((await call({ username_list: ['cid'] }, server.admin.in('root'))).body).toEqual({
    msg: '1 people were imported',
  })
  expect(await members('DEFAULT')).toContain('cid')
  const log = await server.admin.in(org).get('/api/v1/audits/operate-logs/?resource_type=User')
  expect(log.body.map((row: { resource: string }) => row.resource)).toContain('Bea Å(bea)')
  const [taken] = (await server.admin.in('root').get(`/api/v1/audits/operate-logs/?object_id=${local.id}`)).body
  expect(taken.changes).toContainEqual(expect.objectContaining({ field: 'source', before: 'Local', after: 'LDAP/AD' }))
  const { pool } = server.kernel
  await pool.query("UPDATE users_user SET source = 'openid' WHERE username = 'cid'")
  await pool.query("UPDATE users_user SET source = 'local', role = 'App' WHERE username = 'bea'")
  const elsewhere = 'A user with this name comes from another source'
  expect((await call({ username_list: ['bea', 'cid'] })).body, 'a component, and a person of another source').toEqual({
    errors: [{ bea: elsewhere }, { cid: elsewhere }],
  })
  await pool.query("UPDATE users_user SET source = 'ldap', role = 'User' WHERE username IN ('bea', 'cid')")
  for (const body of [{ username_list: 'all' }, { username_list: [1] }, { username_list: [], org_id: 'nowhere' }])
    expect((await call(body)).status).toBe(400)
})

test('an import of people is taken back as a whole: who came with it goes', async () => {
  await server.kernel.pool.query("DELETE FROM users_user WHERE username = 'cid'")
  const imported = await server.admin.post(`${LDAP}users/import/`, { username_list: ['cid'] })
  expect([imported.status, await userRow('cid')]).toEqual([200, expect.objectContaining({ source: 'ldap' })])
  const undone = await server.admin.post(`/api/v1/audits/undo/${imported.headers['x-change']}/`, {})
  expect([undone.status, undone.body.total, await userRow('cid')]).toEqual([200, 1, undefined])
})

test(`${MANY} people are listed page by page past the server's own limit, and an empty list imports them all`, async () => {
  await configure(crowded())
  expect((await listed()).body).toHaveLength(MANY + 4)
  const own = await server.aPerson('u7')
  const { status, body } = await server.admin.post(`${LDAP}users/import/`, { username_list: [] })
  expect([status, body.msg]).toEqual([
    200,
    expect.stringMatching(/^200\d people were imported into the organization Default$/),
  ])
  expect((await server.admin.get('/api/v1/users/users/?source=ldap&limit=1')).body.count).toBeGreaterThanOrEqual(MANY)
  expect(await userRow('u1999')).toMatchObject({ name: '员工 1999', source: 'ldap' })
  // Nobody named them: a local person of the same name stays local.
  expect(await userRow('u7')).toMatchObject({ id: own.id, source: 'local' })
})

test('everybody is imported at the times of the settings, once for each, and who was there is brought up to date', async () => {
  const at = (time: string) => new Date(`2026-03-01T${time}:00Z`)
  await configure({ AUTH_LDAP_SYNC_IS_PERIODIC: true, AUTH_LDAP_SYNC_INTERVAL: 2 })
  await server.kernel.pool.query(`DELETE FROM users_user WHERE username = 'cid'`)
  await importWhenDue(server.kernel, at('01:00'))
  await importWhenDue(server.kernel, at('02:59'))
  expect(await userRow('cid')).toBeUndefined()
  await importWhenDue(server.kernel, at('03:00'))
  expect(await userRow('cid')).toMatchObject({ source: 'ldap' })
  slapd.change(`dn: ${dnOf('few', 3)}\nchangetype: modify\nreplace: mail\nmail: cid2@corp.example\n`)
  await importWhenDue(server.kernel, at('03:01'))
  expect(await userRow('cid')).toMatchObject({ email: 'cid@corp.example' })
  await importWhenDue(server.kernel, at('05:01'))
  expect(await userRow('cid')).toMatchObject({ email: 'cid2@corp.example' })
  await configure({ AUTH_LDAP_SYNC_IS_PERIODIC: false })
  await importWhenDue(server.kernel, at('23:00'))
  expect((await server.kernel.pool.query('SELECT plan FROM authentication_ldap_plan')).rows).toEqual([])
})

test('the regular times win over the hours, and neither counts while sign-in or periodic import is off', () => {
  const on = {
    ...settingsOf(server.kernel).all(),
    AUTH_LDAP_SYNC_IS_PERIODIC: true,
    AUTH_LDAP_SYNC_CRONTAB: '',
    AUTH_LDAP_SYNC_INTERVAL: 6,
  }
  expect(planOf(on)).toBe('6')
  expect(planOf({ ...on, AUTH_LDAP_SYNC_CRONTAB: '30 4 * * *' })).toBe('30 4 * * *')
  expect(planOf({ ...on, AUTH_LDAP_SYNC_INTERVAL: null })).toBe('24')
  expect(planOf({ ...on, AUTH_LDAP: false })).toBe('')
  expect(planOf({ ...on, AUTH_LDAP_SYNC_IS_PERIODIC: false })).toBe('')
  const now = new Date(2026, 2, 1, 12, 0)
  expect(nextDue('6', now)).toEqual(new Date(2026, 2, 1, 18, 0))
  expect(nextDue('30 4 * * *', now)).toEqual(new Date(2026, 2, 2, 4, 30))
  expect([nextDue('', now), nextDue('sometimes', now)]).toEqual([undefined, undefined])
})
