import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../settings/index.ts'

let server: TestServer
let org: string
beforeAll(async () => {
  server = await openTestServer()
  org = await server.anOrg('Ours')
})
afterAll(() => server?.close())

const PROFILE = '/api/v1/users/profile/'
const orgNames = (orgs: { name: string }[]) => orgs.map(({ name }) => name)
const signIn = (username: string, password: string) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })

test('[A3.01] the profile says who one is and where one may administer', async () => {
  const boss = await server.aPerson('boss', { orgRoles: ['Admin', 'User'], org })
  await server.admin.post('/api/v1/orgs/org-member-relation/', { org: DEFAULT_ORG_ID, user: boss.id, role: 'User' })
  const here = (await boss.get(PROFILE)).body
  expect(here).toMatchObject({
    id: boss.id,
    name: expect.stringMatching(/./),
    username: 'boss',
    is_first_login: true,
    date_password_last_updated: expect.stringMatching(/^\d{4}\/\d\d\/\d\d /),
    role: 'User',
    is_superuser: false,
    is_org_admin: true,
    source: 'local',
  })
  expect(here.current_org_roles.sort()).toEqual(['Admin', 'User'])
  expect(orgNames(here.admin_or_audit_orgs)).toEqual(['Ours'])
  expect(orgNames(here.user_all_orgs)).toEqual(['Default', 'Ours'])
  expect(here.user_all_orgs[0]).toEqual({ id: DEFAULT_ORG_ID, name: 'Default', is_default: true, is_root: false })
  expect((await boss.in(DEFAULT_ORG_ID).get(PROFILE)).body).toMatchObject({
    current_org_roles: ['User'],
    is_org_admin: true,
  })
  const auditor = await server.aPerson('auditor', { role: 'Auditor' })
  expect(orgNames((await auditor.get(PROFILE)).body.admin_or_audit_orgs)).toEqual(['GLOBAL', 'Default', 'Ours'])
  expect((await server.admin.in(ROOT_ORG_ID).get(PROFILE)).body).toMatchObject({
    current_org_roles: ['Admin'],
    is_superuser: true,
  })
})

test('people change what is theirs; the rest is ignored, not refused', async () => {
  const person = await server.aPerson('modest')
  const changed = await person.put(PROFILE, {
    name: 'Grand',
    username: 'root',
    email: 'x@example.com',
    role: 'Admin',
    org_roles: ['Admin'],
    is_active: false,
    need_update_password: true,
    wecom_id: 'w',
    source: 'ldap',
    date_expired: '2020-01-01T00:00:00Z',
    wechat: 'me',
    phone: '13912345678',
    comment: 'hello',
    mfa_level: 0,
    is_first_login: false,
  })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      name: 'modest of test',
      username: 'modest',
      email: 'modest@example.com',
      role: 'User',
      current_org_roles: ['User'],
      is_active: true,
      need_update_password: false,
      wecom_id: null,
      source: 'local',
      is_expired: false,
      wechat: 'me',
      phone: '13912345678',
      comment: 'hello',
      is_first_login: false,
    },
  ])
  expect(await person.patch(PROFILE, { phone: '1' })).toMatchObject({
    status: 400,
    body: { phone: [expect.any(String)] },
  })
  expect(await person.patch(PROFILE, { mfa_level: 2 })).toMatchObject({
    status: 400,
    body: { mfa_level: [expect.any(String)] },
  })
  expect(await person.patch(PROFILE, { public_key: 'x' })).toMatchObject({
    status: 400,
    body: { public_key: [expect.any(String)] },
  })
  expect((await person.patch(PROFILE, { wechat: 'only this' })).body).toMatchObject({
    wechat: 'only this',
    phone: '13912345678',
  })
  for (const body of [[], 'x', 5, [{ phone: '' }]])
    expect(await person.patch(PROFILE, body)).toMatchObject({
      status: 400,
      body: { non_field_errors: ['Invalid data. Expected an object.'] },
    })
})

test('[A3.37] a second factor that somebody else forces cannot be switched off', async () => {
  const person = await server.aPerson('forced')
  expect((await person.patch(PROFILE, { mfa_level: 1 })).body).toMatchObject({
    mfa_level: 1,
    mfa_enabled: true,
    mfa_force_enabled: false,
  })
  await server.admin.patch(`/api/v1/users/users/${person.id}/`, { mfa_level: 2 })
  expect((await person.patch(PROFILE, { mfa_level: 0 })).body).toMatchObject({ mfa_level: 2, mfa_force_enabled: true })
})

