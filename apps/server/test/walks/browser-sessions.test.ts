import { once } from 'node:events'
import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openTestBrowser, type TestBrowser } from '../browser.ts'
import { ADMIN_PASSWORD, type Answer, openTestServer, PASSWORD, type TestServer } from '../server.ts'
import { addressOf } from './address-of.ts'

/**
 * A session cookie alone, which a browser sends by itself, is not enough: for every websocket, and
 * every call that writes, from a page of somebody else's.
 */
let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

async function aBrowserOf(username: string, password = PASSWORD): Promise<TestBrowser> {
  const browser = openTestBrowser(server)
  const { status } = await browser.call('POST', '/core/auth/login/', { username, password })
  if (status !== 200) throw new Error(`sign-in of ${username} answered ${status}`)
  return browser
}

const cookieOf = ({ jar }: TestBrowser) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

const FOREIGN = ['http://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1', 'garbage']

/** Routes that may be called from pages of other sites, each for a reason. */
const OPEN_TO_OTHER_SITES = [
  '/api/v1/terminal/terminal-registrations/', // carries the bootstrap token, which no browser knows
  '/core/auth/saml2/callback/', // the provider's page posts the assertion, which is checked for itself
  '/core/auth/saml2/logout/',
  '/core/auth/saml2/providers/:id/callback/',
  '/core/auth/saml2/providers/:id/logout/',
  '/core/auth/openid/backchannel-logout/', // carries a token that the provider has signed
  '/core/auth/openid/providers/:id/backchannel-logout/',
]
/** Answered by a redirect to the address that does the work, where the same is asked again. */
const isMoved = (status: number) => status === 307

test('[A6.15] every call that writes is refused from pages of other sites, and without the token that only our pages can read', async () => {
  const browser = await aBrowserOf('admin', ADMIN_PASSWORD)
  const unsafe = server.kernel.routes.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
  expect(unsafe.length).toBeGreaterThan(200)
  const wrong: string[] = []
  for (const { method, url } of unsafe) {
    if (OPEN_TO_OTHER_SITES.includes(url)) continue
    const foreign = await browser.call(method, addressOf(url), {}, { origin: 'http://evil.example' })
    if (foreign.status !== 403 && !isMoved(foreign.status))
      wrong.push(`${method} ${url} from elsewhere: ${foreign.status}`)
  }
  // Once more without Origin, as old browsers send forms: only what begins or ends a sign-in does
  // without the token.
  for (const { method, url, access } of unsafe) {
    if (OPEN_TO_OTHER_SITES.includes(url) || access.includes('anonymous')) continue
    for (const token of ['', 'x'.repeat(64)]) {
      const { status, body } = await browser.call(method, addressOf(url), {}, { 'x-csrftoken': token })
      if (status !== 403 || !String(body.detail).startsWith('CSRF'))
        wrong.push(`${method} ${url} with the token ${token}: ${status}`)
    }
  }
  expect(wrong).toEqual([])
  expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(200)
})

test('what pages of other sites may call is not refused for where it came from', async () => {
  const browser = openTestBrowser(server)
  for (const url of OPEN_TO_OTHER_SITES) {
    const { body } = await browser.call('POST', url, { SAMLResponse: 'none' }, { origin: 'http://provider.example' })
    expect(`${url} ${JSON.stringify(body)}`).not.toContain('CSRF')
  }
})

test('[A6.15] links of other sites change nothing where the wire has a GET that does', async () => {
  const browser = await aBrowserOf('admin', ADMIN_PASSWORD)
  const victim = await server.aPerson('linked')
  const changing = [
    `/api/v1/users/users/${victim.id}/mfa/reset/`,
    '/api/v1/xpack/interface/restore',
    '/api/v1/settings/ldap/cache/refresh/',
    '/core/auth/profile/pubkey/generate/',
  ]
  for (const path of changing) {
    const foreign = await browser.call('GET', path, undefined, { 'sec-fetch-site': 'cross-site' })
    expect(`${path} ${foreign.status}`).toBe(`${path} 403`)
    // Nor does one on our own pages, but for what is a download; and no sign-in leads there.
    const link = await browser.call('GET', path, undefined, {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
    })
    expect(`${path} ${link.status}`).toBe(`${path} ${path.endsWith('generate/') ? 200 : 403}`)
    const signedIn = await browser.call('GET', `/core/auth/login/?next=${encodeURIComponent(path.replace('a', '%61'))}`)
    expect(`${path} ${signedIn.headers.location}`).toBe(`${path} /ui/`)
    const own = await browser.call('GET', path, undefined, {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
    })
    expect(`${path} ${own.status}`).toBe(`${path} 200`)
  }
})

