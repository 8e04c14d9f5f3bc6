import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../../test/browser.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

const PATH = '/api/v1/authentication/browser-sign-ins/'
const SECRET = new Secret({ size: 20 }).base32

let fixture: SshFixture
/** In which the fixture's person is signed in, and one of somebody else. */
let browser: TestBrowser
let others: TestBrowser
beforeAll(async () => {
  fixture = await openSshFixture({ SALLYPORT_SETTING_SITE_URL: 'https://gate.test' })
  await settingsOf(fixture.server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  const other = await fixture.server.aPerson('somebody-else')
  browser = await signedIn(fixture.person.username)
  others = await signedIn(other.username)
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM authentication_browser_sign_in')
  await pool.query('DELETE FROM authentication_failure')
  await settingsOf(fixture.server.kernel).set('TERMINAL_PASSWORD_AUTH', true)
})

async function signedIn(username: string): Promise<TestBrowser> {
  const opened = openTestBrowser(fixture.server)
  const { body } = await opened.call('POST', '/core/auth/login/', { username, password: PASSWORD })
  expect(body).toEqual({ next: '/ui/' })
  return opened
}

/** OpenSSH whose person presses Enter at the question for a password. */
function ssh(destination = fixture.direct, command = 'echo in', further: Record<string, string> = {}) {
  const { options, environment } = fixture.clientOptions({ password: '' })
  // Messages without a question are among what it logs.
  const parameters = options.map((option) => (option === 'LogLevel=ERROR' ? 'LogLevel=INFO' : option))
  const child = spawn(
    'ssh',
    [...parameters, '-o', 'PreferredAuthentications=keyboard-interactive', destination, command],
    {
      env: { ...process.env, LC_ALL: 'C', HOME: fixture.folder, ...environment, ...further },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  let out = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  const ended = new Promise<{ code: number | null; out: string; printed: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, printed })),
  )
  /** The code in the address that it shows; a client that shows none ends by itself within two minutes. */
  const code = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      printed += bytes
      const found = /https:\/\/gate\.test\/ui\/confirm-sign-in\?code=([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    void ended.then(() => reject(new Error(`no code was shown: ${printed}`)))
  })
  return { code, ended, leave: () => child.kill() }
}
const answer = (code: string, verdict: string, by = browser) => by.call('POST', `${PATH}${code}/${verdict}/`, {})
const lastLogin = async () =>
  (
    await fixture.server.kernel.pool.query(
      'SELECT username, type, backend, status, reason, mfa FROM audits_login_log ORDER BY id DESC LIMIT 1',
    )
  ).rows[0]

test('ssh shows an address and a code; its person sees who asks, confirms, and the command runs', async () => {
  const client = ssh()
  const code = await client.code
  const shown = await browser.call('GET', `${PATH}${code.toLowerCase().replace('-', '')}/`)
  expect([shown.status, shown.body]).toEqual([
    200,
    expect.objectContaining({
      username: fixture.person.username,
      remote_addr: '127.0.0.1',
      program: expect.stringContaining('OpenSSH'),
      state: 'open',
      is_same_address: true,
    }),
  ])
  expect((await answer(code, 'confirm')).body).toEqual({ state: 'confirmed' })
  expect(await client.ended).toMatchObject({ code: 0, out: 'in\n' })
  expect(await lastLogin()).toEqual({
    username: fixture.person.username,
    type: 'T',
    backend: 'Browser',
    status: true,
    reason: '',
    mfa: 0,
  })
  // Used up: neither another answer nor another connection.
  expect((await answer(code, 'confirm')).body.code).toBe('browser_sign_in_over')
})

