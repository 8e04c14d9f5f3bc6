import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { MANY_ROWS, readJson } from './read-json.ts'

const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => ({
    hostname: `m${row}`,
    'it\'s "{[:,': '\\',
    nodes: ['a', 'b'],
    meta: { x: { y: [{}] } },
  }))

describe('readJson', () => {
  test('reads ten thousand rows as JSON.parse does', () => {
    const text = JSON.stringify(rows(10_000))
    expect(readJson(text, MANY_ROWS)).toEqual(JSON.parse(text))
  })

  test.each([
    ['brackets within brackets', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects within objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    [
      'different keys of one object',
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, key) => [`k${key}`, 1]))),
    ],
    [
      'different keys of many objects',
      JSON.stringify(Array.from({ length: 10_001 }, (_, key) => ({ [`k${key}`]: 1 }))),
    ],
    [
      'orders of the same keys',
      JSON.stringify(
        Array.from({ length: 10_000 }, (_, one) =>
          Object.fromEntries([...`${one}`].map((digit, at) => [`${at}${digit}`, 1])),
        ),
      ),
    ],
    ['levels of a small text', '['.repeat(65) + ']'.repeat(65)],
    ['empty objects', JSON.stringify(Array.from({ length: 500_001 }, () => ({})))],
    ['numbers', JSON.stringify(Array.from({ length: 2_000_002 }, () => 1))],
  ])('refuses too many %s', (_, text) => {
    expect(() => readJson(text, MANY_ROWS)).toThrow(RangeError)
  })

  test('signs within strings are no brackets and no keys, and a cut text is no JSON', () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, key) => `k${key}:[[[{"`))
    expect(readJson(text)).toHaveLength(20_000)
    expect(() => readJson(`${text.slice(0, -2)}`)).toThrow(SyntaxError)
  })
})

describe('bodies', () => {
  let server: TestServer
  let admin: Caller
  beforeAll(async () => {
    server = await openTestServer()
    admin = await server.aPerson('admin-of-org', { orgRoles: ['Admin'] })
  })
  afterAll(() => server?.close())

  test('nobody who is not signed in makes the server read more than 64 kB, on any route', async () => {
    const ofBytes = (bytes: number) => ({ username: 'x'.repeat(bytes - '{"username":""}'.length) })
    const body = ofBytes(64 * 1024 + 1)
    const open = server.kernel.routes.filter(({ method, access }) => method === 'POST' && access.includes('anonymous'))
    expect(open.length).toBeGreaterThan(10)
    const answered: string[] = []
    for (const { method, url } of open) {
      const { status } = await server.call(method, url.replaceAll(/:\w+/g, 'x'), { body })
      if (status !== 413) answered.push(`${url}: ${status}`)
    }
    // Answers of other sites come back by POST, signed and longer; these routes have a bound of
    // their own. The check of a proxy asks for its token before it reads, and so does SCIM.
    const isMeant = /saml2|cas|sso|third-party|qr|proxy-check.*404$|\/scim\/.*401$/
    expect(answered.filter((line) => !isMeant.test(line))).toEqual([])
    const most = await server.call('POST', '/api/v1/authentication/auth/', { body: ofBytes(64 * 1024) })
    expect(most.status).not.toBe(413)
  })

  test('a table is no larger than any other body, except where one is imported', async () => {
    const table = (url: string, bytes: number) =>
      server.kernel.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'text/csv' },
        payload: Buffer.alloc(bytes, 'a'),
      })
    expect((await table('/api/v1/authentication/auth/', 64 * 1024 + 1)).statusCode).toBe(413)
    expect((await table('/api/v1/assets/labels/render-to-json/', 64 * 1024 + 1)).statusCode).not.toBe(413)
  })

  test('where files of any size are taken, nothing that is put together in memory is', async () => {
    const send = (url: string, method: 'PUT' | 'POST', headers: Record<string, string>) =>
      server.kernel.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${admin.token}`, ...headers },
        payload: '{}',
      })
    const lengths: Record<string, string>[] = [
      { 'content-length': String(600 * 1024 * 1024) },
      { 'transfer-encoding': 'chunked' },
    ]
    for (const type of ['application/json', 'text/csv', 'text/plain', 'application/x-www-form-urlencoded'])
      for (const url of ['/koko/files/content/?path=/a', `/koko/desktops/${admin.id}/files/?name=a`])
        for (const length of lengths) {
          const { statusCode } = await send(url, 'PUT', { 'content-type': type, ...length })
          expect([type, url, statusCode]).toEqual([type, url, 413])
        }
  })

  test('an ordinary call takes 2 MB and 20,000 objects; rows are imported, and ids selected, in larger ones', async () => {
    const ordinary = [
      { name: 'a', value: 'b', comment: 'x'.repeat(2 * 1024 * 1024) },
      { name: 'a', value: 'b', more: Array.from({ length: 20_001 }, () => ({})) },
    ]
    const person = await server.aPerson('plain')
    for (const body of ordinary)
      for (const answer of [
        await person.post('/api/v1/assets/favorite-assets/', [body]),
        await person.patch('/api/v1/users/profile/', body),
        await admin.put('/api/v1/users/profile/', body),
      ])
        expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } })
    const rows = Array.from({ length: 25_000 }, (_, n) => ({ name: 'many', value: `n${n}`, comment: 'x'.repeat(100) }))
    const { status, body } = await admin.post('/api/v1/assets/labels/import-jobs/', { mode: 'create', rows })
    expect(status).toBe(202)
    expect((await admin.delete(`/api/v1/assets/labels/import-jobs/${body.id}/`)).status).toBe(204)
    const resources = Array.from(
      { length: 100_000 },
      (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    )
    expect((await person.post('/api/v1/common/resources/cache/', { resources })).status).toBe(200)
  })

  test('a body out of the bounds is refused with 413 and creates nothing', async () => {
    const before = (await admin.get('/api/v1/assets/labels/?limit=1')).body.count
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, 1]))
    const answer = await admin.post('/api/v1/assets/labels/', { name: 'a', value: 'b', ...many })
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect((await admin.get('/api/v1/assets/labels/?limit=1')).body.count).toBe(before)
  })
})