/** But the one that a connection token opens, without any sign-in. */
const sockets = () =>
  server.kernel.routes.filter(({ url, method }) => method === 'GET' && /\/ws\//.test(url) && url !== '/koko/ws/token/')
/** Query that each socket needs to be more than an address. */
const QUERY: Record<string, string> = {
  '/koko/ws/terminal/':
    '?type=ssh&target_id=00000000-0000-4000-8000-000000000001&system_user_id=00000000-0000-4000-8000-000000000001',
}

function open(url: string, headers: Record<string, string>): WebSocket {
  return new WebSocket(`${server.url.replace('http', 'ws')}${addressOf(url)}${QUERY[url] ?? ''}`, { headers })
}

function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(url, headers)
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    socket.once('open', () => {
      socket.close()
      resolve(101)
    })
    socket.once('error', (error) => (/Unexpected server response/.test(error.message) ? undefined : reject(error)))
  })
}

test('[A6.15] every websocket lets in everybody who is signed in, in any organization, and nobody else, from our pages only', async () => {
  const elsewhere = await server.anOrg('Sockets')
  const people = {
    member: await server.aPerson('socket-member'),
    auditor: await server.aPerson('socket-auditor', { orgRoles: ['Auditor'] }),
    foreign: await server.aPerson('socket-foreign', { orgRoles: ['Admin'], org: elsewhere }),
    admin: server.admin,
  }
  expect(sockets().length).toBeGreaterThanOrEqual(3)
  for (const { url, access } of sockets()) {
    expect(`${url} ${access}`).toBe(`${url} authenticated`)
    expect(`${url} ${await statusOf(url, {})}`).toBe(`${url} 401`)
    expect(`${url} ${await statusOf(url, { authorization: 'Bearer wrong' })}`).toBe(`${url} 401`)
    expect(`${url} ${await statusOf(url, { cookie: 'sessionid=wrong' })}`).toBe(`${url} 401`)
    for (const [name, { token }] of Object.entries(people))
      for (const org of [DEFAULT_ORG_ID, elsewhere, ROOT_ORG_ID, 'nowhere']) {
        const headers = { authorization: `Bearer ${token}`, 'x-jms-org': org }
        expect(`${url} ${name} in ${org} ${await statusOf(url, headers)}`).toBe(`${url} ${name} in ${org} 101`)
      }
    const cookie = cookieOf(await aBrowserOf('socket-member'))
    expect(`${url} ${await statusOf(url, { cookie, origin: server.url })}`).toBe(`${url} 101`)
    for (const origin of FOREIGN)
      expect(`${url} from ${origin} ${await statusOf(url, { cookie, origin })}`).toBe(`${url} from ${origin} 403`)
  }
})

test('[A6.15] every open websocket ends with the sign-in behind it: signed out, disabled, expired, or the password changed', async () => {
  const ways: Record<string, (person: { id: string }, browser: TestBrowser) => Promise<Answer>> = {
    'signed out': (_person, browser) => browser.call('POST', '/core/auth/logout/'),
    disabled: ({ id }) => server.admin.patch(`/api/v1/users/users/${id}/`, { is_active: false }),
    expired: ({ id }) =>
      server.admin.patch(`/api/v1/users/users/${id}/`, { date_expired: '2020/01/01 00:00:00 +0000' }),
    'password changed': ({ id }) =>
      server.admin.put(`/api/v1/users/users/${id}/password/`, { password: 'Another-person-1' }),
    deleted: ({ id }) => server.admin.delete(`/api/v1/users/users/${id}/`),
  }
  const end = async ([way, revoke]: [string, (typeof ways)[string]]) => {
    const username = `revoked-${way.replace(' ', '-')}`
    const person = await server.aPerson(username)
    const browser = await aBrowserOf(username)
    const credentials: Record<string, string>[] = [{ cookie: cookieOf(browser), origin: server.url }]
    if (way !== 'signed out') credentials.push({ authorization: `Bearer ${person.token}` })
    const opened = sockets().flatMap(({ url }) => credentials.map((headers) => open(url, headers)))
    await Promise.all(opened.map((socket) => once(socket, 'open')))
    const closed = Promise.all(opened.map((socket) => once(socket, 'close')))
    expect(`${way} ${(await revoke(person, browser)).status < 400}`).toBe(`${way} true`)
    for (const [code] of await closed) expect(`${way} ${code}`).toBe(`${way} 1008`)
  }
  await Promise.all(Object.entries(ways).map(end))
})