test('in Chinese OpenSSH shows the words in its question, readable, and goes on at Enter', async () => {
  const asked = join(fixture.folder, 'asked')
  const askpass = join(fixture.folder, 'noting-askpass')
  writeFileSync(askpass, `#!/bin/sh\nprintf "%s\\n" "$1" >> ${asked}\necho\n`)
  chmodSync(askpass, 0o700)
  const { app } = fixture.server.kernel
  app.installationLanguage = 'cn'
  const client = ssh(fixture.direct, 'echo in', { SSH_ASKPASS: askpass, LC_ALL: 'C.UTF-8' })
  client.code.catch(() => {})
  const code = await vi.waitFor(() => {
    const found = /code=([A-Z0-9-]{9})/.exec(readFileSync(asked, 'utf8'))?.[1]
    if (!found) throw new Error('not asked yet')
    return found
  }, 120_000)
  app.installationLanguage = 'en'
  expect(readFileSync(asked, 'utf8')).toMatch(/请在浏览器中打开 https:[\s\S]*按回车继续：/)
  await answer(code, 'confirm')
  expect(await client.ended).toMatchObject({ code: 0, out: 'in\n' })
})

test('where passwords are switched off the address comes at once', async () => {
  await settingsOf(fixture.server.kernel).set('TERMINAL_PASSWORD_AUTH', false)
  const client = ssh()
  await answer(await client.code, 'confirm')
  expect(await client.ended).toMatchObject({ code: 0, out: 'in\n' })
})

test('a person who says that it is not theirs ends it, and the login log has it', async () => {
  const client = ssh()
  expect((await answer(await client.code, 'refuse')).body).toEqual({ state: 'refused' })
  expect(await client.ended).toMatchObject({ code: 255, out: '' })
  expect(await lastLogin()).toMatchObject({ backend: 'Browser', status: false, reason: 'browser_refused' })
})

test('a client that asks again and again after a refusal is answered the same, and logged once', async () => {
  const { server, person } = fixture
  const logged = async () =>
    (await server.kernel.pool.query("SELECT FROM audits_login_log WHERE reason = 'browser_refused'")).rowCount ?? 0
  const before = await logged()
  const { body } = await server.call('POST', PATH, { body: { username: person.username } })
  await answer(body.code, 'refuse')
  const again = () =>
    server.call('POST', '/api/v1/authentication/tokens/', {
      body: { username: person.username, browser_sign_in: body.id },
    })
  const answers = await Promise.all([again(), again(), again()])
  expect(answers.map((one) => [one.status, one.body.error])).toEqual(answers.map(() => [400, 'browser_refused']))
  expect(await logged()).toBe(before + 1)
  expect((await browser.call('GET', `${PATH}${body.code}/`)).body.state).toBe('refused')
})

test('nobody else can see or answer it: not another person, not a token, not a name that nobody has', async () => {
  const client = ssh()
  const code = await client.code
  for (const verdict of ['confirm', 'refuse']) expect((await answer(code, verdict, others)).status).toBe(404)
  expect((await others.call('GET', `${PATH}${code}/`)).status).toBe(404)
  expect((await fixture.person.post(`${PATH}${code}/confirm/`, {})).body.code).toBe('browser_only')
  for (const wrong of ['x', 'BCDF-2345', '%00', 'b'.repeat(5000)])
    expect([404, 414]).toContain((await browser.call('GET', `${PATH}${wrong}/`)).status)
  const stranger = ssh('nobody-here@root@127.0.0.1@127.0.0.1')
  const unknown = await stranger.code
  expect((await answer(unknown, 'confirm')).status).toBe(404)
  client.leave()
  stranger.leave()
  await Promise.all([client.ended, stranger.ended])
})

test('once the client has left there is nothing to confirm', async () => {
  const client = ssh()
  const code = await client.code
  client.leave()
  await client.ended
  // Looked at until the server knows: a confirmation that is there before would be one.
  await expect.poll(async () => (await browser.call('GET', `${PATH}${code}/`)).status).toBe(404)
  expect((await answer(code, 'confirm')).status).toBe(404)
})

