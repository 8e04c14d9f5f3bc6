import { Client } from 'ldapts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'
import { type LdapSettings, withDirectory } from './directory.ts'
import { reading } from './groups.ts'
import { valuesOf } from './ranged-values.ts'
import { AD_READER, AD_SUFFIX, type Samba, startSamba, unicodePassword } from './samba-fixture.ts'

const PEOPLE = `OU=people,${AD_SUFFIX}`
const MANY = `OU=many,${AD_SUFFIX}`
const RIGHT = 'Directory-1'
/** More than Active Directory answers of one attribute (MaxValRange), with one person behind them. */
const CONTACTS = 1600

const add = (dn: string, kind: string, ...lines: string[]) =>
  `dn: ${dn}\nchangetype: add\nobjectClass: ${kind}\n${lines.map((line) => `${line}\n`).join('')}\n`
const cn = (name: string) => `CN=${name},${PEOPLE}`
/** 512: a normal account; 514: a disabled one. */
const person = (name: string, control = 512) =>
  add(
    cn(`${name} of AD`),
    'user',
    `sAMAccountName: ${name}`,
    `userPrincipalName: ${name}@ad.example.org`,
    `displayName: ${name} of AD`,
    `mail: ${name}@corp.example`,
    unicodePassword(RIGHT),
    `userAccountControl: ${control}`,
  )
const group = (name: string, members: readonly string[]) =>
  add(cn(name), 'group', `sAMAccountName: ${name}`, ...members.map((dn) => `member: ${dn}`))

let samba: Samba
let server: TestServer
beforeAll(async () => {
  const contacts = Array.from({ length: CONTACTS }, (_, n) => `CN=c${n},${MANY}`)
  samba = await startSamba(
    [
      add(PEOPLE, 'organizationalUnit'),
      add(MANY, 'organizationalUnit'),
      ...['anna', 'bert', 'cora', 'dora'].map((name) => person(name)),
      person('gone', 514),
      ...contacts.map((dn) => add(dn, 'contact')),
      group('inner', [cn('anna of AD')]),
      group('middle', [cn('inner')]),
      group('outer', [cn('middle')]),
      group('direct', [cn('bert of AD')]),
      group('everybody', [...contacts, cn('cora of AD')]),
    ].join(''),
  )
  server = await openTestServer({ SALLYPORT_SETTING_AUTH_LDAP_TLS_CA_FILE: samba.certificateFile })
}, 120_000)
afterAll(async () => {
  await server?.close()
  await samba?.close()
})
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  await configure()
})

/** As an administrator of a domain fills it in: the whole domain, whose servers name others beside it. */
async function configure(changes: Record<string, unknown> = {}) {
  const { status, body } = await server.admin.patch('/api/v1/settings/setting/?category=ldap', {
    AUTH_LDAP: true,
    AUTH_LDAP_SERVER_URI: samba.tlsUrl,
    AUTH_LDAP_BIND_DN: AD_READER.dn,
    AUTH_LDAP_BIND_PASSWORD: AD_READER.password,
    AUTH_LDAP_SEARCH_OU: AD_SUFFIX,
    AUTH_LDAP_SEARCH_FILTER:
      '(&(objectCategory=person)(objectClass=user)(|(sAMAccountName=%(user)s)(userPrincipalName=%(user)s)))',
    AUTH_LDAP_GROUP_SEARCH_OU: AD_SUFFIX,
    AUTH_LDAP_USER_ATTR_MAP: {
      username: 'sAMAccountName',
      name: 'displayName',
      email: 'mail',
      is_active: 'userAccountControl',
    },
    AUTH_LDAP_CONNECT_TIMEOUT: 20,
    AUTH_LDAP_SEARCH_PAGED_SIZE: 500,
    ...changes,
  })
  expect([status, body]).toEqual([200, expect.anything()])
}
const settings = (changes: Partial<LdapSettings>): LdapSettings => ({
  ...settingsOf(server.kernel).all(),
  AUTH_LDAP_TLS_CA_FILE: samba.certificateFile,
  ...changes,
})

const signIn = (username: string, password = RIGHT) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const userRow = async (username: string) =>
  (await server.admin.get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)).body[0]
