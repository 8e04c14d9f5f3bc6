// Class 9: the second factor is bound to the very session, also for sockets, tokens, SSH and what
// asks for it again.
import { once } from 'node:events'
import type ssh2 from 'ssh2'
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import {
  aGuarded,
  aJar,
  anAddress,
  type CookieJar,
  call,
  codeOf,
  fine,
  LOGIN,
  PASSWORD,
  PROFILE,
  place,
} from './visitor.ts'

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
  for (const path of [
    PROFILE,
    '/api/v1/perms/users/assets/',
    '/api/v1/authentication/access-keys/',
    '/koko/sessions/',
    '/koko/files/',
  ])
    expect(`${path} ${(await browser.call('GET', path)).status}`).toBe(`${path} 401`)
  expect((await browser.call('POST', '/api/v1/authentication/access-keys/', {})).status).toBe(401)
  expect((await browser.call('PUT', `${PROFILE}public-key/`, { public_key: 'ssh-rsa AAAA' })).status).toBe(401)
  const guard = await browser.call('GET', '/core/auth/login/guard/')
  expect([guard.status, guard.headers.get('location')]).toEqual([302, MFA])
  const bind = await browser.call('GET', '/core/auth/profile/otp/enable/bind/')
  expect(bind.text).not.toContain('otpauth')
  const token = await browser.call('POST', '/api/v1/authentication/tokens/', {
    username: guarded.username,
    password: PASSWORD,
  })
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

test('a challenge without its password is worth nothing, no matter who is named in it', async () => {
  for (const body of [
    { type: 'otp', code: codeOf(guarded.secret, 1) },
    { type: 'otp', code: codeOf(guarded.secret, 1), username: guarded.username },
  ])
    expect(
      (await call('POST', '/api/v1/authentication/mfa/challenge/', body, { 'x-forwarded-for': anAddress() })).body
        .error,
    ).toBe('session_empty')
})

/**
 * Tries methods in order with a plain client; `codes` answer what is asked for beside the password.
 */
async function overSsh(username: string, order: ssh2.AuthenticationType[], codes: string[]) {
  const client = new Client()
  const asked: string[] = []
  const left: unknown[] = []
  const prompt: ssh2.KeyboardInteractiveAuthMethod['prompt'] = (_name, _instructions, _language, prompts, finish) => {
    asked.push(...prompts.map(({ prompt }) => prompt))
    finish(prompts.map(({ echo }) => (echo ? (codes.shift() ?? '000000') : PASSWORD)))
  }
  const methods = order.map((type) => ({ type, username, password: PASSWORD, prompt }))
  client.connect({
    host: '127.0.0.1',
    port: place.sshPort,
    username,
    authHandler: (others, partial, next) => {
      left.push(partial ? others : undefined)
      next((methods.shift() as ssh2.AnyAuthMethod | undefined) ?? (false as never))
    },
  })
  const [error] = (await Promise.race([once(client, 'error'), once(client, 'ready')])) as [Error?]
  client.end()
  return { asked, error: error?.message, partly: left.filter(Boolean) }
}

const PASSWORD_ASKED = 'Password: '
const CODE_ASKED = expect.stringMatching(/6|code/i)
const FAILED = expect.stringMatching(/All configured authentication methods failed/)

test('over SSH the factor is asked for after the password, and the two together come in', async () => {
  const { username, secret } = await aGuarded()
  expect(await overSsh(username, ['none', 'password', 'keyboard-interactive'], [codeOf(secret)])).toEqual({
    asked: [CODE_ASKED],
    error: undefined,
    partly: [['keyboard-interactive']],
  })
  expect(await overSsh(username, ['keyboard-interactive'], [codeOf(secret, 1)])).toEqual({
    asked: [PASSWORD_ASKED, CODE_ASKED],
    error: undefined,
    partly: [],
  })
})

test('over SSH no order of methods goes around the factor, and a wrong code does not come in', async () => {
  const { username } = await aGuarded()
  const orders: [ssh2.AuthenticationType[], unknown[]][] = [
    [['none', 'password', 'password', 'none'], []],
    [['password', 'none', 'password'], []],
    [['none', 'password', 'keyboard-interactive'], [CODE_ASKED]],
    [
      ['keyboard-interactive', 'password'],
      [PASSWORD_ASKED, CODE_ASKED],
    ],
  ]
  for (const [order, asked] of orders)
    expect(await overSsh(username, order, [])).toMatchObject({ asked, error: FAILED })
})
