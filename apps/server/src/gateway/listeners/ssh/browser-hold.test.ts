import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { endOutsideSessions } from '../../../domains/authentication/single-sign-on/outside-sign-in.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const PATH = '/api/v1/authentication/browser-sign-ins/'
const SESSIONS = '/api/v1/authentication/sessions/'
const SECRET = new Secret({ size: 20 }).base32
const HOURS = 4

let fixture: SshFixture
let browser: TestBrowser
let key: string
beforeAll(async () => {
  fixture = await openSshFixture({ SALLYPORT_SETTING_SITE_URL: 'https://gate.test' })
  key = readFileSync(join(fixture.folder, 'id.pub'), 'utf8')
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  browser = openTestBrowser(fixture.server)
  await signIn()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM authentication_browser_sign_in')
  await pool.query('DELETE FROM authentication_browser_hold')
  await ofProvider(true)
  await settingsOf(fixture.server.kernel).set('TERMINAL_BROWSER_AUTH_HOLD', HOURS)
})

/** As somebody local: people of a provider have no password here. */
async function signIn() {
  await ofProvider(false)
  const { body } = await browser.call('POST', '/core/auth/login/', {
    username: fixture.person.username,
    password: PASSWORD,
  })
  expect(body).toEqual({ next: '/ui/' })
}

/** Their provider approves each sign-in, so that a key alone signs nobody in; or they are local. */
async function ofProvider(is: boolean) {
  const { kernel } = fixture.server
  await settingsOf(kernel).set('ONLY_ALLOW_AUTH_FROM_SOURCE', is)
  await kernel.pool.query('UPDATE users_user SET source = $2 WHERE id = $1', [
    fixture.person.id,
    is ? 'openid' : 'local',
  ])
}

/** OpenSSH with the person's key; questions are answered by `typed`. */
function ssh(typed = '', from = '127.0.0.1') {
  const { options } = fixture.clientOptions()
  const { environment } = fixture.clientOptions({ password: typed })
  const own = ['PreferredAuthentications=publickey,keyboard-interactive', 'BatchMode=no', 'LogLevel=INFO']
  const child = spawn(
    'ssh',
    // An option that is given twice counts as it is given first.
    [...own.flatMap((option) => ['-o', option]), '-b', from, ...options, fixture.direct, 'echo in'],
    {
      env: { ...process.env, LC_ALL: 'C', HOME: fixture.folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  let out = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  const ended = new Promise<{ code: number | null; out: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out })),
  )
  const code = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      printed += bytes
      const found = /confirm-sign-in\?code=([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    void ended.then(() => reject(new Error(`no code was shown: ${printed}`)))
  })
  return { code, ended, leave: () => child.kill() }
}
/** As tools connect: by the key alone, without a question. */
const quietly = async (from = '127.0.0.1') =>
  (await fixture.ssh(fixture.direct, 'echo in', { options: ['-b', from] })).stdout.toString()
const confirm = (code: string, body = {}) => browser.call('POST', `${PATH}${code}/confirm/`, body)

async function held() {
  const client = ssh()
  expect((await confirm(await client.code, { hold: true })).status).toBe(200)
  expect(await client.ended).toEqual({ code: 0, out: 'in\n' })
}
const listed = async () =>
  ((await browser.call('GET', SESSIONS)).body as { id: string; kind: string; date_expired: string | null }[]).filter(
    ({ kind }) => kind === 'browser_hold',
  )
const logged = async (resource: string) =>
  (
    await fixture.server.kernel.pool.query('SELECT action, "user" FROM audits_operate_log WHERE resource LIKE $1', [
      `%${resource}%`,
    ])
  ).rows

test('a confirmation holds for the key and the address: tools connect unasked, and the person sees until when', async () => {
  expect(await quietly()).toBe('')
  const client = ssh()
  const code = await client.code
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', join(fixture.folder, 'id.pub')], { encoding: 'utf8' })
  expect((await browser.call('GET', `${PATH}${code}/`)).body).toMatchObject({
    hold_hours: HOURS,
    key_fingerprint: fingerprint.split(' ')[1],
  })
  await confirm(code, { hold: true })
  expect(await client.ended).toEqual({ code: 0, out: 'in\n' })
  expect([await quietly(), await quietly()]).toEqual(['in\n', 'in\n'])
  const { rows } = await fixture.server.kernel.pool.query(
    'SELECT backend, status FROM audits_login_log ORDER BY id DESC LIMIT 1',
  )
  expect(rows).toEqual([{ backend: 'Browser, held', status: true }])
  const [hold] = await listed()
  const ends = Date.parse(hold?.date_expired?.replace(' +', '+') ?? '') - Date.now()
  expect(ends).toBeGreaterThan((HOURS - 1) * 3_600_000)
  expect(await logged(`Confirmed key, ${fingerprint.split(' ')[1]}, 127.0.0.1, 4 h`)).toEqual([
    { action: 'create', user: expect.stringContaining(fixture.person.username) },
  ])
})

test('without the tick it counts once, as ever; from another address it does not count', async () => {
  const once = ssh()
  await confirm(await once.code)
  expect(await once.ended).toEqual({ code: 0, out: 'in\n' })
  expect(await quietly()).toBe('')
  await held()
  expect(await quietly('127.0.0.2')).toBe('')
  expect(await quietly()).toBe('in\n')
})