const importAll = async () => {
  const { status, body } = await server.admin.post('/api/v1/settings/ldap/users/import/?cache_police=0', {})
  expect([status, body]).toEqual([200, expect.anything()])
}
let count = 0
/** A group here for the members of a group there. */
async function mapped(name: string): Promise<string> {
  const { body } = await server.admin.post('/api/v1/users/groups/', { name: `Ours ${++count}` })
  const rule = { name: `rule ${count}`, source: 'ldap', value: cn(name), user_groups: [body.id] }
  expect((await server.admin.post('/api/v1/authentication/group-mappings/', rule)).status).toBe(201)
  return `Ours ${count}`
}

test('people sign in by the short name and by the principal name, over LDAPS and over StartTLS, as the same person', async () => {
  expect((await signIn('anna')).status).toBe(201)
  expect(await userRow('anna')).toMatchObject({ name: 'anna of AD', email: 'anna@corp.example', source: 'ldap' })
  expect((await signIn('anna@ad.example.org')).status).toBe(201)
  expect((await signIn('ANNA')).status).toBe(201)
  const { rows } = await server.kernel.pool.query("SELECT username FROM users_user WHERE source = 'ldap'")
  expect(rows).toEqual([{ username: 'anna' }])
  expect((await signIn('anna', 'nonsense')).body.error).toBe('password_failed')
  const startTls = settings({ AUTH_LDAP_SERVER_URI: samba.url, AUTH_LDAP_START_TLS: true })
  const found = await withDirectory(startTls, async (directory) => {
    const bert = await directory.find('bert@ad.example.org', () => false)
    return [bert?.username, await directory.isPassword(bert?.dn ?? '', RIGHT)]
  })
  expect(found).toEqual(['bert', true])
})

test('without encryption a domain takes no password, and the refusal says what to do', async () => {
  const plain = withDirectory(settings({ AUTH_LDAP_SERVER_URI: samba.url }), async () => 'in')
  await expect(plain).rejects.toThrow(/encrypt/i)
})

test('a disabled account does not come in; one that is disabled later is disabled here at the next import', async () => {
  expect((await signIn('gone')).status).toBe(400)
  expect((await signIn('dora')).status).toBe(201)
  expect(await userRow('dora')).toMatchObject({ is_active: true })
  samba.change(`dn: ${cn('dora of AD')}\nchangetype: modify\nreplace: userAccountControl\nuserAccountControl: 514\n\n`)
  expect((await signIn('dora')).status).toBe(400)
  await importAll()
  expect(await userRow('dora')).toMatchObject({ is_active: false })
})

test('groups within groups are found by the rule in chain, at the sign-in and by the import', async () => {
  const [outer, direct] = [await mapped('outer'), await mapped('direct')]
  for (const name of ['anna', 'bert']) expect((await signIn(name)).status).toBe(201)
  expect((await userRow('anna')).groups_display).toBe(outer)
  expect((await userRow('bert')).groups_display).toBe(direct)
  samba.change(`dn: ${cn('middle')}\nchangetype: modify\ndelete: member\nmember: ${cn('inner')}\n\n`)
  await importAll()
  expect((await userRow('anna')).groups_display).toBe('')
  samba.change(`dn: ${cn('middle')}\nchangetype: modify\nadd: member\nmember: ${cn('inner')}\n\n`)
  await importAll()
  expect((await userRow('anna')).groups_display).toBe(outer)
})

test('the last of 1,601 members has the group, by the import too; and its pieces of 1,500 are read to the end', async () => {
  const everybody = await mapped('everybody')
  expect((await signIn('cora')).status).toBe(201)
  expect((await userRow('cora')).groups_display).toBe(everybody)
  await importAll()
  expect((await userRow('cora')).groups_display).toBe(everybody)
  // Samba answers all of them unless it is asked for a piece, as Active Directory does by itself.
  const client = new Client({ url: samba.tlsUrl, tlsOptions: { rejectUnauthorized: false } })
  await client.bind(AD_READER.dn, AD_READER.password)
  const { searchEntries } = await client.search(cn('everybody'), {
    scope: 'base',
    attributes: ['member;range=0-1499'],
  })
  const members = await valuesOf(reading(client, cn('everybody')), searchEntries[0] ?? { dn: '' }, 'member')
  await client.unbind()
  expect([members.length, new Set(members).size]).toEqual([CONTACTS + 1, CONTACTS + 1])
})