test('[A5.04] changing the own password asks for the old one, keeps the rules and history, and ends other sign-ins', async () => {
  const person = await server.aPerson('changer')
  const change = (caller: Caller, body: object) => caller.put(`${PROFILE}password/`, body)
  const to = (password: string, more: object = {}) => ({
    old_password: PASSWORD,
    new_password: password,
    new_password_again: password,
    ...more,
  })
  const cases: [object, string][] = [
    [to('Another-1', { old_password: 'wrong' }), 'old_password'],
    [to('Another-1', { new_password_again: 'Another-2' }), 'new_password_again'],
    [to('abc'), 'new_password'],
    [to(PASSWORD), 'new_password'],
    [{ old_password: PASSWORD }, 'new_password'],
  ]
  for (const [body, field] of cases) {
    const answer = await change(person, body)
    expect([answer.status, Object.keys(answer.body)[0]]).toEqual([400, field])
  }
  const done = await change(person, to('Another-1'))
  expect([done.status, done.body]).toEqual([200, {}])
  expect((await person.get(PROFILE)).status).toBe(401)
  expect((await signIn('changer', PASSWORD)).status).toBe(400)
  const again = await server.signIn('changer', 'Another-1')
  expect((await change(again, to(PASSWORD, { old_password: 'Another-1' }))).status).toBe(400)
  const log = (await server.admin.get('/api/v1/audits/password-change-logs/')).body
  expect(log.map((row: { user: string; change_by: string }) => [row.user, row.change_by])).toContainEqual([
    'changer of test(changer)',
    'changer of test(changer)',
  ])
})

test('[A5.04] as many earlier passwords as the setting says are refused; the one before them may come back', async () => {
  await settingsOf(server.kernel).set('OLD_PASSWORD_HISTORY_LIMIT_COUNT', 3)
  let person = await server.aPerson('returner')
  let current = PASSWORD
  const to = (password: string) =>
    person.put(`${PROFILE}password/`, {
      old_password: current,
      new_password: password,
      new_password_again: password,
    })
  try {
    for (const next of ['Another-1', 'Another-2', 'Another-3']) {
      expect((await to(next)).status).toBe(200)
      current = next
      person = await server.signIn('returner', current)
    }
    for (const earlier of ['Another-3', 'Another-2', 'Another-1'])
      expect(await to(earlier)).toMatchObject({ status: 400, body: { new_password: [expect.any(String)] } })
    expect((await to(PASSWORD)).status).toBe(200)
    await settingsOf(server.kernel).set('OLD_PASSWORD_HISTORY_LIMIT_COUNT', 1)
    ;[person, current] = [await server.signIn('returner', PASSWORD), PASSWORD]
    expect((await to(PASSWORD)).status).toBe(400)
    expect((await to('Another-3')).status).toBe(200)
  } finally {
    await settingsOf(server.kernel).set('OLD_PASSWORD_HISTORY_LIMIT_COUNT', 5)
  }
})

test('[A3.38] wrong old passwords count as failed sign-ins', async () => {
  const person = await server.aPerson('guessed')
  const guess = (old_password: string) =>
    person.put(`${PROFILE}password/`, { old_password, new_password: 'Another-1', new_password_again: 'Another-1' })
  for (let n = 0; n < 7; n++) expect((await guess('wrong')).status).toBe(400)
  expect((await guess(PASSWORD)).body.old_password[0]).toContain('locked')
  expect((await person.get(PROFILE)).body.login_blocked).toBe(true)
})

test('[A3.20] the own SSH key shows its comment and fingerprint; a fresh pair can be downloaded once', async () => {
  const person = await server.aPerson('keyholder')
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-key-'))
  try {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'me@home', '-f', join(folder, 'key')])
    const publicKey = execFileSync('cat', [join(folder, 'key.pub')], { encoding: 'utf8' })
    const md5 = execFileSync('ssh-keygen', ['-lE', 'md5', '-f', join(folder, 'key.pub')], { encoding: 'utf8' }).split(
      ' ',
    )[1]
    const saved = await person.put(`${PROFILE}public-key/`, { public_key: publicKey })
    expect([saved.status, saved.body.public_key_comment, `MD5:${saved.body.public_key_hash_md5}`]).toEqual([
      200,
      'me@home',
      md5,
    ])
    expect(
      (
        await person.put(`${PROFILE}public-key/`, {
          public_key: execFileSync('cat', [join(folder, 'key')], { encoding: 'utf8' }),
        })
      ).status,
    ).toBe(400)

    for (const [sent, refusal] of [
      [`from="10.0.0.0/8" ${publicKey}`, 'Options'],
      [`${publicKey}${publicKey.replace('me@home', 'other')}`, 'more than one'],
    ] as const)
      expect(await person.put(`${PROFILE}public-key/`, { public_key: sent })).toMatchObject({
        status: 400,
        body: { public_key: [expect.stringContaining(refusal)] },
      })
    const exported = execFileSync('ssh-keygen', ['-e', '-f', join(folder, 'key.pub')], { encoding: 'utf8' })
    const imported = await person.put(`${PROFILE}public-key/`, { public_key: exported })
    expect([imported.status, `MD5:${imported.body.public_key_hash_md5}`]).toEqual([200, md5])

    const pair = await person.get('/core/auth/profile/pubkey/generate/')
    expect([pair.status, pair.headers['content-disposition']]).toEqual([
      200,
      "attachment; filename*=UTF-8''keyholder-sallyport.pem",
    ])
    writeFileSync(join(folder, 'pem'), pair.body, { mode: 0o600 })
    const made = execFileSync('ssh-keygen', ['-lE', 'md5', '-f', join(folder, 'pem')], { encoding: 'utf8' }).split(
      ' ',
    )[1]
    expect(`MD5:${(await person.get(`${PROFILE}public-key/`)).body.public_key_hash_md5}`).toBe(made)
    const foreign = await server.call('GET', '/core/auth/profile/pubkey/generate/', {
      headers: { authorization: `Bearer ${person.token}`, 'sec-fetch-site': 'cross-site' },
    })
    expect(foreign.status).toBe(403)
  } finally {
    rmSync(folder, { recursive: true })
  }
  const boss = await server.aPerson('keyboss', { orgRoles: ['Admin'] })
  const reset = await boss.patch(`/api/v1/users/users/${person.id}/pubkey/reset/`)
  expect(reset.status).toBe(200)
  expect((await person.get(`${PROFILE}public-key/`)).body).toEqual({ public_key_comment: '', public_key_hash_md5: '' })
})

