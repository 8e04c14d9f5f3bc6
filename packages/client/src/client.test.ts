import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { accessKey, bearer, browserSession, session } from './credentials.ts'
import { ApiError, ConnectionError, TimeoutError } from './errors.ts'

type Answer = Response | Error | ((sent: RequestInit) => Promise<Response>)

/** A client whose server answers one after the other, and the calls that it was sent. */
function aClient(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const calls: { url: URL; sent: RequestInit; headers: Headers }[] = []
  const fetch = async (input: string | URL | Request, sent: RequestInit = {}) => {
    calls.push({ url: new URL(String(input)), sent, headers: new Headers(sent.headers) })
    const answer = answers.shift() ?? json({})
    if (typeof answer === 'function') return answer(sent)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { client: createClient({ url: 'https://gate.test', fetch, ...options }), calls }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const broken = () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
/** Answers only once it is given up. */
const never = ({ signal }: RequestInit) =>
  new Promise<Response>((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

test('a list is read page by page, as its rows are wanted, with its filters', async () => {
  const rows = Array.from({ length: 150 }, (_, n) => ({ id: String(n), hostname: `web-${n}` }))
  const page = (from: number) => json({ count: 150, results: rows.slice(from, from + 100) })
  const { client, calls } = aClient([page(0), page(100)])
  const found = client.resource(grantedAsset).list({ search: 'web', ip: undefined, fields: ['id', 'hostname'] })
  const first = await found.next()
  expect([first.value, calls.length]).toEqual([rows[0], 1])
  expect(await Array.fromAsync(found)).toEqual(rows.slice(1))
  expect(calls.map(({ url }) => url.search)).toEqual([
    '?search=web&fields=id%2Chostname&limit=100&offset=0',
    '?search=web&fields=id%2Chostname&limit=100&offset=100',
  ])
})

test('calls that change nothing are sent again when nobody answers, others are not', async () => {
  const again = aClient([broken(), json({}, 503, { 'retry-after': '0' }), json({ done: true })])
  expect(await again.client.get('/api/v1/index/')).toEqual({ done: true })
  expect(again.calls.length).toBe(3)
  const once = aClient([broken(), json({ done: true })])
  await expect(once.client.post('/api/v1/users/users/', {})).rejects.toThrow(ConnectionError)
  expect(once.calls.length).toBe(1)
  const enough = aClient([broken(), broken(), json({})], { retries: 1 })
  await expect(enough.client.get('/')).rejects.toThrow('connect ECONNREFUSED')
  const refused = aClient([json({ detail: 'no', code: 'permission_denied' }, 403)])
  await expect(refused.client.get('/')).rejects.toMatchObject({ status: 403, code: 'permission_denied', message: 'no' })
})

test('a refusal names the fields that are wrong, of each row where there are many', async () => {
  const { client } = aClient([
    json({ hostname: ['This field is required.'], protocols: [[], ['Wrong.']] }, 400),
    json([{}, { ip: ['This field must be unique.'] }], 400),
    json({ error: 'browser_waiting', msg: 'Not confirmed yet' }, 400),
    json({ detail: 'Internal server error', code: 'internal', request_id: 'req-7' }, 500),
  ])
  const failed = (call: Promise<unknown>) => call.then(undefined, (error: unknown) => error as ApiError)
  expect(await failed(client.post('/', {}))).toMatchObject({
    fields: { hostname: ['This field is required.'], 'protocols.1': ['Wrong.'] },
    message: 'hostname: This field is required.',
    code: '',
  })
  expect((await failed(client.post('/', [])))?.['rows' as never]).toEqual([{}, { ip: ['This field must be unique.'] }])
  expect(await failed(client.post('/'))).toMatchObject({
    code: 'browser_waiting',
    message: 'Not confirmed yet',
    fields: {},
  })
  const fault = await failed(client.post('/'))
  expect(fault).toBeInstanceOf(ApiError)
  expect(fault).toMatchObject({ status: 500, requestId: 'req-7' })
})

test('a call ends when its time is over, and when its caller gives it up, also between two tries', async () => {
  await expect(aClient([never], { timeout: 20 }).client.get('/slow/')).rejects.toThrow(TimeoutError)
  const given = new AbortController()
  const call = aClient([never]).client.get('/', { signal: given.signal })
  given.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  const waiting = new AbortController()
  const { client, calls } = aClient([json({}, 429, { 'retry-after': '3600' })])
  const later = client.get('/', { signal: waiting.signal })
  await expect.poll(() => calls.length).toBe(1)
  waiting.abort(new Error('enough'))
  await expect(later).rejects.toThrow('enough')
})

/** An answer that begins, and whose line then breaks, or which goes on only until it is given up. */
const half =
  (breaks: boolean) =>
  async ({ signal }: RequestInit) =>
    new Response(
      new ReadableStream({
        start(body) {
          body.enqueue(new TextEncoder().encode('{"do'))
          if (breaks) body.error(new TypeError('terminated', { cause: new Error('other side closed') }))
          else if (signal?.aborted) body.error(signal.reason)
          else signal?.addEventListener('abort', () => body.error(signal.reason))
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )

test('a line that breaks within an answer is as one that never answered, and so is a time that is over there', async () => {
  const again = aClient([half(true), json({ done: true })])
  expect(await again.client.get('/')).toEqual({ done: true })
  const text = aClient([half(true), json({ done: true })])
  expect(await text.client.text('/')).toBe('{"done":true}')
  const once = aClient([half(true), json({})])
  const failed = await once.client.post('/', {}).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ConnectionError)
  expect([once.calls.length, String(failed)]).toEqual([1, expect.stringContaining('other side closed')])
  await expect(aClient([half(false)], { timeout: 20 }).client.get('/')).rejects.toThrow(TimeoutError)
  const given = new AbortController()
  const call = aClient([half(false)]).client.get('/', { signal: given.signal })
  given.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test('a caller is known by a token, a signature that is made for each try, or a session', async () => {
  const token = aClient([json({})], { credentials: bearer('secret'), org: 'root', language: 'cn' })
  await token.client.get('/')
  expect(token.calls[0]?.headers.get('authorization')).toBe('Bearer secret')
  expect(token.calls[0]?.headers.get('x-jms-org')).toBe('root')
  expect(token.calls[0]?.headers.get('cookie')).toBe('django_language=zh-hans')
  const key = aClient([broken(), json({})], { credentials: accessKey({ id: 'key-1', secret: 'secret' }) })
  await key.client.get('/a/', { query: { b: 'c d' } })
  const signatures = key.calls.map(({ headers }) => headers.get('authorization'))
  expect(signatures[1]).toMatch(/^Signature keyId="key-1",algorithm="hmac-sha256",headers="\(request-target\) date",/)
  expect(key.calls[1]?.headers.get('date')).toMatch(/GMT$/)
  const ofCookies = aClient([json({})], { credentials: session({ sessionid: 's', csrftoken: 't' }), language: 'en' })
  await ofCookies.client.post('/', {})
  expect(ofCookies.calls[0]?.headers.get('cookie')).toBe('django_language=en; sessionid=s; csrftoken=t')
  expect(ofCookies.calls[0]?.headers.get('x-csrftoken')).toBe('t')
  const ofPage = aClient([json({})], { credentials: browserSession() })
  await ofPage.client.get('/')
  expect(ofPage.calls[0]?.sent.credentials).toBe('same-origin')
})
