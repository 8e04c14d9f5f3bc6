/** A filter narrows, an unreadable value is refused, and an unknown key is reported. */
import type { Filter, ResourceDefinition } from '@sallyport/contract/define.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openTestServer, type TestServer } from '../server.ts'
import { callOf, makeOthers } from './foreign-ids.ts'
import { makeOneOfEach, type OneOfEach } from './one-of-each.ts'

let server: TestServer
let own: OneOfEach

beforeAll(async () => {
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  const other = await server.aPerson('other')
  own = { ...(await makeOneOfEach(server, server.admin)), user: { id: other.id } }
  await makeOthers(server.kernel.routes, own, server.admin.post)
})
afterAll(() => server?.close())

const NOTHING_HAS = 'nothing-has-this-9'
const NO_ID = '11111111-1111-4111-8111-111111111111'

const get = (path: string, headers: Record<string, string> = {}) =>
  server.call('GET', path, {
    headers: { authorization: `Bearer ${server.admin.token}`, 'x-jms-org': 'default', ...headers },
  })
const amount = ({ body }: Answer): number => body.count ?? body.length
const named = (filter: string | Filter): Filter => (typeof filter === 'string' ? { name: filter } : filter)

/** What lists are about that answer nothing without it. */
const ASKED: Readonly<Record<string, () => string>> = {
  login_acl: () => `user=${own.user?.id}&`,
  command: () => `session_id=${own.session?.id}&`,
  access_person: () => `asset_id=${own.asset?.id}&`,
  access_target: () => `user_id=${own.user?.id}&`,
}
const listed = resources.filter(({ operations, path }) => operations.includes('list') && !path.includes('/:terminal'))
const listOf = ({ path, name }: ResourceDefinition) =>
  `${path.replace(':filter_id', String(own.command_filter?.id)).replace(':task_id', String(own.sync_instance_task?.id))}?${ASKED[name]?.() ?? ''}limit=100&offset=0`

/** Keys that choose how rows are shown, or how another key is meant, and narrow nothing by themselves. */
const SHAPES = ['domain gateway', 'label distinct', 'user all', 'asset_permission all', 'application_permission all']

/** The lists that can be read, with how many rows they have. */
async function readable(): Promise<[ResourceDefinition, number][]> {
  const found: [ResourceDefinition, number][] = []
  for (const definition of listed) {
    const answer = await get(listOf(definition))
    if (answer.status === 200) found.push([definition, amount(answer)])
  }
  return found
}

test('every filter of every list narrows it to nothing by a value that nothing has, or the value is refused', async () => {
  const wrong: string[] = []
  let tried = 0
  for (const [definition, all] of await readable())
    for (const { name } of definition.filters.map(named))
      for (const value of [NOTHING_HAS, NO_ID]) {
        const answer = await get(`${listOf(definition)}&${name}=${value}`)
        const place = `${definition.name} ${name}`
        if (all) tried++
        if (answer.status >= 500 || (answer.status === 200 && amount(answer) > 0 && !SHAPES.includes(place)))
          wrong.push(`${place}=${value}: ${answer.status}, ${amount(answer)} of ${all}`)
      }
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(300)
})

/** What text can't be: kinds of fields, and filters that are no field. */
const isReadAs = (definition: ResourceDefinition, { name, match, type }: Filter): boolean => {
  if (name === 'date_from' || name === 'date_to') return true
  if (match === 'contains' || match === 'startsWith') return false
  const field = definition.fields[name]
  const refers = field?.to && field.by !== 'name' && ['uuid', 'integer'].includes(String(idTypeOf(field.to)))
  return type === 'boolean' || /^(boolean|datetime|uuid)$/.test(field?.type ?? '') || Boolean(refers)
}
const idTypeOf = (resource: string) => resources.find(({ name }) => name === resource)?.fields.id?.type

/**
 * Anything but the words for yes means no; of a list of ids each counts that is one; an unknown task is
 * 404, and rules of nobody are nobody's to read.
 */
const LENIENT = ['site_message has_read', 'organization_member id', 'adhoc task', 'login_acl user', ...SHAPES]

test('a value that cannot be read is refused, and so are an order by nothing and a page that is none', async () => {
  const wrong: string[] = []
  const refused = async (place: string, address: string, key: string) => {
    const { status, body } = await get(address)
    if (status !== 400 || !(key in body || body.code === 'bad_request')) wrong.push(`${place}: ${status}`)
  }
  for (const [definition] of await readable()) {
    const list = listOf(definition)
    for (const filter of definition.filters.map(named).filter((one) => isReadAs(definition, one))) {
      const place = `${definition.name} ${filter.name}`
      if (!LENIENT.includes(place)) await refused(place, `${list}&${filter.name}=${NOTHING_HAS}`, filter.name)
    }
    await refused(`${definition.name} order`, `${list}&order=${NOTHING_HAS}`, 'order')
    // What every object has is no column either.
    for (const name of ['__proto__', '-constructor'])
      await refused(`${definition.name} order ${name}`, `${list}&order=${name}`, 'order')
    await refused(`${definition.name} limit`, `${list}&limit=many`, 'limit')
  }
  expect(wrong).toEqual([])
})

