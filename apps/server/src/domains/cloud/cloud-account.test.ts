import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { type CloudServer, startClouds } from './providers/cloud-server-fixture.ts'
import { KEYS, publicCloud } from './providers/public-clouds-fixture.ts'

const ACCOUNTS = '/api/v1/xpack/cloud/accounts/'
const REGIONS = '/api/v1/xpack/cloud/regions/'

let clouds: CloudServer
let server: TestServer
beforeAll(async () => {
  clouds = await startClouds(publicCloud)
  clouds.regions = [
    { id: 'cn-shanghai', name: '华东2（上海）' },
    { id: 'cn-hangzhou', name: '华东1（杭州）' },
  ]
  server = await openTestServer({ SALLYPORT_CLOUD_RELAY: clouds.url })
})
afterAll(async () => {
  await server?.close()
  await clouds?.close()
})

const add = (draft: object) => server.admin.post(ACCOUNTS, { provider: 'aliyun', attrs: KEYS, ...draft })

test('[A2.58] an account is tested at its cloud, shows which regions it has, and never its secret', async () => {
  const { status, body } = await add({ name: 'Hangzhou' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    provider_display: 'Alibaba Cloud',
    attrs: { access_key_id: KEYS.access_key_id },
    validity: false,
    created_by: 'Administrator',
  })
  const test = await server.admin.get(`${ACCOUNTS}${body.id}/test-connective/`)
  expect([test.status, test.body]).toEqual([200, { msg: 'The cloud takes these keys' }])
  const regions = await server.admin.get(`${REGIONS}?account_id=${body.id}`)
  expect(regions.body).toEqual({
    regions: [
      { id: 'cn-hangzhou', name: '华东1（杭州）' },
      { id: 'cn-shanghai', name: '华东2（上海）' },
    ],
    count: 2,
    next: null,
  })
  const read = await server.admin.get(`${ACCOUNTS}${body.id}/`)
  expect(read.body.validity).toBe(true)
  const stored = await server.kernel.pool.query('SELECT attrs::text FROM cloud_account WHERE id = $1', [body.id])
  for (const text of [JSON.stringify(read.body), JSON.stringify(body), stored.rows[0].attrs])
    expect(text).not.toContain(KEYS.access_key_secret)
  expect((await server.admin.get(`${REGIONS}`)).body).toEqual({ regions: [], count: 0, next: null })
})

test('keys that the cloud does not take make an account invalid, and the refusal says why; others must be tested again', async () => {
  const { body } = await add({ name: 'Wrong', attrs: { ...KEYS, access_key_secret: 'not the secret' } })
  const refused = await server.admin.get(`${ACCOUNTS}${body.id}/test-connective/`)
  expect(refused.status).toBe(400)
  expect(refused.body.msg).toBe(
    'The cloud does not take these keys, or they may not list machines (400 SignatureDoesNotMatch)',
  )
  expect((await server.admin.get(`${REGIONS}?account_id=${body.id}`)).status).toBe(400)
  const keep = await server.admin.patch(`${ACCOUNTS}${body.id}/`, { attrs: KEYS })
  expect(keep.body.validity).toBe(false)
  expect((await server.admin.get(`${ACCOUNTS}${body.id}/test-connective/`)).status).toBe(200)
  // Without the secret the stored one stays.
  const renamed = await server.admin.put(`${ACCOUNTS}${body.id}/`, {
    name: 'Right',
    provider: 'aliyun',
    attrs: { access_key_id: KEYS.access_key_id },
  })
  expect(renamed.status).toBe(200)
  expect((await server.admin.get(`${ACCOUNTS}${body.id}/test-connective/`)).status).toBe(200)
})

