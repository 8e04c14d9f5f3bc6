import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN_PASSWORD, openTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

/** A browser: keeps cookies, sends them back, and repeats the CSRF token as the console does. */
function aBrowser() {
  const jar = new Map<string, string>([['django_language', 'en']])
  return {
    jar,
    async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const answer = await server.call(method, path, {
        body,
        headers: {
          accept: 'application/json',
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(jar.has('csrftoken') ? { 'x-csrftoken': jar.get('csrftoken') ?? '' } : {}),
          ...headers,
        },
      })
      for (const line of [answer.headers['set-cookie'] ?? []].flat() as string[]) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
      return answer
    },
  }
}

const whoAmI = '/api/v1/users/profile/'

test('[A1.01] signing in with name and password opens the console: the profile answers, sign-out ends it', async () => {
  const browser = aBrowser()
  await browser.call('GET', '/core/auth/login/')
  expect(browser.jar.get('csrftoken')).toBeTruthy()
  const { status, body } = await browser.call('POST', '/core/auth/login/', { username: 'admin', password: ADMIN_PASSWORD })
  expect([status, body]).toEqual([200, { next: '/ui/' }])
  expect((await browser.call('GET', whoAmI)).body.username).toBe('admin')
  const cookie = browser.jar.get('sessionid') ?? ''
  await browser.call('GET', '/core/auth/logout/?next=/ui/users/users')
  browser.jar.set('sessionid', cookie)
  expect((await browser.call('GET', whoAmI)).status).toBe(401)
})

test.each([
  ['as the console encrypts it', { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }],
  ['as existing pages encrypt it', { padding: constants.RSA_PKCS1_PADDING }],
])('[A1.01] the password may come encrypted %s', async (_, options) => {
  const browser = aBrowser()
  const { body } = await browser.call('GET', '/core/auth/login/key/')
  const password = publicEncrypt({ key: createPublicKey(body.public_key), ...options }, Buffer.from(ADMIN_PASSWORD)).toString('base64')
  const answer = await browser.call('POST', '/core/auth/login/', { username: 'admin', password })
  expect([answer.status, answer.body]).toEqual([200, { next: '/ui/' }])
})
