import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { ADMIN_PASSWORD, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { withDirectory } from './directory.ts'
import { dnOf, entry, ldapSettings, ou } from './people-fixture.ts'
import { type Slapd, startSlapd } from './slapd-fixture.ts'

const RIGHT = 'Directory-1'
const SETTINGS = '/api/v1/settings/setting/?category=ldap'
/** An entry that is named by its user name, as most directories do it. */
const named = (uid: string, name: string) =>
  entry('people', 99, { uid, name, mail: `${uid}@corp.example` }).replace('employeeNumber=99,', `uid=${uid},`)
const STAR = 'st*r(1)\\2a'

let slapd: Slapd
let server: TestServer
beforeAll(async () => {
  slapd = await startSlapd(
    ou('people') +
      ou('ad') +
      entry('people', 1, { uid: 'anna', name: 'Anna Ångström', mail: 'anna@corp.example' }) +
      entry('people', 2, { uid: '张伟', name: '张伟' }) +
      entry('people', 3, { uid: STAR }) +
      entry('people', 4, { uid: 'admin', mail: 'admin@corp.example' }) +
      entry('people', 5, { uid: 'locally' }) +
      entry('people', 6, { uid: 'thief', mail: 'victim@example.com' }) +
      entry('people', 7, { uid: 'newcomer' }) +
      entry('people', 8, { uid: 'letters' }) +
      entry('people', 9, { uid: 'away' }) +
      entry('people', 10, { uid: 'shutout' }) +
      entry('people', 11, { uid: 'browsing' }) +
      entry('people', 12, { uid: 'twin', mail: 'twins@corp.example' }) +
      entry('people', 13, { uid: 'twin2', mail: 'twins@corp.example' }) +
      entry('people', 14, { uid: 'vic', mail: 'vic@corp.example' }) +
      entry('people', 15, { uid: 'mallory', password: 'Mallory-1', mail: 'mallory@corp.example' }) +
      named('vera', 'Vera') +
      entry('ad', 1, { uid: 'j.doe', name: 'John Doe', mail: 'j.doe@corp.example', control: 512 }) +
      entry('ad', 2, { uid: 'g.one', name: 'Gone', control: 514 }),
  )
  server = await openTestServer({ SALLYPORT_SETTING_AUTH_LDAP_TLS_CA_FILE: slapd.certificateFile })
})
afterAll(async () => {
  await server?.close()
  await slapd?.close()
})
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  await configure()
})

async function configure(changes: Record<string, unknown> = {}) {
  const { status, body } = await server.admin.patch(SETTINGS, { ...ldapSettings(slapd.url), ...changes })
  expect([status, body]).toEqual([200, expect.anything()])
}

const signIn = (username: string, password = RIGHT) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)).body[0]

test('[A3.46] the first sign-in by LDAP makes the person, as a user of Default; the next ones bring the row up to date', async () => {
  const first = await signIn('anna')
  expect(first.status).toBe(201)
  const made = await userRow('anna')
  expect(made).toMatchObject({
    name: 'Anna Ångström',
    email: 'anna@corp.example',
    source: 'ldap',
    role: 'User',
    is_active: true,
  })
  expect((await server.admin.get(`/api/v1/users/users/${made.id}/`)).body.org_roles).toEqual(['User'])
  slapd.change(`dn: ${dnOf('people', 1)}\nchangetype: modify\nreplace: mail\nmail: new@corp.example\n`)
  expect((await signIn('anna')).status).toBe(201)
  expect(await userRow('anna')).toMatchObject({ id: made.id, email: 'new@corp.example' })
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?username=anna')
  expect(log.body[0]).toMatchObject({ status: true, backend: 'LDAP/AD' })
})

test('names in other scripts work; an address that the directory lacks is made of name and suffix', async () => {
  expect((await signIn('张伟')).status).toBe(201)
  expect(await userRow('张伟')).toMatchObject({ name: '张伟', email: '张伟@example.com', source: 'ldap' })
})

