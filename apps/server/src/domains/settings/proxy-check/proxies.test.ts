/** Real proxies in front of a server: with the recipes of deploy/proxies/, and with what people forget. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { CHECK_TOKEN_HEADER, PROXY_CHECK } from '@sallyport/contract/proxy-check.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { ADMIN_PASSWORD, openTestServer, type TestServer } from '../../../../test/server.ts'
import type { Place } from '../../../kernel/doctor/check.ts'
import { type Say, translate } from '../../../kernel/i18n/translate.ts'
import { settingsOf } from '../store.ts'
import { checkProxy } from './check-proxy.ts'
import { newCheckToken } from './check-token.ts'
import { mendText, type ProxyFinding } from './finding.ts'
import { MEND_LINES, PROXIES, type ProxyName } from './mend-lines.ts'
import { recipeOf, startProxy, type TestProxy } from './proxies-fixture.ts'
import proxyCheck from './proxy.check.ts'

/** Where people come from, and not the proxies. */
const PERSON = '127.0.0.2'
const NAMES = Object.keys(PROXIES) as ProxyName[]

let server: TestServer
let upstream: string
beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_TRUSTED_PROXIES: '127.0.0.1' })
  upstream = new URL(server.url).host
})
afterAll(() => server?.close())

interface HttpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** As a browser at that address sends it. */
function send(url: string, options: RequestOptions, body?: string | Buffer): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, localAddress: PERSON, ...options }, async (answer) => {
      const pieces: Buffer[] = []
      for await (const piece of answer) pieces.push(piece)
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(pieces).toString() })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const signIn = (url: string, headers: Record<string, string> = {}) =>
  send(
    `${url}/core/auth/login/`,
    {
      method: 'POST',
      headers: {
        origin: url,
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: 'django_language=en',
        ...headers,
      },
    },
    JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }),
  )

const check = (url: string, seconds: number) =>
  checkProxy(url, { secrets: server.kernel.secrets, seconds, localAddress: PERSON })

const [english, chinese] = (['en', 'cn'] as const).map(
  (language): Say =>
    (text, values) =>
      translate(language, text, values),
) as [Say, Say]
/** Faults by their names. */
const wrongOf = (findings: readonly ProxyFinding[]) =>
  Object.fromEntries(findings.filter(({ state }) => state !== 'ok').map((one) => [one.name, one]))
const wordsOf = (findings: readonly ProxyFinding[]) =>
  Object.fromEntries(Object.entries(wrongOf(findings)).map(([name, { words }]) => [name, words(english)]))

test('the recipe for Traefik, which no test has tried, is readable YAML and says so', () => {
  const text = readFileSync(new URL('../../../../../../deploy/proxies/traefik.yaml', import.meta.url), 'utf8')
  const { http } = parse(text)
  expect(http.services[http.routers.sallyport.service].loadBalancer).toMatchObject({
    passHostHeader: true,
    servers: [{ url: 'http://127.0.0.1:8080' }],
  })
  expect(text).toContain('No test has tried it.')
  expect(TRIED.proxies.traefik.tried).toBe('no')
})

