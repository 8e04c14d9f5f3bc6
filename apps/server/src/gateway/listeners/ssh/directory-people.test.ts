/** People of directories at work: what a directory takes from them ends what they have open. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dnOf, entry, ldapSettings, ou } from '../../../domains/authentication/ldap/people-fixture.ts'
import { type Slapd, SUFFIX, startSlapd } from '../../../domains/authentication/ldap/slapd-fixture.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const RIGHT = 'Directory-1'
const OPS = `cn=ops,ou=groups,${SUFFIX}`
/** Five seconds, with room for a machine that does much else: what is looked at by a clock comes later. */
const SOON_MS = 20_000

let slapd: Slapd
let fixture: SshFixture
let directory: string
beforeAll(async () => {
  slapd = await startSlapd(
    ou('people') +
      ou('others') +
      ou('groups') +
      entry('people', 1, { uid: 'dora' }) +
      entry('others', 1, { uid: 'emil' }) +
      `dn: ${OPS}\nobjectClass: groupOfNames\ncn: ops\nmember: ${dnOf('people', 1)}\nmember: ${dnOf('others', 1)}\n\n`,
  )
  fixture = await openSshFixture()
  const { admin } = fixture.server
  const settings = { ...ldapSettings(slapd.url), AUTH_LDAP_GROUP_SEARCH_OU: `ou=groups,${SUFFIX}` }
  expect((await admin.patch('/api/v1/settings/setting/?category=ldap', settings)).status).toBe(200)
  directory = await fixture.created('/api/v1/authentication/directories/', {
    name: 'Others',
    server_uri: slapd.url,
    bind_dn: settings.AUTH_LDAP_BIND_DN,
    bind_password: settings.AUTH_LDAP_BIND_PASSWORD,
    search_ou: `ou=others,${SUFFIX}`,
    group_search_ou: settings.AUTH_LDAP_GROUP_SEARCH_OU,
  })
  const group = await fixture.created('/api/v1/users/groups/', { name: 'Operators' })
  await fixture.created('/api/v1/authentication/group-mappings/', {
    name: 'operators',
    value: OPS,
    all_directories: true,
    user_groups: [group],
  })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'operators',
    user_groups: [group],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
})
afterAll(async () => {
  await fixture?.close()
  await slapd?.close()
})

const destination = (username: string) => `${username}@${fixture.sshd.username}@127.0.0.1@127.0.0.1`

/** A command on the machine that goes on for as long as it is let; `ended` settles with the client. */
async function working(username: string) {
  const begun = join(fixture.folder, `begun-${username}`)
  const ended = fixture.ssh(destination(username), `echo > ${begun}; exec sleep 600`, { password: RIGHT })
  await expect.poll(() => existsSync(begun)).toBe(true)
  return { ended }
}

/** Waits for the end of the client; answers the milliseconds that it took. */
async function endOf({ ended }: Awaited<ReturnType<typeof working>>): Promise<number> {
  const start = performance.now()
  expect((await ended).code).not.toBe(0)
  return performance.now() - start
}

test('a person who leaves the last group that gave a permission loses the session that is open, within five seconds of the import', async () => {
  const work = await working('dora')
  slapd.change(`dn: ${OPS}\nchangetype: modify\ndelete: member\nmember: ${dnOf('people', 1)}\n`)
  const imported = await fixture.server.admin.in('root').post('/api/v1/settings/ldap/users/import/?cache_police=0', {})
  expect(imported.status).toBe(200)
  expect(await endOf(work)).toBeLessThan(SOON_MS)
  const again = await fixture.ssh(destination('dora'), 'true', { password: RIGHT })
  expect(again.code).not.toBe(0)
})

test('when a directory is switched off the sessions of its people end within five seconds, and their keys open nothing, which the log says', async () => {
  const work = await working('emil')
  const { server } = fixture
  const emil = await server.signIn('emil', RIGHT)
  const key = await emil.put('/api/v1/users/profile/public-key/', {
    public_key: readFileSync(join(fixture.folder, 'id.pub'), 'utf8'),
  })
  expect(key.status).toBe(200)
  expect((await fixture.ssh(destination('emil'), 'echo in')).stdout.toString()).toBe('in\n')
  const off = await server.admin.patch(`/api/v1/authentication/directories/${directory}/`, { is_active: false })
  expect(off.status).toBe(200)
  expect(await endOf(work)).toBeLessThan(SOON_MS)
  expect((await fixture.ssh(destination('emil'), 'true')).code).not.toBe(0)
  const [last] = (await server.admin.in('root').get('/api/v1/audits/login-logs/?username=emil')).body
  expect(last).toMatchObject({ backend: 'SSH Key', reason: 'directory_off' })
})
