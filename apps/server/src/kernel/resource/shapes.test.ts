import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealedBytes } from '../secrets/sealed-json.ts'
import { admin, openEngineFixture, type Store, type StoreDraft } from './engine-fixture.ts'

type Row = Record<string, unknown>

const STORES = '/api/v1/test/stores/'
const KEY = 'open-sesame-1'

let fixture: Awaited<ReturnType<typeof openEngineFixture>>
beforeAll(async () => {
  fixture = await openEngineFixture()
})
afterAll(() => fixture?.close())

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'OPTIONS',
  url: string,
  body?: unknown,
  type = 'application/json',
) {
  const answer = await fixture.app.inject({
    method,
    url,
    headers: { ...admin, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { payload: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  })
  const isJson = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, body: isJson ? answer.json() : answer.body, raw: answer.rawPayload }
}

let made = 0
/** A store as the API answers it; refused ones fail the test. */
async function aStore(more: Row): Promise<Row> {
  const { status, body } = await call('POST', STORES, { name: `store ${++made}`, ...more })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const aBucket = (meta: Row = {}) =>
  aStore({ type: 'bucket', meta: { endpoint: 'http://a.test', access_key: 'reader', secret_key: KEY, ...meta } })

/** The meta of a row as stored. */
async function storedMeta(id: unknown): Promise<Record<string, unknown>> {
  const { rows } = await fixture.pool.query('SELECT meta FROM test_store WHERE id = $1', [id])
  return rows[0].meta
}
const opened = (value: unknown) =>
  fixture.kernel.secrets.open('test', 'objects')(sealedBytes(value as { $sealed: string }))

test('an object is read by the fields of its type: defaults filled, text trimmed, foreign keys dropped', async () => {
  const folder = await aStore({ type: 'folder', meta: { path: ' /srv ', endpoint: 'http://a.test', other: 1 } })
  expect(folder.meta).toEqual({ path: '/srv', quota: 10, shelf: null })
  expect((await aBucket()).meta).toEqual({ endpoint: 'http://a.test', scheme: 'https' })
  expect((await aStore({ type: 'none', meta: { path: '/srv' } })).meta).toEqual({})
})

test('each fault is reported under its own field, at any depth', async () => {
  const bad = await call('POST', STORES, {
    name: 'bad',
    type: 'bucket',
    meta: { endpoint: 'no url', scheme: 'ftp', access_key: 'reader' },
  })
  expect(bad).toMatchObject({
    status: 400,
    body: {
      meta: {
        endpoint: ['Enter a valid URL.'],
        scheme: ['"ftp" is not a valid choice.'],
        secret_key: ['This field is required.'],
      },
    },
  })
  expect((await call('POST', STORES, { name: 'bad', type: 'folder' })).body).toEqual({
    meta: ['This field is required.'],
  })
  expect((await call('POST', STORES, { name: 'bad', type: 'folder', meta: [] })).body).toEqual({
    meta: ['Invalid data. Expected an object.'],
  })
  // The type is what is wrong, and the rest can't be judged.
  expect(Object.keys((await call('POST', STORES, { name: 'bad', type: 'tape', meta: {} })).body)).toEqual(['type'])
})

test('rows of both types in one call: all or nothing, faults by row', async () => {
  const rows = [
    { name: 'bulk 1', type: 'folder', meta: { path: '/one' } },
    { name: 'bulk 2', type: 'bucket', meta: { endpoint: 'http://b.test' } },
  ]
  expect(await call('POST', STORES, rows)).toMatchObject({
    status: 400,
    body: [{}, { meta: { secret_key: ['This field is required.'] } }],
  })
  expect((await call('GET', `${STORES}?name=bulk+1`)).body).toEqual([])
  const [first, second] = [await aStore({ type: 'folder', meta: { path: '/one' } }), await aBucket()]
  const changed = await call('PATCH', STORES, [
    { id: first.id, meta: { quota: 5 } },
    { id: second.id, meta: { scheme: 'http' } },
  ])
  expect(changed.body.map(({ meta }: Row) => meta)).toEqual([
    { path: '/one', quota: 5, shelf: null },
    { endpoint: 'http://a.test', scheme: 'http' },
  ])
})

test('PATCH and PUT change what is sent inside and leave the rest', async () => {
  const { id, name } = await aStore({ type: 'folder', meta: { path: '/srv', quota: 7 } })
  expect((await call('PATCH', `${STORES}${id}/`, { meta: { path: '/mnt' } })).body.meta).toEqual({
    path: '/mnt',
    quota: 7,
    shelf: null,
  })
  expect((await call('PATCH', `${STORES}${id}/`, { name: 'renamed' })).body.meta).toEqual({
    path: '/mnt',
    quota: 7,
    shelf: null,
  })
  expect((await call('PUT', `${STORES}${id}/`, { name, type: 'folder', meta: { quota: 8 } })).body.meta).toMatchObject({
    path: '/mnt',
    quota: 8,
  })
  expect((await call('PUT', `${STORES}${id}/`, { name, type: 'folder' })).body).toEqual({
    meta: ['This field is required.'],
  })
  expect((await call('PATCH', `${STORES}${id}/`, { meta: { path: '' } })).body).toEqual({
    meta: { path: ['This field may not be blank.'] },
  })
})

test('another type needs the whole object of that type, and nothing of the old one stays', async () => {
  const { id } = await aBucket()
  expect(await call('PATCH', `${STORES}${id}/`, { type: 'folder' })).toMatchObject({
    status: 400,
    body: { meta: ['This field is required.'] },
  })
  expect((await call('PATCH', `${STORES}${id}/`, { type: 'folder', meta: { quota: 3 } })).body).toEqual({
    meta: { path: ['This field is required.'] },
  })
  expect((await call('PATCH', `${STORES}${id}/`, { type: 'folder', meta: { path: '/srv' } })).body.meta).toMatchObject({
    path: '/srv',
  })
  expect(Object.keys(await storedMeta(id)).sort()).toEqual(['path', 'quota'])
  const back = await call('PATCH', `${STORES}${id}/`, { type: 'bucket', meta: { endpoint: 'http://a.test' } })
  expect(back.body).toEqual({ meta: { secret_key: ['This field is required.'] } })
})

test('secrets inside are sealed one by one, and kept as long as none is sent and the type stays', async () => {
  const { id, name } = await aBucket()
  const before = await storedMeta(id)
  expect(JSON.stringify(before)).not.toContain(KEY)
  expect([opened(before.access_key), opened(before.secret_key)]).toEqual(['reader', KEY])
  expect(before.access_key).toEqual({ $sealed: expect.any(String) })

  await call('PATCH', `${STORES}${id}/`, { meta: { scheme: 'http' } })
  await call('PATCH', `${STORES}${id}/`, { meta: { secret_key: '', access_key: null } })
  await call('PUT', `${STORES}${id}/`, { name, type: 'bucket', meta: { endpoint: 'http://b.test', secret_key: '' } })
  expect(await storedMeta(id)).toEqual({ ...before, endpoint: 'http://b.test', scheme: 'http' })

  await call('PATCH', `${STORES}${id}/`, { meta: { secret_key: 'another' } })
  const after = await storedMeta(id)
  expect(opened(after.secret_key)).toBe('another')
  expect(after.access_key).toEqual(before.access_key)

  await call('PATCH', `${STORES}${id}/`, { type: 'none', meta: {} })
  expect(await storedMeta(id)).toEqual({})
})

test('a value that only looks sealed is refused', async () => {
  const forged = await call('POST', STORES, {
    name: 'forged',
    type: 'bucket',
    meta: { endpoint: 'http://a.test', secret_key: { $sealed: 'AAAA' } },
  })
  expect(forged.body).toEqual({ meta: { secret_key: ['Not a valid string.'] } })
})

test('[A5.26] no answer, list, export, update file or operate log holds a secret, sealed or not', async () => {
  fixture.operations.length = 0
  const created = await aBucket()
  const url = `${STORES}${created.id}/`
  const answers = [
    JSON.stringify(created),
    JSON.stringify((await call('PATCH', url, { meta: { secret_key: KEY } })).body),
    JSON.stringify((await call('GET', url)).body),
    JSON.stringify((await call('GET', STORES)).body),
    (await call('GET', `${STORES}?format=csv`)).raw.toString(),
    (await call('GET', `${STORES}?format=csv&template=update`)).raw.toString(),
  ]
  const log = JSON.stringify(fixture.operations)
  expect(fixture.operations.map(({ action }) => action)).toEqual(['create', 'update', 'export', 'export'])
  for (const text of [...answers, log]) {
    expect(text).not.toContain(KEY)
    expect(text).not.toContain('sealed')
  }
  for (const answer of answers) expect(answer).not.toContain('secret_key')
  // That it was set is logged, and nothing of it.
  expect(fixture.operations[1]?.changes).toEqual([{ field: 'meta.secret_key', is_secret: true }])
  // The answers without the secret do hold the row.
  expect(answers.every((answer) => answer.includes('http://a.test'))).toBe(true)
})

test('[B7.43] a row that is exported to be updated is imported unchanged, its secrets too', async () => {
  const { id, name } = await aBucket({ scheme: 'http' })
  const before = await storedMeta(id)
  const file = await call('GET', `${STORES}?format=csv&template=update&ids=${id}`)
  const preview = await call('POST', `${STORES}render-to-json/`, file.raw, 'text/csv')
  expect(preview.body.data).toEqual([{ id, name, type: 'bucket', meta: { endpoint: 'http://a.test', scheme: 'http' } }])
  expect((await call('PUT', STORES, preview.body.data)).status).toBe(200)
  expect(await storedMeta(id)).toEqual(before)
})

test('[B7.43] an import template shows an object of the type that it shows, and can be imported back', async () => {
  const template = await call('GET', `${STORES}?format=csv&template=import`)
  const preview = await call('POST', `${STORES}render-to-json/`, template.raw, 'text/csv')
  expect(preview.body.data).toEqual([{ name: 'Name', type: 'folder', meta: { path: 'Path', quota: 10, shelf: '' } }])
  expect((await call('POST', STORES, preview.body.data)).status).toBe(201)
})

test('OPTIONS describes the object of the type that the query names', async () => {
  const metaOf = async (query: string) => (await call('OPTIONS', `${STORES}${query}`)).body.actions.POST.meta
  expect(await metaOf('?type=bucket')).toMatchObject({
    type: 'nested object',
    required: true,
    shape_by: 'type',
    children: {
      endpoint: { type: 'url', required: true },
      scheme: { type: 'choice', default: 'https' },
      secret_key: { type: 'string', required: true, write_only: true, max_length: 32 },
    },
  })
  expect(Object.keys((await metaOf('?type=folder')).children)).toEqual(['path', 'quota', 'shelf'])
  for (const query of ['', '?type=none', '?type=toString']) expect((await metaOf(query)).children).toEqual({})
})

test('OPTIONS of a row describes the object as that row has it, unless the query names another type', async () => {
  const { id } = await aBucket({ scheme: 'http' })
  const childrenAt = async (path: string) =>
    Object.keys((await call('OPTIONS', `${STORES}${path}`)).body.actions.PUT.meta.children)
  expect(await childrenAt(`${id}/`)).toContain('endpoint')
  expect(await childrenAt(`${id}/?type=folder`)).toEqual(['path', 'quota', 'shelf'])
  expect(await childrenAt('33333333-3333-4333-8333-333333333333/')).toEqual([])
})

test('[B7.27] the API document requires on create what must be sent, and nothing on PATCH', async () => {
  const { paths, components } = (await call('GET', '/api/docs/')).body
  const bodyOf = (method: string) => paths[`${STORES}{id}/`][method].requestBody.content['application/json'].schema
  expect(bodyOf('put')).toEqual({ $ref: '#/components/schemas/store_draft' })
  expect(bodyOf('patch')).toEqual({ $ref: '#/components/schemas/store_changes' })
  expect(components.schemas.store_draft.required).toContain('name')
  expect(components.schemas.store_changes.required).toBeUndefined()
  expect(Object.keys(components.schemas.store_changes.properties)).toEqual(
    Object.keys(components.schemas.store_draft.properties),
  )
})

test('the API document has one form of the row for each type, and secrets only in what is written', async () => {
  const { schemas } = (await call('GET', '/api/docs/')).body.components
  const shapes = (schema: { oneOf: { properties: { type: Row; meta: Row } }[] }) =>
    schema.oneOf.map(({ properties: { type, meta } }) => [
      type.const,
      Object.keys(meta.properties as Row),
      meta.required,
    ])
  expect(shapes(schemas.store)).toEqual([
    ['folder', ['path', 'quota', 'shelf'], undefined],
    ['bucket', ['endpoint', 'scheme'], undefined],
    ['none', [], undefined],
  ])
  expect(shapes(schemas.store_draft)).toEqual([
    ['folder', ['path', 'quota', 'shelf'], ['path']],
    ['bucket', ['endpoint', 'scheme', 'access_key', 'secret_key'], ['endpoint', 'secret_key']],
    ['none', [], undefined],
  ])
  expect(schemas.store_draft.oneOf[1]).toMatchObject({
    title: 'Bucket',
    properties: { meta: { properties: { secret_key: { type: 'string', maxLength: 32, writeOnly: true } } } },
    required: ['type'],
  })
  expect(schemas.book.oneOf).toBeUndefined()
})

test('a reference inside must exist, and may be meant by its name', async () => {
  const shelf = (await call('POST', '/api/v1/test/shelves/', { name: 'cellar' })).body
  const { id } = await aStore({ type: 'folder', meta: { path: '/srv', shelf: 'cellar' } })
  expect((await storedMeta(id)).shelf).toBe(shelf.id)
  const unknown = await call('PATCH', `${STORES}${id}/`, { meta: { shelf: '33333333-3333-4333-8333-333333333333' } })
  expect(unknown).toMatchObject({
    status: 400,
    body: { meta: { shelf: [expect.stringContaining('object does not exist')] } },
  })
})

test('the type says what the object holds: `tsc` tests this', () => {
  const read = (store: Store): unknown => {
    if (store.type === 'folder') return store.meta.path.length + store.meta.quota
    if (store.type === 'bucket') return store.meta.scheme satisfies 'http' | 'https'
    // @ts-expect-error a type without a shape holds nothing
    return store.meta.path satisfies string
  }
  // @ts-expect-error secrets never come back
  const secretOf = (store: Store) => store.type === 'bucket' && store.meta.secret_key
  // @ts-expect-error a bucket has no path
  const wrong: StoreDraft = { name: 'a', type: 'bucket', meta: { path: '/srv' } }
  const right: StoreDraft = { name: 'a', type: 'bucket', meta: { endpoint: 'http://a.test', secret_key: KEY } }
  expect([read, secretOf, wrong, right]).toHaveLength(4)
})