test('a client that leaves before it has answered leaves nothing to confirm either', async () => {
  await settingsOf(fixture.server.kernel).set('TERMINAL_PASSWORD_AUTH', false)
  const { app } = fixture.server.kernel
  // In Chinese the words are a question for OpenSSH, which this client never answers.
  app.installationLanguage = 'cn'
  const client = new Client()
  const code = new Promise<string>((resolve, reject) => {
    client.once('error', reject)
    client.once('keyboard-interactive', (_name, _words, _language, [question]) =>
      resolve(/code=([A-Z0-9-]{9})/.exec(question?.prompt ?? '')?.[1] ?? ''),
    )
  })
  const username = fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))
  client.connect({ host: '127.0.0.1', port: fixture.port, username, tryKeyboard: true, ident: 'OpenSSH_9.2' })
  expect((await browser.call('GET', `${PATH}${await code}/`)).status).toBe(200)
  app.installationLanguage = 'en'
  client.destroy()
  await expect.poll(async () => (await browser.call('GET', `${PATH}${await code}/`)).status).toBe(404)
})

test('a person with a second factor proves it in the browser, and is not asked again by ssh', async () => {
  const { pool, secrets } = fixture.server.kernel
  const { id } = fixture.person
  await pool.query('UPDATE users_user SET mfa_level = 1, otp_secret_sealed = $2 WHERE id = $1', [
    id,
    secrets.seal(SECRET),
  ])
  const client = ssh()
  const code = await client.code
  expect((await answer(code, 'confirm')).body.code).toBe('mfa_verify_required')
  const otp = new TOTP({ secret: Secret.fromBase32(SECRET) }).generate()
  await browser.call('POST', '/api/v1/authentication/otp/verify/', { code: otp })
  expect((await answer(code, 'confirm')).status).toBe(200)
  expect(await client.ended).toMatchObject({ code: 0, out: 'in\n' })
  expect(await lastLogin()).toMatchObject({ backend: 'Browser', mfa: 1 })
  await pool.query('UPDATE users_user SET mfa_level = 0, otp_secret_sealed = NULL WHERE id = $1', [id])
})

test('where all must have a second factor, who has none is refused; but people whose provider asks for it itself come in', async () => {
  const settings = settingsOf(fixture.server.kernel)
  // Without the proof of another test.
  browser = await signedIn(fixture.person.username)
  await settings.set('SECURITY_MFA_AUTH', 1)
  await settings.set('SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY', false)
  const refused = ssh()
  await answer(await refused.code, 'confirm')
  expect(await refused.ended).toMatchObject({ code: 255, out: '' })
  await fixture.server.kernel.pool.query(
    `UPDATE authentication_session SET state = state || '{"outside": {"source": "openid"}}' WHERE user_id = $1`,
    [fixture.person.id],
  )
  const client = ssh()
  await answer(await client.code, 'confirm')
  expect(await client.ended).toMatchObject({ code: 0, out: 'in\n' })
  await settings.set('SECURITY_MFA_AUTH', 0)
})

test('login rules and the state of the account hold, whatever was confirmed', async () => {
  const { pool } = fixture.server.kernel
  const { id } = fixture.person
  await fixture.server.admin.post('/api/v1/acls/login-acls/', {
    name: 'not from here',
    user: id,
    action: 'reject',
    rules: { ip_group: ['*'], time_period: [0, 1, 2, 3, 4, 5, 6].map((day) => ({ id: day, value: '00:00~00:00' })) },
    reviewers: [],
  })
  const client = ssh()
  await answer(await client.code, 'confirm')
  expect(await client.ended).toMatchObject({ code: 255, out: '' })
  expect(await lastLogin()).toMatchObject({ reason: 'acl_not_allow' })
  await pool.query('DELETE FROM acls_login_acl')
})

test('three wait for one name at an address; the fourth is refused', async () => {
  const clients = [ssh(), ssh(), ssh()]
  await Promise.all(clients.map(({ code }) => code))
  const fourth = ssh()
  await expect(fourth.code).rejects.toThrow('no code was shown')
  for (const { leave } of clients) leave()
  await Promise.all(clients.map(({ ended }) => ended))
})

test('switched off, an empty password is a wrong one, and codes are unknown', async () => {
  const client = ssh()
  const code = await client.code
  await settingsOf(fixture.server.kernel).set('TERMINAL_BROWSER_AUTH', false)
  expect((await answer(code, 'confirm')).status).toBe(404)
  client.leave()
  await expect(ssh().code).rejects.toThrow('no code was shown')
  await settingsOf(fixture.server.kernel).set('TERMINAL_BROWSER_AUTH', true)
})
