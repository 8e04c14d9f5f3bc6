import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { signed } from '../../../test/signed.ts'

const PROFILE = '/api/v1/users/profile/'
const OF_PERSON = 20
const OF_ADDRESS = 30

let server: TestServer
let flooder: Caller
let neighbor: Caller
beforeAll(async () => {
  server = await openTestServer({
    SALLYPORT_REQUESTS_PER_PERSON: String(OF_PERSON),
    SALLYPORT_REQUESTS_PER_ADDRESS: String(OF_ADDRESS),
    SALLYPORT_TRUSTED_PROXIES: '127.0.0.1',
  })
  flooder = await server.aPerson('flooder')
  neighbor = await server.aPerson('neighbor')
})
afterAll(() => server?.close())

const from = (address: string, headers: Record<string, string> = {}) =>
  server.call('GET', PROFILE, { headers: { 'x-forwarded-for': address, ...headers } })
const times = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask))

test('a client above its limit is asked to wait, with the time; a neighbor at the same address is not affected', async () => {
  const answers = await times(2 * OF_PERSON, () => flooder.get(PROFILE))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(OF_PERSON)
  expect(refused).toHaveLength(OF_PERSON)
  expect(refused[0]).toMatchObject({
    body: { code: 'too_many_requests', detail: 'Too many requests: try again in a minute' },
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  })
  expect(Number(refused[0]?.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect((await neighbor.get(PROFILE)).status).toBe(200)
})

test('an address of which nobody is known has its own share, wrong credentials included, and others keep theirs', async () => {
  const wrong = { authorization: 'Bearer made-up' }
  const statuses: number[] = []
  for (let n = 0; n < OF_ADDRESS + 5; n++) statuses.push((await from('192.0.2.7', wrong)).status)
  expect(statuses).toEqual([...Array(OF_ADDRESS).fill(401), ...Array(5).fill(429)])
  expect((await from('192.0.2.8', wrong)).status).toBe(401)
})

test('a request to a public route counts once for its address', async () => {
  const health = () => server.call('GET', '/api/health/', { headers: { 'x-forwarded-for': '192.0.2.9' } })
  const statuses: number[] = []
  for (let n = 0; n < OF_ADDRESS + 1; n++) statuses.push((await health()).status)
  expect(statuses).toEqual([...Array(OF_ADDRESS).fill(200), 429])
})

test('the addresses of one IPv6 network share', async () => {
  for (let host = 1; host <= OF_ADDRESS; host++)
    expect((await from(`2001:db8:1:2::${host.toString(16)}`)).status).toBe(401)
  expect((await from('2001:db8:1:2::ffff')).status).toBe(429)
  expect((await from('2001:db8:1:3::1')).status).toBe(401)
})

test('registered components have no limit', async () => {
  const { body } = await server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: 'a-gateway', type: 'koko' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const headers = signed(PROFILE, body.service_account.access_key)
  const answers = await times(2 * OF_PERSON, () => server.call('GET', PROFILE, { headers }))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})