test('a wrong password counts as any other, and an empty one never reaches the directory, which would take it', async () => {
  const wrong = await signIn('anna', 'nonsense')
  expect([wrong.status, wrong.body.error]).toEqual([400, 'password_failed'])
  expect(wrong.body.msg).toContain('6 tries are left')
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?username=anna')
  expect(log.body[0]).toMatchObject({ status: false, reason: 'password_failed' })
  for (const password of ['', '\0']) expect((await signIn('anna', password)).status).toBe(400)
  await withDirectory(settingsOf(server.kernel).all(), async (directory) => {
    expect(await directory.isPassword(dnOf('people', 1), '')).toBe(false)
  })
})

test('a name is no part of the filter: no star, bracket or escape in it finds anybody else', async () => {
  for (const name of [
    '*',
    'a*',
    'anna)(uid=*',
    '*)(|(uid=*',
    'anna)(&)',
    '\\61nna',
    'anna\\',
    '(uid=anna)',
    '$&',
    '%(user)s',
  ]) {
    const answer = await signIn(name)
    expect([name, answer.status, answer.body.error]).toEqual([name, 400, 'password_failed'])
    await server.kernel.pool.query('DELETE FROM authentication_failure')
  }
  expect((await signIn(STAR)).status).toBe(201)
})

test('the administrator of a directory does not become a local person, nor the administrator, of the same name', async () => {
  const local = await server.aPerson('locally')
  for (const name of ['locally', 'admin', 'ADMIN']) expect([name, (await signIn(name)).status]).toEqual([name, 400])
  expect(await userRow('locally')).toMatchObject({ id: local.id, source: 'local' })
  expect(await userRow('admin')).toMatchObject({ source: 'local', email: 'admin@sallyport.local' })
  expect((await signIn('locally', PASSWORD)).status).toBe(201)
  expect((await signIn('admin', ADMIN_PASSWORD)).status).toBe(201)
})

test('an address of somebody else is not taken over with it', async () => {
  const victim = await server.aPerson('victim')
  const answer = await signIn('thief')
  expect([answer.status, answer.body.error]).toEqual([400, 'user_invalid'])
  expect(answer.body.msg).toContain('victim@example.com')
  expect(await userRow('thief')).toBeUndefined()
  expect(await userRow('victim')).toMatchObject({ id: victim.id, email: 'victim@example.com' })
})

test('people of a directory see that it is away, which costs them no try; local people sign in', async () => {
  expect((await signIn('away')).status).toBe(201)
  await slapd.stop()
  try {
    for (let n = 0; n < 9; n++) {
      const { status, body } = await signIn('away')
      expect([status, body.error]).toEqual([400, 'source_unavailable'])
    }
    expect((await signIn('away')).body.msg).toMatch(/^The directory .* cannot be reached/)
    expect((await signIn('admin', ADMIN_PASSWORD)).status).toBe(201)
  } finally {
    await slapd.start()
  }
  expect((await signIn('away')).status).toBe(201)
})

test('[A3.38] other letters are the same person, and give no more tries', async () => {
  expect((await signIn('LETTERS')).status).toBe(201)
  expect(await userRow('letters')).toMatchObject({ source: 'ldap' })
  expect(await userRow('LETTERS')).toBeUndefined()
  // A success under any spelling forgets what was counted of the person.
  for (let n = 0; n < 2; n++) {
    for (const name of ['Letters', 'lEtters', 'leTters', 'letTers']) await signIn(name, 'wrong')
    expect((await signIn('LETTERS')).status).toBe(201)
  }
  for (const name of ['Letters', 'lEtters', 'leTters', 'letTers', 'lettErs', 'letteRs', 'letterS'])
    expect((await signIn(name, 'wrong')).status).toBe(400)
  expect((await signIn('letters')).body.error).toBe('block_login')
  expect((await signIn('LEtters')).status).toBe(400)
})

test('where only existing people may sign in nobody is made', async () => {
  await settingsOf(server.kernel).set('ONLY_ALLOW_EXIST_USER_AUTH', true)
  try {
    expect((await signIn('newcomer')).body.error).toBe('password_failed')
    expect(await userRow('newcomer')).toBeUndefined()
  } finally {
    await settingsOf(server.kernel).set('ONLY_ALLOW_EXIST_USER_AUTH', false)
  }
  expect((await signIn('newcomer')).status).toBe(201)
})

