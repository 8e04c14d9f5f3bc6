import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { freePort } from '../../../../test/free-port.ts'
import { openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { dnOf, entry, ldapSettings, ou } from '../ldap/people-fixture.ts'
import { importWhenDue } from '../ldap/periodic-import.ts'
import { type Slapd, SUFFIX, startSlapd } from '../ldap/slapd-fixture.ts'

const DIRECTORIES = '/api/v1/authentication/directories/'
const RULES = '/api/v1/authentication/group-mappings/'
const ADMINS = `cn=admins,ou=groups,${SUFFIX}`
const someone = (number: number, uid: string, password: string) =>
  entry('people', number, { uid, password, mail: `${uid}.${password.toLowerCase()}@corp.example` })

/** The directory of the settings, and another one, whose people are partly called the same. */
let first: Slapd
let second: Slapd
/** The way to the second one, which counts connections and can be silent. */
let door: Awaited<ReturnType<typeof openDoor>>
let server: TestServer
let partner: string
beforeAll(async () => {
  const group = `${ou('groups')}dn: ${ADMINS}\nobjectClass: groupOfNames\ncn: admins\n`
  first = await startSlapd(
    ou('people') +
      ['anna', 'both', 'later', 'moved'].map((uid, n) => someone(n + 1, uid, 'First-1')).join('') +
      `${group}member: ${dnOf('people', 1)}\n\n`,
  )
  second = await startSlapd(
    ou('people') +
      ['berta', 'both', 'later', 'carl', 'admin', 'locally', 'moved', 'dora', 'emil', 'frida', 'gerd']
        .map((uid, n) => someone(n + 1, uid, 'Second-1'))
        .join('') +
      `${group}member: ${dnOf('people', 1)}\n\n`,
  )
  door = await openDoor(Number(new URL(second.url).port))
  server = await openTestServer()
  await server.aPerson('locally')
  const settings = { ...ldapSettings(first.url), AUTH_LDAP_GROUP_SEARCH_OU: `ou=groups,${SUFFIX}` }
  expect((await server.admin.patch('/api/v1/settings/setting/?category=ldap', settings)).status).toBe(200)
  partner = await aDirectory({ name: 'Partner' })
})
afterAll(async () => {
  await server?.close()
  await door?.close()
  await first?.close()
  await second?.close()
})
beforeEach(() => server.kernel.pool.query('DELETE FROM authentication_failure'))

const draft = (values: object = {}) => ({
  name: 'Another',
  server_uri: door.url,
  bind_dn: `cn=service,${SUFFIX}`,
  bind_password: 'Serving-1',
  search_ou: `ou=people,${SUFFIX}`,
  group_search_ou: `ou=groups,${SUFFIX}`,
  connect_timeout: 2,
  ...values,
})
async function aDirectory(values: object) {
  const { status, body } = await server.admin.post(DIRECTORIES, draft(values))
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id as string
}
const signIn = (username: string, password: string) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${username}`)).body[0]
const change = async (id: string, values: object) => {
  const answer = await server.admin.patch(`${DIRECTORIES}${id}/`, values)
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer
}

/** A port that leads to another one, counts who comes, and may let nothing through. */
async function openDoor(to: number) {
  const port = await freePort()
  const sockets = new Set<Socket>()
  const state = { count: 0, isSilent: false }
  const listener = createServer((socket) => {
    state.count++
    sockets.add(socket.on('error', () => {}))
    if (state.isSilent) return
    const inner = connect(to, 'localhost').on('error', () => socket.destroy())
    sockets.add(inner)
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve) => listener.listen(port, 'localhost', resolve))
  return Object.assign(state, {
    url: `ldap://localhost:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  })
}

test('people of a further directory sign in with its password, and are its own', async () => {
  expect((await signIn('anna', 'First-1')).status).toBe(201)
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect(await userRow('anna')).toMatchObject({ source: 'ldap', directory: '' })
  expect(await userRow('berta')).toMatchObject({ source: 'ldap', directory: 'Partner', is_directory_off: false })
  expect((await server.admin.get(`${DIRECTORIES}${partner}/`)).body).toMatchObject({ people_amount: 1 })
  const browser = openTestBrowser(server)
  await browser.call('GET', '/core/auth/login/')
  await browser.call('POST', '/core/auth/login/', { username: 'berta', password: 'Second-1' })
  expect((await browser.call('GET', '/api/v1/users/profile/')).body).toMatchObject({ username: 'berta' })
})