test('a proxy’s page, a clock that is off, a cloud that is busy and one that is silent are told apart, and none of their words is shown', async () => {
  const { body } = await add({ name: 'Behind a proxy', provider: 'qcloud' })
  const words = async (...next: CloudServer['next']) => {
    clouds.next.push(...next)
    return (await server.admin.get(`${ACCOUNTS}${body.id}/test-connective/`)).body.msg
  }
  expect(await words({ status: 200, body: '<html>inner secret</html>' })).toBe(
    'What answers there is not this cloud (200, not JSON)',
  )
  // As Tencent Cloud answers ten minutes off (five are allowed).
  const expired = { status: 200, body: '{"Response":{"Error":{"Code":"AuthFailure.SignatureExpire"}}}' }
  expect(await words(expired)).toBe(
    'The clocks of this server and of the cloud differ too much (200 AuthFailure.SignatureExpire)',
  )
  const busy = { status: 503, body: '{"Response":{"Error":{"Code":"inner secret of a server"}}}' }
  expect(await words(busy, busy)).toBe('The cloud is busy: try again later (503)')
  expect(await words('drop', 'drop')).toMatch(/^The cloud does not answer \(\w+\)$/)
})

test('the cloud of an account stays, unknown ones and fields that are missing are refused', async () => {
  const { body } = await add({ name: 'Fixed' })
  const changed = await server.admin.patch(`${ACCOUNTS}${body.id}/`, { provider: 'qcloud', attrs: KEYS })
  expect([changed.status, Object.keys(changed.body)]).toEqual([400, ['provider']])
  expect((await add({ name: 'None', provider: 'moon' })).status).toBe(400)
  expect((await add({ name: 'Half', attrs: { access_key_id: 'x' } })).body).toEqual({
    attrs: { access_key_secret: ['This field is required.'] },
  })
  expect(
    (await server.admin.post(`${ACCOUNTS}?provider=qcloud`, { name: 'Two', provider: 'aliyun', attrs: KEYS })).status,
  ).toBe(400)
})

test('the whole organization is closed to people who do not administer it', async () => {
  const { body } = await add({ name: 'Closed' })
  const person = await server.aPerson('walker')
  const elsewhere = server.admin.in(await server.anOrg('Elsewhere'))
  for (const path of [
    `${ACCOUNTS}${body.id}/`,
    `${ACCOUNTS}${body.id}/test-connective/`,
    `${REGIONS}?account_id=${body.id}`,
  ]) {
    expect((await person.get(path)).status).toBe(403)
    expect((await elsewhere.get(path)).status).toBe(404)
  }
})

test('a private cloud cannot be at this server or at an address that discloses its host’s secrets, and a move requires its secrets again', async () => {
  const openstack = (auth_url: string, more = {}) => ({
    name: 'Private',
    provider: 'openstack',
    attrs: { auth_url, user_domain_name: 'Default', username: 'reader', ...more },
  })
  for (const address of [
    'http://127.0.0.1:5000/v3',
    'http://[::1]/v3',
    'http://169.254.169.254/',
    'ftp://10.0.0.1/',
    'http://a:b@10.0.0.1/',
  ])
    expect((await add(openstack(address, { password: 'secret' }))).body).toEqual({
      attrs: { auth_url: [expect.any(String)] },
    })
  const vmware = { provider: 'vmware', attrs: { host: '127.0.0.1', username: 'reader', password: 'secret' } }
  expect((await add({ name: 'Here', ...vmware })).body).toEqual({
    attrs: { host: ['No cloud can be at this address'] },
  })
  // A name that leads here is found out when it is resolved.
  const { body: here } = await add(openstack('http://localhost:5000/v3', { password: 'secret' }))
  expect((await server.admin.get(`${ACCOUNTS}${here.id}/test-connective/`)).body.msg).toBe(
    'No cloud can be at this address',
  )
  const moved = openstack('http://10.9.9.9:5000/v3')
  expect((await server.admin.put(`${ACCOUNTS}${here.id}/`, moved)).body).toEqual({
    attrs: { password: ['The cloud is elsewhere now: enter its secrets again'] },
  })
  expect(
    (await server.admin.put(`${ACCOUNTS}${here.id}/`, openstack('http://10.9.9.9:5000/v3', { password: 'new' })))
      .status,
  ).toBe(200)
  expect((await add({ name: 'Huawei', provider: 'huaweicloud_private', attrs: {} })).status).toBe(400)
})