test('[A3.20] the password of files is stored sealed, and that it was set is in the operate log', async () => {
  const person = await server.aPerson('filer')
  const path = `${PROFILE}secret-key/`
  expect((await person.put(path, { new_secret_key: 'a', new_secret_key_again: 'b' })).status).toBe(400)
  // Existing clients look before they write, and find nothing.
  for (const one of [path, `${PROFILE}password/`]) expect((await person.get(one)).body).toEqual({})
  const done = await person.put(path, { new_secret_key: 'zip-and-lock', new_secret_key_again: 'zip-and-lock' })
  expect([done.status, done.body]).toEqual([200, {}])
  const { rows } = await server.kernel.pool.query('SELECT secret_key_sealed FROM users_user WHERE id = $1', [person.id])
  expect(server.kernel.secrets.open('test', 'profile')(rows[0].secret_key_sealed)).toBe('zip-and-lock')
  expect(rows[0].secret_key_sealed.includes('zip-and-lock')).toBe(false)
  const { body: log } = await server.admin.get(`/api/v1/audits/operate-logs/?user_id=${person.id}`)
  expect(log).toMatchObject([
    { action: 'update', object_id: person.id, changes: [{ label: 'File encryption password', is_secret: true }] },
  ])
  expect(JSON.stringify(log)).not.toContain('zip-and-lock')
})

test('[B9.21] an administrator resets a password: the old one and every sign-in end at once, and it is written down', async () => {
  const person = await server.aPerson('forgetful')
  const boss = await server.aPerson('helper', { orgRoles: ['Admin'] })
  const path = `/api/v1/users/users/${person.id}/`
  expect((await boss.patch(`${path}password/reset/`)).body.id).toBe(person.id)
  expect((await person.get(PROFILE)).status).toBe(401)
  expect((await signIn('forgetful', PASSWORD)).status).toBe(400)
  expect((await boss.put(`${path}password/`, { password: 'Given-by-boss-1' })).body).toEqual({})
  expect((await signIn('forgetful', 'Given-by-boss-1')).status).toBe(201)
  const operations = (await server.admin.get('/api/v1/audits/operate-logs/?limit=50')).body.results
  expect(
    operations.filter(
      (row: { user: string; resource: string }) => /helper/.test(row.user) && /forgetful/.test(row.resource),
    ),
  ).toHaveLength(2)
  const changes = (await server.admin.get('/api/v1/audits/password-change-logs/')).body
  expect(changes.map((row: { change_by: string }) => row.change_by)).toContain('helper of test(helper)')
})

test('a person who dismisses the guide has done so in this organization and everywhere, once in the operate log', async () => {
  const guide = await server.aPerson('guided', { orgRoles: ['Admin'], org })
  const dismissed = async () => (await guide.get(PROFILE)).body.guide_dismissed_in
  expect(await dismissed()).toEqual([])
  for (let times = 0; times < 2; times++) expect((await guide.post(`${PROFILE}dismiss-guide/`, {})).status).toBe(204)
  expect(await dismissed()).toEqual([org])
  const { body: log } = await guide.get('/api/v1/audits/operate-logs/')
  expect(log.filter(({ user }: { user: string }) => user.includes('(guided)'))).toMatchObject([
    {
      action: 'update',
      resource_type: 'User',
      changes: [{ label: 'Guide to the first session dismissed', before: 'No', after: 'Yes' }],
    },
  ])
  const member = await server.aPerson('unguided')
  expect((await member.post(`${PROFILE}dismiss-guide/`, {})).status).toBe(403)
})