test('the check of the proxy is there for system administrators, and for commands with a token; it waits and takes within bounds', async () => {
  const { call, admin, aPerson, kernel } = server
  const person = await aPerson('asks-the-proxy', { role: 'Auditor' })
  const token = newCheckToken(kernel.secrets)
  const by = (headers: Record<string, string>, path = PROXY_CHECK.arrival) => call('GET', path, { headers })
  const of = (token: string) => ({ [CHECK_TOKEN_HEADER]: token })
  expect((await admin.get(PROXY_CHECK.arrival)).body).toMatchObject({ address: '127.0.0.1', is_trusted: true })
  expect((await by(of(token))).status).toBe(200)
  const [end = '', nonce, proof] = token.split('.')
  const later = [Number(end) + 60_000, nonce, proof].join('.')
  for (const wrong of ['', 'a', later, `${Number(end) - 600_000}.${nonce}.${proof}`, `${token}A`])
    expect([wrong, (await by(of(wrong))).status]).toEqual([wrong, 404])
  for (const path of [PROXY_CHECK.arrival, PROXY_CHECK.slow, PROXY_CHECK.stream, PROXY_CHECK.socket])
    for (const headers of [{}, { authorization: `Bearer ${person.token}` }] as Record<string, string>[])
      expect([path, (await by(headers, path)).status]).toEqual([path, 404])
  expect((await call('POST', PROXY_CHECK.body, { body: {} })).status).toBe(404)
  expect((await person.get(`${PROXY_CHECK.findings}?observed={}`)).status).toBe(403)
  // A token is for the requests of one check.
  const answers: number[] = []
  for (let n = 0; n < 20; n++) answers.push((await by(of(token))).status)
  expect(answers.slice(0, 19)).toEqual(answers.slice(0, 19).map(() => 200))
  expect(answers.at(-1)).toBe(404)
  for (const path of [
    `${PROXY_CHECK.slow}?seconds=121`,
    `${PROXY_CHECK.stream}?seconds=-1`,
    `${PROXY_CHECK.slow}?seconds=x`,
  ])
    expect([path, (await admin.get(path)).status, (await admin.get(path)).body.seconds]).toEqual([
      path,
      400,
      expect.anything(),
    ])
  for (const observed of ['', '{', '{"site":1}', '[]'])
    expect([observed, (await admin.get(`${PROXY_CHECK.findings}?observed=${observed}`)).status]).toEqual([
      observed,
      400,
    ])
  const large = await admin.post(PROXY_CHECK.body, { padding: 'x'.repeat(5 * 1024 * 1024) })
  expect([large.status, (await admin.post(PROXY_CHECK.body, {})).status]).toEqual([413, 400])
})

