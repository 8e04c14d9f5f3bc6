// Class 20: secrets: never in API answers, exports, logs, crash dumps, recordings of input;
// encrypted at rest incl. rotated ones. Everything secret that these flows make or are given is
// remembered, and looked for in the log of the server, in its answers and in its files. Input in
// recordings: README.md.

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import {
  admin,
  aGuarded,
  aJar,
  aName,
  anAddress,
  aPerson,
  aResetToken,
  call,
  codeOf,
  fine,
  LOGIN,
  PASSWORD,
  type Person,
  place,
} from './visitor.ts'

/** Each secret by what it is. */
const secrets: Record<string, string> = {}
const keep = (what: string, value: unknown): string => {
  const text = String(value)
  if (text.length < 8 || secrets[what]) throw new Error(`${what} is no secret: ${text}`)
  secrets[what] = text
  return text
}
const asset = { id: '', systemUser: '' }
let keeper: Person

beforeAll(async () => {
  keeper = await admin()
  // Signing in, wrongly and rightly, by script, by page, by SSH.
  const person = await aPerson()
  keep('wrong password', 'Wrong-password-that-was-typed-1')
  await aJar().call('POST', LOGIN, { username: person.username, password: secrets['wrong password'] })
  await call(
    'POST',
    '/api/v1/authentication/tokens/',
    { username: secrets['wrong password'], password: secrets['wrong password'] },
    { 'x-forwarded-for': anAddress() },
  )
  delete secrets['wrong password']
  keep('wrong password', 'Other-password-that-was-typed-1')
  await aJar().call('POST', `${LOGIN}?next=/ui/`, `username=${person.username}&password=${secrets['wrong password']}`, {
    'content-type': 'application/x-www-form-urlencoded',
  })
  keep('bearer token', person.token)
  const browser = aJar()
  fine(await browser.call('POST', LOGIN, { username: person.username, password: PASSWORD }))
  keep('session cookie', browser.jar.get('sessionid'))
  keep('CSRF token', browser.jar.get('csrftoken'))
  const client = new Client().on('error', () => {})
  client.connect({
    host: '127.0.0.1',
    port: place.sshPort,
    username: person.username,
    password: secrets['wrong password'] ?? '',
  })
  await once(client, 'error')
  // A link to a new password, used in the address as the mail has it, wrongly and rightly.
  const { token } = await aResetToken()
  keep('reset token', token)
  keep('new password', 'Chosen-after-reset-1')
  await call('GET', `/core/auth/password/reset/?token=${token}`, undefined, { accept: 'text/html' })
  await call('POST', `/core/auth/password/reset/?token=${token}`, {
    token,
    new_password: 'short',
    confirm_password: 'short',
  })
  fine(
    await call('POST', '/core/auth/password/reset/', {
      token,
      new_password: secrets['new password'],
      confirm_password: secrets['new password'],
    }),
  )
  // A second factor.
  const guarded = await aGuarded()
  keep('seed of the authenticator app', guarded.secret)
  const half = aJar()
  fine(await half.call('POST', LOGIN, { username: guarded.username, password: PASSWORD }))
  keep('cookie of a half sign-in', half.jar.get('sessionid'))
  fine(await half.call('POST', '/core/auth/login/mfa/', { code: codeOf(guarded.secret) }))
  // Keys.
  fine(await browser.call('POST', '/api/v1/authentication/access-keys/', {}))
  keep('secret of an access key', fine(await browser.call('GET', '/api/v1/authentication/access-keys/'))[0].secret)
  const made = await browser.call('GET', '/core/auth/profile/pubkey/generate/')
  keep('private key of a person', made.text.split('\n')[3])
  keep('password of files', 'Password-of-files-1')
  const again = { new_secret_key: secrets['password of files'], new_secret_key_again: secrets['password of files'] }
  fine(await browser.call('PUT', '/api/v1/users/profile/secret-key/', again))
  // What machines are entered with, and what an import brings.
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  keep('private key of an identity', privateKey.split('\n')[5])
  keep('password of an identity', 'Password-of-identity-1')
  keep('earlier password of an identity', 'Earlier-password-of-identity-1')
  const identity = { username: 'root', protocol: 'ssh', login_mode: 'auto', auto_push: false }
  const { id } = fine(
    await keeper.call('POST', '/api/v1/assets/system-users/', {
      name: aName('identity'),
      ...identity,
      private_key: privateKey,
      password: secrets['earlier password of an identity'],
    }),
  )
  fine(
    await keeper.call('PATCH', `/api/v1/assets/system-users/${id}/`, { password: secrets['password of an identity'] }),
  )
  asset.systemUser = id
  keep('password in an import', 'Password-in-an-import-1')
  fine(
    await keeper.call('POST', '/api/v1/assets/system-users/import-jobs/', {
      mode: 'create',
      rows: [{ name: aName('imported'), ...identity, password: secrets['password in an import'] }],
    }),
  )
  // Settings, refused and taken.
  keep('password of the directory', 'Password-of-directory-1')
  fine(
    await keeper.call('PATCH', '/api/v1/settings/setting/?category=ldap', {
      AUTH_LDAP_BIND_PASSWORD: secrets['password of the directory'],
    }),
  )
  keep('password of mail', 'Password-of-mail-1')
  fine(
    await keeper.call('PATCH', '/api/v1/settings/setting/?category=email', {
      EMAIL_HOST_PASSWORD: secrets['password of mail'],
    }),
  )
  await keeper.call('PATCH', '/api/v1/settings/setting/?category=email', {
    EMAIL_HOST_PASSWORD: secrets['password of mail'],
    EMAIL_PORT: 'no port',
  })
  // Bodies that are broken while they hold a secret, and a call that the server cannot read.
  await call('POST', LOGIN, `{"username":"a","password":"${secrets['wrong password']}"`, {
    'content-type': 'application/json',
  })
  await keeper.call('POST', '/api/v1/assets/system-users/', [
    { name: 'x', password: secrets['password of an identity'] },
    7,
  ])
  secrets['bootstrap token'] = place.bootstrapToken
  secrets['password of the first administrator'] = place.adminPassword
})
afterAll(async () => {
  // The others must not have mail and directory to wait for.
  await keeper.call('PATCH', '/api/v1/settings/setting/?category=email', { EMAIL_HOST_PASSWORD: 'x' })
})

