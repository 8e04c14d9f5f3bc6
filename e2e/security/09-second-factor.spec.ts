// Class 9: the second factor is bound to the very session, also for sockets, tokens, SSH and what asks for it again.
import { once } from 'node:events'
import ssh2 from 'ssh2'
import { beforeAll, expect, test } from 'vitest'
import { aGuarded, aJar, anAddress, type CookieJar, call, codeOf, fine, LOGIN, PASSWORD, PROFILE, place } from './visitor.ts'

const MFA = '/core/auth/login/mfa/'
let guarded: { id: string; username: string; secret: string }
beforeAll(async () => {
  guarded = await aGuarded()
})

/** A browser in which name and password were right, and nothing more. */
async function aHalf(): Promise<CookieJar> {
  const browser = aJar()
  const { body } = await browser.call('POST', LOGIN, { username: guarded.username, password: PASSWORD })
  expect(body).toEqual({ next: MFA })
  return browser
}

test('with the password alone nothing opens: no call, no page of the account, no token, no second app', async () => {
  const browser = await aHalf()
  for (const path of [PROFILE, '/api/v1/perms/users/assets/', '/api/v1/authentication/access-keys/', '/koko/sessions/', '/koko/files/'])
    expect(`${path} ${(await browser.call('GET', path)).status}`).toBe(`${path} 401`)
  expect((await browser.call('POST', '/api/v1/authentication/access-keys/', {})).status).toBe(401)
  expect((await browser.call('PUT', `${PROFILE}public-key/`, { public_key: 'ssh-rsa AAAA' })).status).toBe(401)
  const guard = await browser.call('GET', '/core/auth/login/guard/')
  expect([guard.status, guard.headers.get('location')]).toEqual([302, MFA])
  const bind = await browser.call('GET', '/core/auth/profile/otp/enable/bind/')
  expect(bind.text).not.toContain('otpauth')
  const token = await browser.call('POST', '/api/v1/authentication/tokens/', { username: guarded.username, password: PASSWORD })
  expect([token.status, token.body.error]).toEqual([200, 'mfa_required'])
})

test('what one browser proved is nothing to another that waits beside it, and the code is used up by it', async () => {
  const [first, second] = [await aHalf(), await aHalf()]
  const code = codeOf(guarded.secret)
  fine(await first.call('POST', MFA, { code }))
  expect((await second.call('GET', '/core/auth/login/guard/')).headers.get('location')).toBe(MFA)
  expect((await second.call('POST', MFA, { code })).body.error).toBe('mfa_failed')
  await first.call('GET', '/core/auth/login/guard/')
  expect((await first.call('GET', PROFILE)).status).toBe(200)
  expect((await second.call('GET', PROFILE)).status).toBe(401)
})

test('the cookie of before the factor is worth nothing after it', async () => {
  const browser = await aHalf()
  const before = browser.jar.get('sessionid')
  fine(await browser.call('POST', MFA, { code: codeOf(guarded.secret, 1) }))
  await browser.call('GET', '/core/auth/login/guard/')
  expect((await browser.call('GET', PROFILE)).status).toBe(200)
  const thief = aJar()
  thief.jar.set('sessionid', before ?? '')
  expect((await thief.call('GET', PROFILE)).status).toBe(401)
  expect((await thief.call('GET', '/core/auth/login/guard/')).headers.get('location')).toBe(LOGIN)
})

test('a challenge without its password is worth nothing, whoever is named in it', async () => {
  for (const body of [
    { type: 'otp', code: codeOf(guarded.secret, 1) },
    { type: 'otp', code: codeOf(guarded.secret, 1), username: guarded.username },
  ])
    expect((await call('POST', '/api/v1/authentication/mfa/challenge/', body, { 'x-forwarded-for': anAddress() })).body.error).toBe(
      'session_empty',
    )
})

test('over SSH the factor is asked for after the password, and no order of methods goes around it', async () => {
  const client = new ssh2.Client()
  const asked: string[] = []
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
    asked.push(...prompts.map(({ prompt }) => prompt))
    finish(prompts.map(() => '000000'))
  })
  // The password first; then as often as it likes what is not enough by itself.
  const methods: ssh2.AnyAuthMethod[] = [
    { type: 'none', username: guarded.username },
    { type: 'password', username: guarded.username, password: PASSWORD },
    { type: 'password', username: guarded.username, password: PASSWORD },
    { type: 'none', username: guarded.username },
  ]
  client.connect({
    host: '127.0.0.1',
    port: place.sshPort,
    username: guarded.username,
    authHandler: (_left, _partial, next) => next(methods.shift() ?? (false as never)),
  })
  const [error] = (await Promise.race([once(client, 'error'), once(client, 'ready').then(() => [new Error('signed in')])])) as [Error]
  expect(error.message).toMatch(/All configured authentication methods failed/)
})