describe.each(NAMES)('the recipe for %s', (name) => {
  let proxy: TestProxy
  beforeAll(async () => {
    proxy = await startProxy(name, recipeOf(name), upstream)
  })
  afterAll(() => proxy?.stop())

  test('has nothing that the check finds wrong, and knows where people come from', async () => {
    const findings = await check(proxy.url, 1)
    expect(wordsOf(findings)).toEqual({})
    expect(findings.map(({ words }) => words(english))).toContain(
      `Your proxy, 127.0.0.1, says that you come from ${PERSON}.`,
    )
    expect(findings.map((one) => one.name)).toEqual([
      'host',
      'https',
      'address',
      'websocket',
      'quiet',
      'slow',
      'body',
      'buffering',
      'headers',
    ])
  })

  test('signs people in at their address, whatever they claim, with a cookie for HTTPS alone; WebSockets and large bodies pass', async () => {
    const claims = {
      'x-forwarded-for': '198.51.100.9',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=198.51.100.9',
    }
    const { status, headers } = await signIn(proxy.url, claims)
    expect(status).toBe(200)
    const cookies = [headers['set-cookie'] ?? []].flat()
    expect(cookies.find((line) => line.startsWith('sessionid='))).toMatch(/; Secure/)
    const { rows } = await server.kernel.pool.query('SELECT ip FROM audits_login_log ORDER BY datetime DESC LIMIT 1')
    expect(rows).toEqual([{ ip: PERSON }])
    // Links of messages begin with it.
    expect(settingsOf(server.kernel).get('SITE_URL')).toBe(proxy.url)

    const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/ws/notifications/site-msg/`, {
      headers: { cookie, origin: proxy.url },
      rejectUnauthorized: false,
    })
    await once(socket, 'open')
    socket.terminate()

    const large = await send(
      `${proxy.url}/api/v1/users/groups/render-to-json/`,
      { method: 'POST', headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'text/csv' } },
      `"name"\n"${'x'.repeat(3 * 1024 * 1024)}"\n`,
    )
    expect([large.status === 413, large.headers['content-type']]).toEqual([
      false,
      expect.stringContaining('application/json'),
    ])
  })

  test('keeps metrics closed, as nothing tells a call of the proxy from one of the machine', async () => {
    expect((await send(`${proxy.url}/metrics`, {})).status).toBe(403)
  })

  // Caddy does that by itself, on its own ports.
  if (name !== 'caddy')
    test('sends who comes by HTTP to HTTPS', async () => {
      const answer = await fetch(`${proxy.plainUrl}/ui/`, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        301,
        expect.stringMatching(/^https:\/\/[^/]+\/ui\/$/),
      ])
    })

  test('has each line that the check tells people to have', () => {
    const lines = recipeOf(name)
      .split('\n')
      .map((line) => line.trim())
    for (const mend of Object.values(MEND_LINES)) for (const line of mend[name]) expect(lines).toContain(line)
  })
})

describe('with what people forget', () => {
  const proxies: TestProxy[] = []
  const start = async (name: ProxyName, configuration: string) => {
    const proxy = await startProxy(name, configuration, upstream)
    proxies.push(proxy)
    return proxy
  }
  afterAll(() => Promise.all(proxies.map((proxy) => proxy.stop())))
  /** A configuration of nginx with these lines in its one location. */
  const nginx = (lines: string) => `server {
    listen 443 ssl;
    ssl_certificate /x/door.example.com.pem;
    ssl_certificate_key /x/door.example.com.key;
    location / {
        proxy_pass http://127.0.0.1:8080;
        ${lines}
    }
}`
  const HEADERS = `proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection "upgrade";`

  test('nginx with its defaults: another Host, no https, no address, no WebSockets, small bodies, answers kept back', async () => {
    const { url } = await start('nginx', nginx(''))
    const place = {
      isServer: true,
      settings: async () => ({ SITE_URL: url }),
      secrets: async () => server.kernel.secrets,
    } as unknown as Place
    const signal = new AbortController().signal
    const [findings, ofDoctor] = await Promise.all([check(url, 0), proxyCheck.run(place, signal)])
    // The doctor has the same findings, with what to do.
    expect([ofDoctor].flat().map(({ subject, state, mend }) => [subject, state, mend?.(english, 'en')])).toEqual(
      Object.values(wrongOf(findings)).map((one) => [one.name, one.state, mendText(one, english)]),
    )
    expect(wordsOf(findings)).toEqual({
      host: `Your proxy sends another Host: people open ${url}, and ${upstream} arrives. Nobody can sign in.`,
      https: `Your proxy does not say https: people open ${url}, and the server takes it for HTTP. Cookies are sent without protection.`,
      address:
        'Your proxy does not say the address of the person, and passes on what people claim: anybody can have any address in logs and rules.',
      websocket: 'Your proxy drops WebSockets: no terminal, desktop or notice opens.',
      body: 'Your proxy cuts bodies over 1 MB: imports and uploads fail.',
      buffering: 'Your proxy buffers answers: downloads begin late, and large ones go over the disk of the proxy.',
    })
    const { host, body } = wrongOf(findings)
    expect(host && mendText(host, english)).toBe(
      [
        'Have these lines in the configuration of your proxy. By default right, so take away what changes it: Caddy, HAProxy.',
        'nginx: proxy_set_header Host $http_host;',
        'Apache: ProxyPreserveHost On',
      ].join('\n'),
    )
    expect(body?.words(chinese)).toMatch(/1 MB/)
    for (const { words } of findings) expect(words(chinese)).toMatch(/[\u4e00-\u9fff]/)
    // A sign-in there names the same fault.
    const { status, text } = await signIn(url)
    expect([status, JSON.parse(text)]).toEqual([
      403,
      {
        code: 'permission_denied',
        detail: expect.stringContaining(`at ${url}, but the request reached this server under the name ${upstream}`),
      },
    ])
  })

  test('nginx with time-outs that are too short cuts WebSockets and answers, and is not named in SALLYPORT_TRUSTED_PROXIES', async () => {
    const { url } = await start(
      'nginx',
      nginx(`${HEADERS}
        proxy_set_header X-Forwarded-For $remote_addr;
        client_max_body_size 0;
        proxy_buffering off;
        proxy_read_timeout 1s;
        proxy_bind 127.0.0.3;`),
    )
    const findings = wrongOf(await check(url, 60))
    expect(Object.keys(findings)).toEqual(['https', 'address', 'quiet', 'slow'])
    const { https, address, quiet, slow } = findings
    expect(address?.words(english)).toMatch(/^SALLYPORT_TRUSTED_PROXIES does not name your proxy, 127\.0\.0\.3: /)
    for (const one of [https, address])
      expect(one && mendText(one, english)).toMatch(/\nSALLYPORT_TRUSTED_PROXIES=127\.0\.0\.1,127\.0\.0\.3$/)
    expect(quiet?.words(english)).toMatch(/^Your proxy cuts WebSockets after \d+ s of silence/)
    expect(quiet && mendText(quiet, english)).toContain('nginx: proxy_read_timeout 24h;')
    expect(slow?.words(english)).toMatch(/^Your proxy cuts after \d+ s when an answer takes longer/)
  })

  test('nginx that passes on what people claim, strips cookies and adds headers', async () => {
    const { url } = await start(
      'nginx',
      nginx(`${HEADERS}
        proxy_set_header X-Forwarded-For $http_x_forwarded_for;
        proxy_set_header X-CSRFToken "";
        proxy_hide_header Set-Cookie;
        client_max_body_size 0;
        proxy_buffering off;`),
    )
    expect(wordsOf(await check(url, 0))).toEqual({
      host: 'Your proxy passes on the X-Forwarded-Host that people claim.',
      address:
        'Your proxy does not say the address of the person, and passes on what people claim: anybody can have any address in logs and rules.',
      headers: 'Your proxy strips or changes cookies: nobody stays signed in.',
    })
    const other = await start(
      'nginx',
      recipeOf('nginx').replace('proxy_pass', 'add_header X-Frame-Options SAMEORIGIN;\n        proxy_pass'),
    )
    expect(wordsOf(await check(other.url, 0))).toEqual({
      headers: 'Your proxy adds, changes or strips headers of answers: X-Frame-Options',
    })
  })

  test('Apache without ProxyPreserveHost, upgrade and https', async () => {
    const { url } = await start(
      'apache',
      `<VirtualHost *:443>
    SSLEngine on
    SSLCertificateFile /x/door.example.com.pem
    SSLCertificateKeyFile /x/door.example.com.key
    ProxyAddHeaders Off
    ProxyPass "/" "http://127.0.0.1:8080/" timeout=1
</VirtualHost>`,
    )
    const findings = wrongOf(await check(url, 60))
    expect(Object.keys(findings)).toEqual(['host', 'https', 'address', 'websocket', 'slow'])
    expect(findings.host && mendText(findings.host, english)).toContain('Apache: ProxyPreserveHost On')
  })

  test('HAProxy that says nothing of people, and cuts what is quiet', async () => {
    const { url } = await start(
      'haproxy',
      `defaults
    mode http
    timeout connect 2s
    timeout client 1m
    timeout server 1s
    timeout tunnel 1s
frontend https
    bind :443 ssl crt /x/door.example.com.pem
    default_backend sallyport
backend sallyport
    server sallyport 127.0.0.1:8080
`,
    )
    const findings = wrongOf(await check(url, 60))
    expect(Object.keys(findings)).toEqual(['host', 'https', 'address', 'quiet', 'slow'])
    expect(findings.quiet && mendText(findings.quiet, english)).toContain('HAProxy: timeout tunnel 24h')
  })

  test('Caddy with another Host, and what is not this server at all', async () => {
    const { url } = await start(
      'caddy',
      `door.example.com {
	reverse_proxy 127.0.0.1:8080 {
		header_up Host internal.example
		header_up -X-Forwarded-Host
	}
}`,
    )
    expect(wordsOf(await check(url, 0)).host).toContain('internal.example arrives')
    const elsewhere = await start('caddy', 'door.example.com {\n\trespond "welcome"\n}')
    expect(wordsOf(await check(elsewhere.url, 0))).toEqual({
      reach: `${elsewhere.url} is not answered by this server: HTTP 200, of another server`,
    })
    expect(Object.keys(wrongOf(await check('https://127.0.0.1:1', 0)))).toEqual(['reach'])
    expect(Object.keys(wrongOf(await check('not an address', 0)))).toEqual(['reach'])
  })
})