test('the first directory that knows a new name decides, and whose a name is it stays: no other takes it over', async () => {
  // Nobody of that name is here yet.
  expect((await signIn('both', 'Second-1')).body.error).toBe('password_failed')
  expect(await userRow('both')).toBeUndefined()
  expect((await signIn('both', 'First-1')).status).toBe(201)
  expect((await signIn('both', 'Second-1')).body.error).toBe('password_failed')
  expect(await userRow('both')).toMatchObject({ directory: '' })
  // An administrator imports this one from the second directory: from then on it is asked, and no other.
  const named = await server.admin.post(`${DIRECTORIES}${partner}/users/import/?cache_police=0`, {
    username_list: ['later', 'both'],
  })
  expect([named.status, named.body.errors]).toEqual([
    400,
    [{ both: 'A user with this name comes from another directory' }],
  ])
  expect((await signIn('later', 'Second-1')).status).toBe(201)
  for (const name of ['later', 'LATER']) expect((await signIn(name, 'First-1')).body.error).toBe('password_failed')
})

test('a name that is two people’s in the first directory is nobody’s in the others', async () => {
  const filter = (text: string) =>
    server.admin.patch('/api/v1/settings/setting/?category=ldap', { AUTH_LDAP_SEARCH_FILTER: text })
  expect((await filter('(|(uid=%(user)s)(uid=anna)(uid=both))')).status).toBe(200)
  expect((await signIn('emil', 'Second-1')).body.error).toBe('source_unavailable')
  expect((await filter('(uid=%(user)s)')).status).toBe(200)
  expect(await userRow('emil')).toBeUndefined()
})

test('neither the administrator nor a local person of here is anybody of a further directory', async () => {
  for (const name of ['admin', 'Admin', 'locally', 'LOCALLY'])
    expect([name, (await signIn(name, 'Second-1')).body.error]).toEqual([name, 'password_failed'])
  expect(await userRow('admin')).toMatchObject({ source: 'local', role: 'Admin', directory: '' })
  expect((await signIn('locally', PASSWORD)).status).toBe(201)
})

test('a person who is made local here is of no directory, and may then be imported from another one', async () => {
  expect((await signIn('moved', 'First-1')).status).toBe(201)
  const { id } = await userRow('moved')
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { source: 'local' })
  await server.admin.post(`${DIRECTORIES}${partner}/users/import/?cache_police=0`, { username_list: ['moved'] })
  expect(await userRow('moved')).toMatchObject({ id, directory: 'Partner' })
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { source: 'openid' })
  expect(await userRow('moved')).toMatchObject({ id, source: 'openid', directory: '' })
})

test('a directory that is silent holds up its own people alone, and others for a bounded time', async () => {
  expect((await signIn('dora', 'Second-1')).status).toBe(201)
  door.isSilent = true
  // It comes first among the further ones.
  await change(partner, { priority: 1 })
  const third = await aDirectory({ name: 'Third', server_uri: second.url, priority: 2 })
  try {
    expect((await signIn('dora', 'Second-1')).body.error).toBe('source_unavailable')
    expect((await signIn('anna', 'First-1')).status).toBe(201)
    expect((await signIn('nobody-at-all', 'x')).body.error).toBe('source_unavailable')
    expect((await signIn('emil', 'Second-1')).status).toBe(201)
    expect(await userRow('emil')).toMatchObject({ directory: 'Third' })
  } finally {
    door.isSilent = false
    await change(third, { is_active: false })
    await change(partner, { priority: 50 })
  }
  // A try while it was away has cost nothing.
  expect((await signIn('dora', 'Second-1')).status).toBe(201)
}, 30_000)

test('[A3.38] a wrong password asks each directory for the name once, whose it may be or nobody’s', async () => {
  for (const name of ['berta', 'anna', 'locally', 'nobody']) {
    door.count = 0
    const answer = await signIn(name, 'Wrong-guess-1')
    expect([name, answer.body.error, door.count]).toEqual([name, 'password_failed', 1])
  }
  // A right one needs the person's own directory alone.
  door.count = 0
  expect((await signIn('anna', 'First-1')).status).toBe(201)
  expect(door.count).toBe(0)
})