const found = (text: string) =>
  Object.entries(secrets).flatMap(([what, secret]) => (text.includes(secret) ? [what] : []))

test('the log of the server, down to its smallest detail, has none of them, nor the queries of addresses', async () => {
  const log = await readFile(place.log, 'utf8')
  expect(log).toContain('/core/auth/password/reset/')
  expect(log.length).toBeGreaterThan(5_000)
  expect(found(log)).toEqual([])
  expect(log).not.toMatch(/[?&](token|ticket|code|state|authkey)=/)
})

test('no list, detail, export, metadata, log of operations or setting answers one, not even to the system administrator', async () => {
  const { paths } = fine(await call('GET', '/api/docs/')) as { paths: Record<string, Record<string, unknown>> }
  const lists = Object.keys(paths).filter((path) => paths[path]?.get && path.startsWith('/api/') && !path.includes('{'))
  expect(lists.length).toBeGreaterThan(60)
  const wrong: string[] = []
  const looked = lists.flatMap((path) => [`${path}?limit=100`, `${path}?format=csv`])
  looked.push(`/api/v1/assets/system-users/${asset.systemUser}/`)
  for (const category of ['ldap', 'email', 'basic', 'security', 'openid', 'radius', 'sms', 'terminal'])
    looked.push(`/api/v1/settings/setting/?category=${category}`)
  const look = async (path: string) => {
    const { text } = await keeper.call('GET', path)
    for (const what of found(text)) wrong.push(`${path} answers the ${what}`)
  }
  for (let n = 0; n < looked.length; n += 10) await Promise.all(looked.slice(n, n + 10).map(look))
  expect(wrong).toEqual([])
})

test('nothing lies readable in the files of the installation, the database’s among them', async () => {
  const wrong: string[] = []
  const files = await readdir(place.data, { recursive: true, withFileTypes: true })
  for (const file of files) {
    const path = join(file.parentPath, file.name)
    if (!file.isFile() || path === place.log) continue
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    for (const [what, secret] of Object.entries(secrets))
      if (bytes.includes(secret)) wrong.push(`${path.slice(place.data.length)} holds the ${what}`)
  }
  expect(wrong).toEqual([])
})