test('a key that no list knows is named in the answer, and refused where the client prefers that', async () => {
  const wrong: string[] = []
  const strict = { prefer: 'respond-async, handling=strict' }
  for (const [definition] of await readable()) {
    const list = listOf(definition)
    const known = `${list}&search=&order=&draw=1&display=1`
    const lenient = await get(`${known}&color=red`)
    if (lenient.status !== 200 || lenient.headers['sallyport-ignored-query'] !== 'color')
      wrong.push(`${definition.name}: ${lenient.status} names ${lenient.headers['sallyport-ignored-query']}`)
    const refused = await get(`${known}&color=red`, strict)
    if (refused.status !== 400 || !('color' in refused.body)) wrong.push(`${definition.name}: strict ${refused.status}`)
    // Each filter counts as known, whatever its value comes to.
    const asked = ASKED[definition.name]?.() ?? ''
    const all = definition.filters.map(named).flatMap(({ name }) => (asked.startsWith(`${name}=`) ? [] : [`${name}=`]))
    const answer = await get(`${known}&${all.join('&')}`, strict)
    if (answer.status !== 200 || answer.headers['sallyport-ignored-query'])
      wrong.push(`${definition.name}: its own keys ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
  }
  expect(wrong).toEqual([])
})

test('unknown keys are named beside the known ones, in a form that fits into a header; nothing is done to rows by a key that narrows nothing', async () => {
  const { headers, status } = await get('/api/v1/assets/labels/?name=x&a=1&%E4%BD%A0=1&a%0Ab=1')
  expect([status, headers['sallyport-ignored-query']]).toEqual([200, 'a, %E4%BD%A0, a%0Ab'])
  const plain = await get('/api/v1/assets/labels/?&name=x&&name=y')
  expect([plain.status, plain.headers['sallyport-ignored-query']]).toEqual([200, undefined])
  expect(
    (await get('/api/v1/assets/labels/?name=x', { prefer: 'handling=strict' })).headers['preference-applied'],
  ).toBe('handling=strict')
  const before = amount(await get('/api/v1/assets/labels/?limit=10'))
  const { status: refused } = await server.call('DELETE', '/api/v1/assets/labels/?value=prod&nam=other', {
    headers: { authorization: `Bearer ${server.admin.token}`, prefer: 'handling=strict' },
  })
  expect([refused, amount(await get('/api/v1/assets/labels/?limit=10'))]).toEqual([400, before])
})

test('every address that answers refuses a page that is none, a list an order by nothing, and a key that nobody knows where that is preferred', async () => {
  const strict = { prefer: 'handling=strict' }
  const wrong: string[] = []
  let tried = 0
  for (const route of server.kernel.routes) {
    if (route.method !== 'GET' || route.config.changesOnGet || !route.url.startsWith('/api/')) continue
    const { address } = callOf(own, route)
    const asked = `${address}${address.includes('?') ? '&' : '?'}`
    const plain = await get(address)
    if (plain.status !== 200) continue
    tried++
    for (const query of ['limit=many', 'limit=-1', 'limit=1&offset=-1', 'offset=-1', 'offset=some']) {
      const { status } = await get(`${asked}${query}`)
      if (status !== 400) wrong.push(`${route.url} ${query}: ${status}`)
    }
    // A list without a choice of orders, too: a list shown in another order than asked for is a
    // mistake.
    if (Array.isArray(plain.body.results ?? plain.body)) {
      const { status, body } = await get(`${asked}order=${NOTHING_HAS}`)
      if (status !== 400 || !('order' in body)) wrong.push(`${route.url} order: ${status}`)
    }
    const { status, body } = await get(`${asked}color=red`, strict)
    if (status !== 400 || !('color' in body)) wrong.push(`${route.url}: strict ${status}`)
  }
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(200)
})

test('a list that is sent as it is read, and an export of it, count their filters as known', async () => {
  const strict = { prefer: 'handling=strict' }
  for (const query of ['name=env', 'format=csv&name=env', 'format=xlsx&name=env&search=x&order=name'])
    expect((await get(`/api/v1/assets/labels/?${query}`, strict)).status, query).toBe(200)
  expect((await get('/api/v1/assets/labels/?format=csv&color=red', strict)).status).toBe(400)
  expect((await get('/api/v1/assets/labels/?format=csv&limit=many')).status).toBe(400)
  // As browsers follow a link: they name what had no effect, and save the file.
  const saved = await get('/api/v1/assets/labels/?format=csv&color=red', { 'sec-fetch-mode': 'navigate' })
  expect([saved.status, saved.headers['sallyport-ignored-query']]).toEqual([200, 'color'])
  expect(String(saved.headers['content-disposition'])).toContain('attachment')
})

test('a key of a query is never taken for more than a name', async () => {
  const strict = { prefer: 'handling=strict' }
  const keys = [
    '__proto__.polluted',
    'constructor.prototype.polluted',
    '__proto__',
    'plain.length',
    'plain.0',
    'x.y',
    'a.4000000000',
  ]
  for (const address of ['/api/health/', '/api/v1/assets/labels/']) {
    const query = keys.map((key) => `${key}=1`).join('&')
    const { status, body } = await get(`${address}?${query}`, strict)
    expect([status, Object.keys(body)]).toEqual([400, keys])
    expect((await get(`${address}?${query}`)).headers['sallyport-ignored-query']).toBe(keys.join(', '))
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})