test('a person who was disabled here stays out, even if the directory says otherwise', async () => {
  expect((await signIn('shutout')).status).toBe(201)
  const { id } = await userRow('shutout')
  await server.admin.in('root').patch(`/api/v1/users/users/${id}/`, { is_active: false })
  expect((await signIn('shutout')).body.error).toBe('user_inactive')
  expect(await userRow('shutout')).toMatchObject({ is_active: false })
})

test('Active Directory: sAMAccountName signs in, bit 2 of userAccountControl keeps out and ends what is open', async () => {
  await configure({
    ...ldapSettings(slapd.url, 'ad'),
    AUTH_LDAP_SEARCH_FILTER: '(&(objectClass=inetOrgPerson)(sAMAccountName=%(user)s))',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'samaccountname', name: 'cn', email: 'mail', is_active: 'userAccountControl' },
  })
  const { status, body } = await signIn('j.doe')
  expect(status).toBe(201)
  expect(await userRow('j.doe')).toMatchObject({ name: 'John Doe', is_active: true })
  expect((await signIn('g.one')).body.error).toBe('user_inactive')
  slapd.change(`dn: ${dnOf('ad', 1)}\nchangetype: modify\nreplace: userAccountControl\nuserAccountControl: 514\n`)
  expect((await signIn('j.doe')).body.error).toBe('user_inactive')
  const profile = await server.call('GET', '/api/v1/users/profile/', {
    headers: { authorization: `Bearer ${body.token}` },
  })
  expect(profile.status).toBe(401)
})

test('a filter that finds several people for one name lets none of them in', async () => {
  await configure({ AUTH_LDAP_SEARCH_FILTER: '(mail=%(user)s)' })
  expect((await signIn('twins@corp.example')).body.error).toBe('source_unavailable')
  expect(await userRow('twin')).toBeUndefined()
})

test('a person who writes somebody’s name into their own entry neither keeps them out, nor becomes them, nor changes them by an import', async () => {
  expect((await signIn('vic')).status).toBe(201)
  const rename = (...names: string[]) =>
    slapd.change(
      `dn: ${dnOf('people', 15)}\nchangetype: modify\nreplace: uid\n${names.map((name) => `uid: ${name}\n`).join('')}`,
    )
  // Somebody who has been here is known by their entry; who has not, where the entry is named by their name.
  for (const name of ['vic', 'vera']) {
    rename(name, 'mallory')
    expect((await signIn(name)).status, name).toBe(201)
    expect((await signIn(name, 'Mallory-1')).body.error, name).toBe('password_failed')
    expect((await server.admin.post('/api/v1/settings/ldap/users/import/', { username_list: [] })).status).toBeLessThan(
      300,
    )
    expect((await userRow(name)).email, name).toBe(`${name}@corp.example`)
    expect((await signIn(name)).status, name).toBe(201)
  }
  rename('mallory')
})

test('[A1.01] the sign-in page takes people of the directory', async () => {
  const browser = openTestBrowser(server)
  await browser.call('GET', '/core/auth/login/')
  expect((await browser.call('POST', '/core/auth/login/', { username: 'browsing', password: RIGHT })).body).toEqual({
    next: '/ui/',
  })
  expect((await browser.call('GET', '/api/v1/users/profile/')).body).toMatchObject({
    username: 'browsing',
    source: 'ldap',
  })
})

test('ldaps:// and StartTLS verify the certificate, by the file of the settings', async () => {
  const settings = () => settingsOf(server.kernel).all()
  const list = (changes: object) =>
    withDirectory({ ...settings(), ...changes }, (directory) => directory.list(() => false))
  for (const safe of [{ AUTH_LDAP_SERVER_URI: slapd.tlsUrl }, { AUTH_LDAP_START_TLS: true }]) {
    expect(await list(safe)).toHaveLength(16)
    await expect(list({ ...safe, AUTH_LDAP_TLS_CA_FILE: '' })).rejects.toThrow(
      'The certificate of the LDAP server cannot be verified',
    )
    // The certificate is for another name.
    const elsewhere = (safe.AUTH_LDAP_SERVER_URI ?? slapd.url).replace('localhost', '127.0.0.1')
    await expect(list({ ...safe, AUTH_LDAP_SERVER_URI: elsewhere })).rejects.toThrow('certificate')
  }
  await configure({ AUTH_LDAP_SERVER_URI: slapd.tlsUrl })
  expect((await signIn('anna')).status).toBe(201)
})