test('people of a directory that is switched off are shut out at once, in words for those who may know; nothing is deleted', async () => {
  const { body } = await signIn('berta', 'Second-1')
  const own = { headers: { authorization: `Bearer ${body.token}` } }
  const { id } = await userRow('berta')
  expect((await server.call('GET', '/api/v1/users/profile/', own)).status).toBe(200)
  await server.admin.patch('/api/v1/settings/setting/?category=sso', { AUTH_SSO: true })
  const link = (await server.admin.post('/api/v1/authentication/sso/login-url/', { username: 'berta' })).body.login_url
  const off = await change(partner, { is_active: false })
  expect((await server.call('GET', '/api/v1/users/profile/', own)).status).toBe(401)
  // To the right password it says no more than to a wrong one, since nobody is asked.
  door.count = 0
  expect([(await signIn('berta', 'Second-1')).body.error, door.count]).toEqual(['password_failed', 0])
  const [logged] = (await server.admin.in('root').get('/api/v1/audits/login-logs/?username=berta')).body
  expect(logged).toMatchObject({
    reason: 'directory_off',
    reason_display: 'The directory or sign-in provider of this user is switched off',
  })
  const { pathname, search } = new URL(link, 'http://sallyport.example')
  await openTestBrowser(server).call('GET', pathname + search)
  const [byLink] = (await server.admin.in('root').get('/api/v1/audits/login-logs/?username=berta')).body
  expect(byLink).toMatchObject({ backend: 'SSO', status: false, reason: 'directory_off' })
  expect(await userRow('berta')).toMatchObject({ id, is_active: true, is_valid: false, is_directory_off: true })
  const refused = await server.admin.post(`${DIRECTORIES}${partner}/users/import/`, {})
  expect([refused.status, refused.body.detail]).toEqual([400, 'This directory is switched off'])
  // Nobody comes to life again with it.
  const undone = await server.admin.post(`/api/v1/audits/undo/${off.headers['x-change']}/`, {})
  expect([undone.status, (await server.admin.get(`${DIRECTORIES}${partner}/`)).body.is_active]).toEqual([200, true])
  expect((await server.call('GET', '/api/v1/users/profile/', own)).status).toBe(401)
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
})

test('people of a directory that is deleted stay its own and stay out, until the deletion is taken back', async () => {
  const gone = await aDirectory({ name: 'Short-lived', server_uri: second.url, priority: 1 })
  expect((await signIn('frida', 'Second-1')).status).toBe(201)
  const deleted = await server.admin.delete(`${DIRECTORIES}${gone}/`)
  expect(deleted.status).toBe(204)
  // Another directory knows the same name, with the same password.
  expect((await signIn('frida', 'Second-1')).body.error).toBe('password_failed')
  expect(await userRow('frida')).toMatchObject({ directory: 'Short-lived', is_valid: false, is_directory_off: true })
  const undone = await server.admin.post(`/api/v1/audits/undo/${deleted.headers['x-change']}/`, {})
  expect([undone.status, undone.body]).toEqual([200, expect.anything()])
  expect((await signIn('frida', 'Second-1')).status).toBe(201)
  expect((await server.admin.delete(`${DIRECTORIES}${gone}/`)).status).toBe(204)
})

test('a rule holds for one directory, unless it says all: the same DN elsewhere means nobody', async () => {
  const rule = (values: object) =>
    server.admin.post(RULES, { name: `rule ${JSON.stringify(values).length}`, value: ADMINS, ...values })
  const ofFirst = await rule({ system_role: 'Admin' })
  expect(ofFirst.status).toBe(201)
  expect((await signIn('anna', 'First-1')).status).toBe(201)
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect([(await userRow('anna')).role, (await userRow('berta')).role]).toEqual(['Admin', 'User'])
  const ofAll = await rule({ system_role: 'Auditor', all_directories: true })
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect((await userRow('berta')).role).toBe('Auditor')
  const everywhere = await rule({ system_role: 'Admin', all_directories: true })
  expect([everywhere.status, everywhere.body]).toEqual([
    400,
    { system_role: ['Only a rule for one directory makes system administrators'] },
  ])
  expect((await rule({ source: 'openid', directory: partner })).body).toHaveProperty('directory')
  const ofPartner = await rule({ system_role: 'Admin', directory: partner })
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect((await userRow('berta')).role).toBe('Admin')
  expect((await server.admin.delete(`${DIRECTORIES}${partner}/`)).status).toBe(400)
  for (const { body } of [ofFirst, ofAll, ofPartner]) await server.admin.delete(`${RULES}${body.id}/`)
  expect((await signIn('berta', 'Second-1')).status).toBe(201)
  expect((await userRow('berta')).role).toBe('User')
})