test('the person ends it in the list of their sign-ins, and the next connection asks again', async () => {
  await held()
  const [hold] = await listed()
  expect((await browser.call('DELETE', `${SESSIONS}${hold?.id}/`)).status).toBe(204)
  expect(await listed()).toEqual([])
  expect(await quietly()).toBe('')
  expect((await logged('Confirmed key')).filter(({ action }) => action === 'delete')).toHaveLength(1)
})

test('it ends with another key, also when the first one comes back', async () => {
  await held()
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(fixture.folder, 'other')])
  const put = (public_key: string) => browser.call('PUT', '/api/v1/users/profile/public-key/', { public_key })
  await put(readFileSync(join(fixture.folder, 'other.pub'), 'utf8'))
  expect(await quietly()).toBe('')
  await put(key)
  expect(await quietly()).toBe('')
  expect(await listed()).toEqual([])
})

test('it ends when the person is signed out everywhere, or at their provider', async () => {
  await held()
  await browser.call('DELETE', `${SESSIONS}others/`)
  expect(await quietly()).toBe('')
  await signIn()
  await ofProvider(true)
  await fixture.server.kernel.pool.query(
    `UPDATE authentication_session SET state = state || '{"outside": {"source": "openid", "keys": ["sid 7"]}}' WHERE user_id = $1`,
    [fixture.person.id],
  )
  await held()
  await endOutsideSessions(fixture.server.kernel, ['sid 8'])
  expect(await quietly()).toBe('in\n')
  await endOutsideSessions(fixture.server.kernel, ['sid 7'])
  expect(await quietly()).toBe('')
  await signIn()
})

test('it ends with the person: who is disabled and comes back confirms again', async () => {
  await held()
  const { admin } = fixture.server
  const switched = (is_active: boolean) => admin.patch(`/api/v1/users/users/${fixture.person.id}/`, { is_active })
  expect((await switched(false)).status).toBe(200)
  expect(await quietly()).toBe('')
  await switched(true)
  expect(await quietly()).toBe('')
  await signIn()
})

test('a shorter time holds at once for older ones; switched off, nothing holds and nothing is offered', async () => {
  const settings = settingsOf(fixture.server.kernel)
  await held()
  await fixture.server.kernel.pool.query(`UPDATE authentication_browser_hold SET date_created = now() - interval '2 h'`)
  expect(await quietly()).toBe('in\n')
  await settings.set('TERMINAL_BROWSER_AUTH_HOLD', 1)
  expect(await quietly()).toBe('')
  await settings.set('TERMINAL_BROWSER_AUTH_HOLD', 0)
  expect(await quietly()).toBe('')
  const client = ssh()
  const code = await client.code
  expect((await browser.call('GET', `${PATH}${code}/`)).body).toMatchObject({ hold_hours: 0, key_fingerprint: '' })
  const refused = await confirm(code, { hold: true })
  expect([refused.status, refused.body]).toEqual([400, { hold: ['This confirmation cannot hold'] }])
  client.leave()
  await client.ended
})

test('login rules and the lock of an address hold, whatever was confirmed before', async () => {
  const { pool } = fixture.server.kernel
  await held()
  await fixture.server.admin.post('/api/v1/acls/login-acls/', {
    name: 'not from here',
    user: fixture.person.id,
    action: 'reject',
    rules: { ip_group: ['*'], time_period: [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' })) },
    reviewers: [],
  })
  expect(await quietly()).toBe('')
  await pool.query('DELETE FROM acls_login_acl')
  expect(await quietly()).toBe('in\n')
})

test('a local person with a second factor types browser once; after that the key is enough for tools', async () => {
  const { pool, secrets } = fixture.server.kernel
  await ofProvider(false)
  // Held without a second factor, which is due from now on.
  await pool.query(
    `INSERT INTO authentication_browser_hold (user_id, key_fingerprint, remote_addr, program, mfa, outside, date_expired)
     SELECT id, $2, '127.0.0.1', '', false, false, now() + interval '1 h' FROM users_user WHERE id = $1`,
    [
      fixture.person.id,
      execFileSync('ssh-keygen', ['-l', '-f', join(fixture.folder, 'id.pub')], { encoding: 'utf8' }).split(' ')[1],
    ],
  )
  expect(await quietly()).toBe('in\n')
  await pool.query('UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $2 WHERE id = $1', [
    fixture.person.id,
    secrets.seal(SECRET),
  ])
  expect(await quietly()).toBe('')
  await pool.query('DELETE FROM authentication_browser_hold')
  const client = ssh('browser')
  const code = await client.code
  expect((await confirm(code, { hold: true })).body.code).toBe('mfa_verify_required')
  expect(await listed()).toEqual([])
  const otp = new TOTP({ secret: Secret.fromBase32(SECRET) }).generate()
  await browser.call('POST', '/api/v1/authentication/otp/verify/', { code: otp })
  expect((await confirm(code, { hold: true })).status).toBe(200)
  expect(await client.ended).toEqual({ code: 0, out: 'in\n' })
  expect(await quietly()).toBe('in\n')
  await pool.query('UPDATE users_user SET mfa_level = 0, otp_secret_sealed = NULL WHERE id = $1', [fixture.person.id])
})
