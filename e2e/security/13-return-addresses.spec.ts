// Class 13: redirect targets and return URLs are allow-listed; strict CSP, frame-ancestors. With it
// what a foreign page can do in a browser: forged calls, frames, a planted session. In a real
// Chromium, since only a browser tells what it follows.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../installation.ts'
import { aBrowserOf, aJar, anAddress, aPerson, call, LOGIN, PASSWORD, type Person, PROFILE, place } from './visitor.ts'

/** A page of somebody else's: another host to browsers, and it holds whatever a test puts there. */
let evil: { url: string; html: string; server: Server; visits: string[] }
let browser: Browser
let person: Person
beforeAll(async () => {
  const server = createServer((request, response) => {
    evil.visits.push(request.url ?? '')
    response.setHeader('content-type', 'text/html').end(evil.html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  evil = { url: `http://localhost:${(server.address() as { port: number }).port}`, html: '', server, visits: [] }
  browser = await openBrowser()
  person = await aPerson()
})
afterAll(async () => {
  await browser?.close()
  evil?.server.close()
})

const TRAPS = (host: string) => [
  `//${host}/`,
  `/\\${host}/`,
  `\\\\${host}/`,
  `/\t/${host}/`,
  `/\n/${host}/`,
  `/.//${host}/`,
  `/..//${host}/`,
  `/ui/..//${host}/`,
  `/%2e//${host}/`,
  `/./\\${host}/`,
  `///${host}/`,
  `http://${host}/`,
  `http:${host}`,
  `http:/${host}/`,
  ` //${host}/`,
  `%20//${host}/`,
  `https://127.0.0.1@${host}/`,
  `//127.0.0.1@${host}/`,
  `/ui@${host}/../..//${host}`,
  'javascript:alert(document.domain)',
  'data:text/html,<script>1</script>',
  '/ui/\r\nlocation: //evil',
]
const isHere = (location: string | null) => {
  const target = new URL(location ?? '/', `${place.url}${LOGIN}`)
  return target.origin === place.url
}

test('wherever a return address is taken, a hostile one leads back to this server', async () => {
  const signedIn = await aBrowserOf(person.username)
  const wrong: string[] = []
  for (const next of TRAPS('evil.example')) {
    const query = `?next=${encodeURIComponent(next)}`
    const form = new URLSearchParams({ username: person.username, password: PASSWORD, next }).toString()
    const html = { accept: 'text/html' }
    const answers = {
      'sign-in page, signed in': await signedIn.call('GET', `${LOGIN}${query}`, undefined, html),
      'sign-in by script': await aJar().call('POST', LOGIN, { username: person.username, password: PASSWORD, next }),
      'sign-in by form': await aJar().call('POST', `${LOGIN}${query}`, form, {
        ...html,
        'content-type': 'application/x-www-form-urlencoded',
      }),
      'sign-out': await aJar().call('GET', `/core/auth/logout/${query}`, undefined, html),
      openid: await aJar().call('GET', `/core/auth/openid/login/${query}`, undefined, html),
      'sign-in link': await aJar().call('GET', `/api/v1/authentication/sso/login/${query}`, undefined, html),
      guard: await aJar().call('GET', `/core/auth/login/guard/${query}`, undefined, html),
    }
    for (const [where, { status, headers, body }] of Object.entries(answers)) {
      if (status >= 500) wrong.push(`${where} with ${JSON.stringify(next)}: ${status}`)
      if (!isHere(headers.get('location')) || !isHere(body?.next ?? null))
        wrong.push(`${where} with ${JSON.stringify(next)}: ${headers.get('location') ?? body.next}`)
    }
  }
  expect(wrong).toEqual([])
})

async function aContext(): Promise<{ context: BrowserContext; page: Page }> {
  // From an address of its own: what other families tried from this machine may have its sign-in
  // page ask for a sum.
  const context = await browser.newContext({ locale: 'en-US', extraHTTPHeaders: { 'x-forwarded-for': anAddress() } })
  context.setDefaultTimeout(120_000)
  await context.addCookies([{ name: 'django_language', value: 'en', url: place.url }])
  return { context, page: await context.newPage() }
}

async function enter(page: Page, next: string): Promise<void> {
  await page.goto(`${place.url}${LOGIN}?next=${encodeURIComponent(next)}`)
  await page.fill('#username', person.username)
  await page.fill('#password', PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== LOGIN)
}

test('in a browser: a hostile return address ends on our page, under a new session, and the one planted before is worth nothing', async () => {
  const { context, page } = await aContext()
  const planted = 'planted-by-somebody-else'
  await context.addCookies([
    { name: 'sessionid', value: planted, url: place.url },
    { name: 'csrftoken', value: planted, url: place.url },
  ])
  await enter(page, `/.//${new URL(evil.url).host}/`)
  expect(new URL(page.url()).origin).toBe(place.url)
  expect(evil.visits).toEqual([])
  const values = (await context.cookies(place.url)).map(({ value }) => value)
  expect(values).not.toContain(planted)
  expect((await call('GET', PROFILE, undefined, { cookie: `sessionid=${planted}` })).status).toBe(401)
  await context.close()
})

test('in a browser: a page of another site neither frames us nor writes, signs in or out with the person’s session', async () => {
  const { context, page } = await aContext()
  await enter(page, '/ui/')
  const before = (await context.cookies(place.url)).find(({ name }) => name === 'sessionid')?.value
  evil.html = `<!doctype html><title>evil</title><iframe id="frame" src="${place.url}/core/auth/password/forgot/"></iframe>
    <form id="in" method="post" action="${place.url}${LOGIN}"><input name="username" value="admin"><input name="password" value="x"></form>
    <form id="out" method="post" action="${place.url}/core/auth/logout/"></form>
    <form id="write" method="post" enctype="text/plain" action="${place.url}/api/v1/authentication/access-keys/"><input name='{"a' value='":1}'></form>`
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(evil.url)
  expect(await page.frameLocator('#frame').locator('form').count()).toBe(0)
  await expect.poll(() => refused.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/)
  for (const id of ['in', 'out', 'write']) {
    await page.goto(evil.url)
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await page.evaluate((form) => (document.getElementById(form) as HTMLFormElement).submit(), id)
    const status = (await answered).status()
    await page.waitForURL((url) => url.origin === place.url)
    // The third comes without the cookie: it is of no sign-in at all.
    expect([id, id === 'write' ? status >= 400 && status < 500 : status === 403]).toEqual([id, true])
  }
  await page.goto(evil.url)
  const reached = await page.evaluate(
    async ([url, profile]) => {
      const tries = [
        fetch(`${url}${profile}`, { credentials: 'include' }),
        fetch(`${url}${profile}`, {
          method: 'PATCH',
          credentials: 'include',
          body: '{"wechat":"evil"}',
          headers: { 'content-type': 'application/json' },
        }),
      ]
      return (await Promise.allSettled(tries)).map(({ status }) => status)
    },
    [place.url, PROFILE],
  )
  expect(reached).toEqual(['rejected', 'rejected'])
  await page.goto(`${place.url}/ui/`)
  expect((await context.cookies(place.url)).find(({ name }) => name === 'sessionid')?.value).toBe(before)
  expect((await person.call('GET', PROFILE)).body.wechat).toBe('')
  await context.close()
})

test('every page and answer forbids inline scripts, frames and guesses at its type', async () => {
  for (const path of ['/', LOGIN, '/ui/', '/luna/', PROFILE, '/no/such/page', '/api/docs/', '/ui/static/none.js']) {
    const { headers } = await call('GET', path, undefined, { accept: 'text/html' })
    const policy = headers.get('content-security-policy') ?? ''
    expect(`${path} ${policy}`).toMatch(/script-src 'self'(;|$)/)
    expect(`${path} ${policy}`).toMatch(
      /object-src 'none'.*base-uri 'none'.*form-action 'self'.*frame-ancestors 'none'(;|$)/,
    )
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  }
})
