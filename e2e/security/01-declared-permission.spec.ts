// Class 1: every HTTP route, WebSocket and internal API has a declared permission. The generated
// walk on the server calls each as every role; here, the published document is believed and tried
// from outside: what it calls closed is closed to nobody, to a wrong credential and to somebody who
// was disabled.
import { beforeAll, expect, test } from 'vitest'
import { type Answer, admin, aPerson, call, fine, type Person } from './visitor.ts'

/**
 * Where anything may be open to everybody; beyond it, openness is a decision that is made here too.
 */
const MAY_BE_OPEN = /^\/api\/(docs|health|v1\/health|v1\/authentication|v1\/prometheus\/metrics|v1\/settings\/public)\//

interface Operation {
  /** Empty for what needs no credential. */
  security?: unknown[]
}
interface Closed {
  method: string
  path: string
}
const closed: Closed[] = []
const moved: Closed[] = []
/** A check of the proxy comes in before there is a sign-in, with a token of a few minutes. */
const BY_TOKEN = '/api/v1/settings/proxy-check/'
const byToken: Closed[] = []
/** Slack calls with its signature, and without a person. */
const BY_SIGNATURE = '/api/v1/tickets/slack/interactions/'
const bySignature: Closed[] = []
let leaver: Person
beforeAll(async () => {
  const { paths } = fine(await call('GET', '/api/docs/')) as { paths: Record<string, Record<string, Operation>> }
  for (const [path, { parameters: _, ...operations }] of Object.entries(paths))
    for (const [method, { security }] of Object.entries(operations)) {
      if (!path.startsWith('/api/')) continue // pages, and protocols with doors of their own
      const isOpen = security?.length === 0
      if (!isOpen) closed.push({ method: method.toUpperCase(), path })
      else if (path.startsWith(BY_TOKEN)) byToken.push({ method: method.toUpperCase(), path })
      else if (path === BY_SIGNATURE) bySignature.push({ method: method.toUpperCase(), path })
      // Addresses of older clients lead to those of today, where who comes is asked.
      else if (!MAY_BE_OPEN.test(path)) moved.push({ method: method.toUpperCase(), path })
    }
  leaver = await aPerson()
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${leaver.id}/`, { is_active: false }))
})

const filled = (path: string) => path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000001')

test('routes that the document of the API does not call open refuse nobody, wrong credentials and people who were disabled', async () => {
  expect(closed.length).toBeGreaterThan(400)
  const wrong: string[] = []
  const credentials: Record<string, Record<string, string>> = {
    nobody: {},
    'a wrong session': { cookie: 'sessionid=AAAA; csrftoken=b', 'x-csrftoken': 'b' },
    'somebody disabled': { authorization: `Bearer ${leaver.token}` },
  }
  for (const [name, headers] of Object.entries(credentials)) {
    const tries = closed.map(({ method, path }, n) => async (): Promise<void> => {
      // The whole list for nobody; of the others every third, each time another.
      if (name !== 'nobody' && n % 3) return
      const { status, text }: Answer = await call(method, filled(path), method === 'GET' ? undefined : {}, headers)
      if (status !== 401) wrong.push(`${method} ${path} as ${name}: ${status} ${text.slice(0, 80)}`)
    })
    for (let n = 0; n < tries.length; n += 20) await Promise.all(tries.slice(n, n + 20).map((one) => one()))
  }
  for (const { method, path } of moved) {
    const { status } = await call(method, filled(path), method === 'GET' ? undefined : {})
    if (status !== 307) wrong.push(`${method} ${path} is open to everybody: ${status}`)
  }
  expect(byToken.length).toBeGreaterThan(3)
  // OPTIONS says what a route takes, and does nothing.
  for (const { method, path } of byToken.filter((route) => route.method !== 'OPTIONS'))
    for (const token of ['', 'AAAA']) {
      const { status } = await call(method, path, method === 'GET' ? undefined : {}, { 'x-proxy-check': token })
      if (status !== 404) wrong.push(`${method} ${path} without a token: ${status}`)
    }
  expect(bySignature.map(({ method }) => method)).toContain('POST')
  for (const { method, path } of bySignature.filter((route) => route.method !== 'OPTIONS')) {
    const { status } = await call(
      method,
      path,
      {},
      { 'x-slack-signature': 'v0=AAAA', 'x-slack-request-timestamp': '1' },
    )
    if (status !== 401) wrong.push(`${method} ${path} without a right signature: ${status}`)
  }
  expect(wrong).toEqual([])
})

test('a refusal says no more than that: no stack, no path, no version, and the same for what exists and what does not', async () => {
  const keeper = await admin()
  const person = await aPerson()
  const existing = await person.call('GET', `/api/v1/users/users/${keeper.id}/`)
  const absent = await person.call('GET', '/api/v1/users/users/00000000-0000-4000-8000-000000000001/')
  expect([existing.status, existing.body]).toEqual([absent.status, absent.body])
  for (const { headers, text } of [
    existing,
    absent,
    await call('GET', '/api/v1/no/such/thing/'),
    await call('POST', '/api/v1/users/users/', '{"a":'),
  ]) {
    expect(text).not.toMatch(/node_modules|\.ts:|at \w+ \(|SELECT|postgres/i)
    expect(headers.get('server')).toBeNull()
    expect(headers.get('x-powered-by')).toBeNull()
  }
})