test('each directory is imported at its own times, and takes from its own people alone', async () => {
  const ofAll = await server.admin.post(RULES, {
    name: 'everybody',
    match: 'everybody',
    all_directories: true,
    org_role: 'Auditor',
  })
  const now = Date.now()
  await change(partner, { sync_is_periodic: true, sync_interval: 1 })
  await importWhenDue(server.kernel, new Date(now))
  await importWhenDue(server.kernel, new Date(now + 3_700_000))
  expect(await userRow('gerd')).toMatchObject({ directory: 'Partner' })
  // Where both know a name, each has changed its own people.
  expect((await server.admin.post('/api/v1/settings/ldap/users/import/?cache_police=0', {})).status).toBe(200)
  expect(await userRow('later')).toMatchObject({ directory: 'Partner', email: 'later.second-1@corp.example' })
  expect(await userRow('both')).toMatchObject({ directory: '', email: 'both.first-1@corp.example' })
  const roles = async (username: string) =>
    (await server.admin.get(`/api/v1/users/users/?username=${username}`)).body[0]?.org_roles
  expect((await signIn('anna', 'First-1')).status).toBe(201)
  expect([await roles('gerd'), await roles('anna')]).toEqual([['Auditor'], expect.arrayContaining(['Auditor'])])
  second.change(`dn: ${dnOf('people', 11)}\nchangetype: delete\n`)
  await importWhenDue(server.kernel, new Date(now + 7_400_000))
  // Whom it lists no more loses what it gave; anna is of another directory, which was not read.
  expect([await roles('gerd'), await roles('anna')]).toEqual([undefined, expect.arrayContaining(['Auditor'])])
  await change(partner, { sync_is_periodic: false })
  await importWhenDue(server.kernel, new Date(now + 9_400_000))
  expect((await server.kernel.pool.query('SELECT directory FROM authentication_ldap_plan')).rows).toEqual([])
  await server.admin.delete(`${RULES}${ofAll.body.id}/`)
})

test('the password of the bind DN is never shown, and goes only where it was entered for', async () => {
  const shown = await server.admin.get(`${DIRECTORIES}${partner}/`)
  expect(JSON.stringify(shown.body)).not.toContain('Serving-1')
  const { rows } = await server.kernel.pool.query('SELECT * FROM authentication_directory')
  expect(JSON.stringify(rows)).not.toContain('Serving-1')
  const form = { ...draft(), id: partner, bind_password: '' }
  const works = await server.admin.post(`${DIRECTORIES}test/`, form)
  expect([works.status, works.body.msg]).toEqual([200, expect.stringMatching(/lists \d+ people/)])
  for (const elsewhere of [{ server_uri: second.url }, { bind_dn: 'cn=other,dc=x' }, { ca_certificates: 'x' }]) {
    expect((await server.admin.post(`${DIRECTORIES}test/`, { ...form, ...elsewhere })).status).toBe(400)
    const { bind_password: _, ...rest } = draft(elsewhere)
    const kept = await server.admin.patch(`${DIRECTORIES}${partner}/`, rest)
    expect([kept.status, kept.body]).toEqual([400, expect.objectContaining({ bind_password: expect.anything() })])
  }
  const tried = (password: string) =>
    server.admin.post(`${DIRECTORIES}${partner}/test-sign-in/`, { username: 'berta', password })
  expect((await tried('Second-1')).body.msg).toBe('berta can sign in')
  expect((await tried('Wrong-1')).body.detail).toBe('The directory refuses this password')
})

test('bad values of a directory are refused by field, and directories are for system administrators alone', async () => {
  const bad = {
    server_uri: 'https://x',
    search_filter: '(uid=x)',
    user_attr_map: { username: 'uid' },
    sync_crontab: 'now',
    ca_certificates: 'x',
    search_ou: '|',
    bind_password: '',
  }
  const { status, body } = await server.admin.post(DIRECTORIES, draft({ name: 'Bad', ...bad }))
  expect([status, Object.keys(body).toSorted()]).toEqual([400, Object.keys(bad).toSorted()])
  expect((await server.admin.post(DIRECTORIES, draft({ name: 'Partner' }))).body).toHaveProperty('name')
  const org = await server.aPerson('org-admin', { orgRoles: ['Admin'] })
  expect((await org.get(DIRECTORIES)).status).toBe(403)
  expect((await org.post(`${DIRECTORIES}${partner}/users/import/`, {})).status).toBe(403)
  expect((await server.admin.post(`${DIRECTORIES}${crypto.randomUUID()}/users/import/`, {})).status).toBe(404)
})
