import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openTestServer, type TestServer } from '../../../test/server.ts'

const PROVIDERS = '/api/v1/scim/providers/'
const USERS = '/api/v1/users/users/'
const GROUPS = '/api/v1/users/groups/'
const CORE_USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const CORE_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let server: TestServer
let okta: Client
beforeAll(async () => {
  server = await openTestServer()
  okta = await aProvider('Okta')
})
afterAll(() => server?.close())

/** An identity provider with its token. */
interface Client {
  id: string
  token: string
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, ...operations: unknown[]): Promise<Answer>
}

async function aProvider(name: string, draft: Record<string, unknown> = {}, org = DEFAULT_ORG_ID): Promise<Client> {
  const { body } = await server.admin.in(org).post(PROVIDERS, { name, source: 'openid', ...draft })
  const made = await server.admin.in(org).post(`${PROVIDERS}${body.id}/token/`)
  expect(made.status, JSON.stringify([body, made.body])).toBe(201)
  const { token } = made.body
  const send: Client['send'] = (method, path, sent, headers = {}) =>
    server.call(method, `/scim/v2${path}`, { body: sent, headers: { authorization: `Bearer ${token}`, ...headers } })
  return {
    id: body.id,
    token,
    send,
    patch: (path, ...Operations) => send('PATCH', path, { schemas: [PATCH_OP], Operations }),
  }
}

const person = (userName: string, more: Record<string, unknown> = {}) => ({
  schemas: [CORE_USER],
  userName,
  name: { givenName: 'Given', familyName: userName },
  emails: [{ primary: true, value: `${userName}@corp.example`, type: 'work' }],
  active: true,
  ...more,
})

async function created(client: Client, userName: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await client.send('POST', '/Users', person(userName, more))
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}

async function aGroup(client: Client, displayName: string, members: readonly string[] = []): Promise<string> {
  const sent = { schemas: [CORE_GROUP], displayName, members: members.map((value) => ({ value })) }
  const { status, body } = await client.send('POST', '/Groups', sent)
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}

const rowOf = async (id: string) => (await server.admin.get(`${USERS}${id}/`)).body
const membersOf = async (id: string): Promise<string[]> =>
  [...(await server.admin.get(`${GROUPS}${id}/`)).body.users].map(String).sort()
const usernames = async (client: Client, filter: string) => {
  const { body } = await client.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
  return body.Resources?.map(({ userName }: { userName: string }) => userName) ?? body
}

test('Okta creates a person, finds them by name, renames and deactivates them', async () => {
  // As Okta's guide to SCIM 2.0 shows them.
  const sent = {
    schemas: [CORE_USER],
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const none = await okta.send(
    'GET',
    `/Users?filter=${encodeURIComponent('userName eq "test.user@okta.local"')}&startIndex=1&count=100`,
  )
  expect(none.body).toMatchObject({ totalResults: 0, Resources: [] })
  const made = await okta.send('POST', '/Users', sent)
  expect(made.status).toBe(201)
  expect(made.headers['content-type']).toBe('application/scim+json; charset=utf-8')
  expect(made.headers.location).toBe(made.body.meta.location)
  expect(made.body).toMatchObject({ userName: sent.userName, externalId: sent.externalId, active: true, groups: [] })
  expect(JSON.stringify(made.body)).not.toContain(sent.password)
  const { id } = made.body
  expect(await rowOf(id)).toMatchObject({
    username: 'test.user@okta.local',
    name: 'Test User',
    email: 'test.user@okta.local',
    source: 'openid',
    role: 'User',
    org_roles: ['User'],
    managed_by: 'Okta',
    is_active: true,
  })
  expect(await usernames(okta, 'userName eq "TEST.user@okta.local"')).toEqual(['test.user@okta.local'])

  const renamed = await okta.send('PUT', `/Users/${id}`, {
    ...sent,
    id,
    userName: 'other@okta.local',
    displayName: 'Other',
  })
  expect([renamed.status, renamed.body.userName]).toEqual([200, 'other@okta.local'])
  expect(await rowOf(id)).toMatchObject({ username: 'other@okta.local', name: 'Other' })

  const off = await okta.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
  expect([off.status, off.body.active]).toEqual([200, false])
  expect((await rowOf(id)).is_active).toBe(false)
})

test('Entra ID finds by externalId, and changes people in its own dialect', async () => {
  const id = await created(okta, 'entra', { externalId: 'e-1', emails: undefined })
  expect(await usernames(okta, 'externalId eq "e-1"')).toEqual(['entra'])
  expect(await usernames(okta, 'externalId eq "E-1"')).toEqual([])
  // As in Microsoft's guide to developing a SCIM endpoint.
  const changed = await okta.patch(
    `/Users/${id}`,
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'entra@corp.example' },
    { op: 'Replace', path: 'name.familyName', value: 'Updated' },
    { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
    { op: 'Replace', path: 'addresses[type eq "work"].locality', value: 'not kept' },
    { op: 'Add', value: { 'name.givenName': 'Dotted', title: 'Head' } },
    { op: 'Replace', path: 'active', value: 'False' },
  )
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({
    schemas: [CORE_USER, ENTERPRISE],
    emails: [{ type: 'work', value: 'entra@corp.example' }],
    name: { givenName: 'Dotted', familyName: 'Updated' },
    [ENTERPRISE]: { department: 'Sales' },
    title: 'Head',
    active: false,
  })
  expect(changed.body.addresses).toBeUndefined()
  expect(await rowOf(id)).toMatchObject({ email: 'entra@corp.example', name: 'Dotted Updated', is_active: false })
  await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' })
  expect((await rowOf(id)).is_active).toBe(true)
  const gone = await okta.patch(`/Users/${id}`, { op: 'Remove', path: 'title' })
  expect(gone.body.title).toBeUndefined()
})

test('groups follow the provider: members are added and removed in every dialect, and nobody is lost at once', async () => {
  const people = await Promise.all(['g1', 'g2', 'g3'].map((name) => created(okta, name)))
  const [one = '', two = '', three = ''] = people
  const id = await aGroup(okta, 'Engineers', [one])
  expect(await membersOf(id)).toEqual([one])
  // Entra ID adds and removes by value, Okta by a filter.
  await okta.patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ value: two }, { value: three }] })
  expect(await membersOf(id)).toEqual([...people].sort())
  await okta.patch(`/Groups/${id}`, { op: 'Remove', path: 'members', value: [{ value: two }] })
  await okta.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${three}"]` })
  expect(await membersOf(id)).toEqual([one])
  const renamed = await okta.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: 'Builders' } })
  expect(renamed.body).toMatchObject({ displayName: 'Builders', members: [{ value: one, type: 'User' }] })
  await okta.patch(`/Groups/${id}`, { op: 'remove', path: 'members' })
  expect(await membersOf(id)).toEqual([])
  // Each call carries one person, all at the same time.
  const all = await Promise.all(
    people.map((value) => okta.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value }] })),
  )
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await membersOf(id)).toEqual([...people].sort())
  const found = await okta.send(
    'GET',
    `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "builders"')}`,
  )
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id, displayName: 'Builders' }] })
  expect(found.body.Resources[0].members).toBeUndefined()
  expect((await okta.send('GET', `/Users/${one}`)).body.groups).toMatchObject([{ value: id, display: 'Builders' }])
  expect((await okta.send('PUT', `/Groups/${id}`, { displayName: 'Builders', members: [{ value: two }] })).status).toBe(
    200,
  )
  expect(await membersOf(id)).toEqual([two])
  expect((await okta.send('DELETE', `/Groups/${id}`)).status).toBe(204)
  expect((await server.admin.get(`${GROUPS}${id}/`)).status).toBe(404)
})

test('filters of RFC 7644 are answered by the database, others refused in words', async () => {
  await created(okta, 'filter.a', { title: 'Guide', emails: [{ value: 'fa@home.example', type: 'home' }] })
  await created(okta, 'filter.b', { title: "O'Brien\\%", active: false })
  const ours = (filter: string) => usernames(okta, `userName sw "filter." and (${filter})`)
  expect(await ours('title eq "guide"')).toEqual(['filter.a'])
  expect(await ours('active eq false')).toEqual(['filter.b'])
  expect(await ours('not (active eq false)')).toEqual(['filter.a'])
  expect(await ours('emails[type eq "home" and value co "HOME"]')).toEqual(['filter.a'])
  expect(await ours('emails.value ew "@corp.example"')).toEqual(['filter.b'])
  expect(await ours('title co "\'brien\\\\%"')).toEqual(['filter.b'])
  expect(await ours('title pr and meta.created gt "2020-01-01T00:00:00Z" or nickName pr')).toEqual([
    'filter.a',
    'filter.b',
  ])
  expect(await ours(`${CORE_USER}:userName ne "filter.a"`)).toEqual(['filter.b'])
  const page = await okta.send(
    'GET',
    `/Users?startIndex=2&count=1&filter=${encodeURIComponent('userName sw "filter."')}`,
  )
  expect(page.body).toMatchObject({
    totalResults: 2,
    startIndex: 2,
    itemsPerPage: 1,
    Resources: [{ userName: 'filter.b' }],
  })
  for (const wrong of [
    'userName eq',
    'password eq "x"',
    '__proto__ eq "x"',
    'active gt true',
    'meta.created co "2"',
    '('.repeat(400),
    Array(40).fill('title pr').join(' or '),
    `title eq "${'x'.repeat(1000)}"`,
    'title eq "\0"',
  ]) {
    const { status, body } = await okta.send('GET', `/Users?filter=${encodeURIComponent(wrong)}`)
    expect([status, body.schemas, body.status]).toEqual([400, ['urn:ietf:params:scim:api:messages:2.0:Error'], '400'])
  }
})

test('a version that has passed changes nothing, and one that is known is not sent again', async () => {
  const id = await created(okta, 'etag')
  const read = await okta.send('GET', `/Users/${id}`)
  const { etag } = read.headers as { etag: string }
  expect(etag).toBe(read.body.meta.version)
  expect((await okta.send('GET', `/Users/${id}`, undefined, { 'if-none-match': etag })).status).toBe(304)
  const change = (version: string) =>
    okta.send(
      'PATCH',
      `/Users/${id}`,
      { Operations: [{ op: 'add', path: 'title', value: 'x' }] },
      { 'if-match': version },
    )
  expect((await change(etag)).status).toBe(200)
  expect((await change(etag)).status).toBe(412)
  expect((await okta.send('DELETE', `/Users/${id}`, undefined, { 'if-match': etag })).status).toBe(412)
})

test('several operations in one call, each by itself, with ids of earlier ones', async () => {
  const { status, body } = await okta.send('POST', '/Bulk', {
    Operations: [
      { method: 'POST', path: '/Users', bulkId: 'a', data: person('bulk.a') },
      { method: 'POST', path: '/Users', bulkId: 'b', data: { schemas: [CORE_USER] } },
      { method: 'POST', path: '/Groups', bulkId: 'c', data: { displayName: 'Bulk', members: [{ value: 'bulkId:a' }] } },
      { method: 'PATCH', path: '/Users/bulkId:a', data: { Operations: [{ op: 'add', path: 'title', value: 'T' }] } },
      { method: 'DELETE', path: '/Groups/bulkId:none' },
    ],
  })
  expect(status).toBe(200)
  expect(body.Operations.map((one: { status: string }) => one.status)).toEqual(['201', '400', '201', '200', '409'])
  expect(body.Operations[1].response.scimType).toBe('invalidValue')
  const group = body.Operations[2].location.split('/').at(-1)
  expect(await membersOf(group)).toHaveLength(1)
  const stopped = await okta.send('POST', '/Bulk', {
    failOnErrors: 1,
    Operations: [
      { method: 'POST', path: '/Users', data: {} },
      { method: 'POST', path: '/Users', data: person('bulk.c') },
    ],
  })
  expect(stopped.body.Operations).toHaveLength(1)
  expect(await usernames(okta, 'userName eq "bulk.c"')).toEqual([])
  const many = { Operations: Array(101).fill({ method: 'POST', path: '/Users', data: {} }) }
  expect((await okta.send('POST', '/Bulk', many)).status).toBe(413)
})

test('nobody who is here is taken over: local people, administrators, people and groups of others', async () => {
  await server.aPerson('locally')
  const refused = await okta.send('POST', '/Users', person('Locally'))
  expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness'])
  expect(refused.body.detail).toContain('another source (local)')
  const chief = await server.admin.post(USERS, {
    name: 'Chief',
    username: 'chief',
    email: 'chief@corp.example',
    source: 'openid',
    role: 'Admin',
  })
  expect((await okta.send('POST', '/Users', person('chief'))).status).toBe(409)
  expect(await rowOf(chief.body.id)).toMatchObject({ role: 'Admin', is_active: true, managed_by: '' })
  // Somebody else's address, and a name that reads as another's.
  await created(okta, 'mail.a')
  const mail = await okta.send('POST', '/Users', person('mail.b', { emails: [{ value: 'MAIL.A@corp.example' }] }))
  expect([mail.status, mail.body.scimType]).toEqual([409, 'uniqueness'])
  expect((await okta.send('POST', '/Users', person('mаil.a'))).status).toBe(400)
  // Groups of here, and rights from outside.
  await server.admin.post(GROUPS, { name: 'By hand' })
  expect((await okta.send('POST', '/Groups', { displayName: 'By hand' })).status).toBe(409)
  const id = await created(okta, 'humble', { roles: [{ value: 'Admin' }], role: 'Admin', org_roles: ['Admin'] })
  expect(await rowOf(id)).toMatchObject({ role: 'User', org_roles: ['User'] })
  // Whom the same source has signed in before is the provider's from now on; who was disabled here stays it.
  const before = await server.admin.post(USERS, {
    name: 'Before',
    username: 'before',
    email: 'before@corp.example',
    source: 'openid',
    is_active: false,
  })
  const adopted = await okta.send('POST', '/Users', person('before'))
  expect([adopted.status, adopted.body.id, adopted.body.active]).toEqual([201, before.body.id, false])
})

test('providers see and change their own people alone, in their organization', async () => {
  const org = await server.anOrg('elsewhere')
  const other = await aProvider('Other', { source: 'saml2' }, org)
  const mine = await created(okta, 'mine.only')
  const group = await aGroup(okta, 'Mine only', [mine])
  const theirs = await created(other, 'theirs.only')
  expect((await server.admin.in(org).get(`${USERS}${theirs}/`)).body).toMatchObject({
    source: 'saml2',
    managed_by: 'Other',
  })
  expect((await server.admin.get(`${USERS}${theirs}/`)).status).toBe(404)
  for (const [method, path, body] of [
    ['GET', `/Users/${mine}`],
    ['PUT', `/Users/${mine}`, person('mine.only')],
    ['PATCH', `/Users/${mine}`, { Operations: [{ op: 'replace', path: 'active', value: false }] }],
    ['DELETE', `/Users/${mine}`],
    ['GET', `/Groups/${group}`],
    ['PATCH', `/Groups/${group}`, { Operations: [{ op: 'remove', path: 'members' }] }],
    ['DELETE', `/Groups/${group}`],
    ['GET', '/Users/not-an-id'],
  ] as const)
    expect((await other.send(method, path, body)).status, `${method} ${path}`).toBe(404)
  expect((await other.send('POST', '/Users', person('mine.only'))).status).toBe(409)
  expect((await other.send('POST', '/Groups', { displayName: 'X', members: [{ value: mine }] })).status).toBe(400)
  expect((await other.send('GET', '/Users')).body.Resources.map(({ id }: { id: string }) => id)).toEqual([theirs])
  expect(
    (await okta.send('POST', '/Groups', { displayName: 'Nested', members: [{ value: group, type: 'Group' }] })).status,
  ).toBe(400)
})

test('a token works while its provider is on, until its day, from its addresses, and until the next one', async () => {
  const client = await aProvider('Limits')
  const change = (draft: object) => server.admin.patch(`${PROVIDERS}${client.id}/`, draft)
  const status = async () => (await client.send('GET', '/Users')).status
  expect(await status()).toBe(200)
  await change({ is_active: false })
  expect(await status()).toBe(401)
  await change({ is_active: true, date_expired: '2020/01/01 00:00:00 +0000' })
  expect(await status()).toBe(401)
  await change({ date_expired: null, ip_group: ['10.0.0.0/8'] })
  const foreign = await client.send('GET', '/Users')
  expect([foreign.status, foreign.body.schemas]).toEqual([403, ['urn:ietf:params:scim:api:messages:2.0:Error']])
  await change({ ip_group: ['127.0.0.1'] })
  expect(await status()).toBe(200)
  expect((await change({ ip_group: ['nonsense'] })).status).toBe(400)
  await server.admin.post(`${PROVIDERS}${client.id}/token/`)
  expect(await status()).toBe(401)
  for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${client.token}`, `Bearer ${server.admin.token}`]) {
    const { status, headers } = await server.call('GET', '/scim/v2/Users', { headers: { authorization } })
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
  }
  // A token of SCIM is none of the API, and nobody but system administrators makes one.
  const { status: asApi } = await server.call('GET', USERS, { headers: { authorization: `Bearer ${okta.token}` } })
  expect(asApi).toBe(401)
  const manager = await server.aPerson('scim.manager', { orgRoles: ['Admin'] })
  expect((await manager.post(`${PROVIDERS}${client.id}/token/`)).status).toBe(403)
  expect((await server.admin.in(await server.anOrg('third')).post(`${PROVIDERS}${client.id}/token/`)).status).toBe(404)
  const { body } = await server.admin.get(`${PROVIDERS}${client.id}/`)
  expect(JSON.stringify(body)).not.toMatch(/token_hash|sallyport-scim/)
})

test('people and groups of a provider are changed there; here they can be switched off, and stay it', async () => {
  const id = await created(okta, 'kept')
  const group = await aGroup(okta, 'Kept', [id])
  const loose = (await server.admin.post(GROUPS, { name: 'Loose' })).body.id
  const refusal = 'This comes from Okta and is changed there'
  expect((await server.admin.patch(`${USERS}${id}/`, { name: 'Mine', email: 'x@corp.example' })).body).toEqual({
    name: [refusal],
    email: [refusal],
  })
  expect((await server.admin.patch(`${GROUPS}${group}/`, { name: 'Mine' })).body).toEqual({ name: [refusal] })
  expect((await server.admin.patch(`${GROUPS}${group}/`, { users: [] })).body).toEqual({ users: [refusal] })
  expect((await server.admin.put(`${GROUPS}${group}/`, { name: 'Kept', users: [id], comment: 'ours' })).status).toBe(
    200,
  )
  const link = '/api/v1/users/users-groups-relations/'
  expect((await server.admin.post(link, { user: server.admin.id, usergroup: group })).status).toBe(400)
  expect((await server.admin.delete(`${link}?user=${id}&usergroup=${group}`)).status).toBe(400)
  expect((await server.admin.patch(`${USERS}${id}/`, { groups: [loose] })).status).toBe(400)
  expect((await server.admin.patch(`${USERS}${id}/`, { groups: [loose, group] })).status).toBe(200)
  expect(await membersOf(group)).toEqual([id])
  expect((await server.admin.patch(`${USERS}${id}/`, { is_active: false })).status).toBe(200)
  // The provider repeats what it has said before.
  expect((await okta.send('PUT', `/Users/${id}`, person('kept'))).body.active).toBe(false)
  expect((await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })).body.active).toBe(false)
  // It changes its mind.
  await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
  expect((await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })).body.active).toBe(true)
  // A person who is made one of another source here is the provider's no longer.
  expect((await server.admin.patch(`${USERS}${id}/`, { source: 'ldap' })).status).toBe(200)
  const lost = await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
  expect([lost.status, lost.body.scimType]).toEqual([409, 'mutability'])
  expect((await rowOf(id)).is_active).toBe(true)
})

test('a deleted person is deactivated and comes back as the same, or is deleted where that is wanted', async () => {
  const id = await created(okta, 'leaver')
  const group = await aGroup(okta, 'Leavers', [id])
  expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204)
  expect((await okta.send('GET', `/Users/${id}`)).status).toBe(404)
  expect((await okta.send('GET', `/Groups/${group}`)).body.members).toEqual([])
  expect((await rowOf(id)).is_active).toBe(false)
  const back = await okta.send('POST', '/Users', person('leaver'))
  expect([back.status, back.body.id, back.body.active]).toEqual([201, id, true])
  await server.admin.patch(`${PROVIDERS}${okta.id}/`, { on_delete: 'delete' })
  expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204)
  expect((await server.admin.get(`${USERS}${id}/`)).status).toBe(404)
  await server.admin.patch(`${PROVIDERS}${okta.id}/`, { on_delete: 'deactivate' })
})

test('writes of a provider are in the log of operations under its name, and deleting it lets its people go', async () => {
  const client = await aProvider('Short')
  const id = await created(client, 'short.lived')
  const group = await aGroup(client, 'Short group', [id])
  const { body } = await server.admin.get(
    `/api/v1/audits/operate-logs/?limit=20&user=${encodeURIComponent('Short(scim)')}`,
  )
  expect(body.results.map((row: { action: string; resource_type: string }) => [row.action, row.resource_type])).toEqual(
    [
      ['create', 'User group'],
      ['create', 'User'],
    ],
  )
  expect((await server.admin.patch(`${PROVIDERS}${client.id}/`, { name: 'Shorter' })).status).toBe(200)
  expect((await rowOf(id)).managed_by).toBe('Shorter')
  expect((await server.admin.get(`${PROVIDERS}${client.id}/`)).body).toMatchObject({
    people_amount: 1,
    groups_amount: 1,
  })
  expect((await server.admin.delete(`${PROVIDERS}${client.id}/`)).status).toBe(204)
  expect((await rowOf(id)).managed_by).toBe('')
  expect((await server.admin.patch(`${USERS}${id}/`, { name: 'Free' })).status).toBe(200)
  expect((await server.admin.patch(`${GROUPS}${group}/`, { users: [] })).status).toBe(200)
})

test('bodies that are hostile or wrong are refused in the shape of the protocol and change nothing', async () => {
  const id = await created(okta, 'sturdy')
  const before = (await okta.send('GET', `/Users/${id}`)).body
  for (const operations of [
    [],
    {},
    [null],
    [{ op: 'drop', path: 'active' }],
    [{ op: 'remove' }],
    [{ op: 'replace', path: 5, value: 1 }],
    [{ op: 'replace', path: 'emails[type eq', value: 1 }],
    [{ op: 'replace', path: 'active', value: 'perhaps' }],
    [{ op: 'replace', path: 'userName', value: '' }],
    [{ op: 'add', path: 'emails', value: Array(21).fill({ value: 'x@corp.example' }) }],
    [{ op: 'replace', path: 'userName', value: 'x'.repeat(600) }],
    Array(201).fill({ op: 'add', path: 'title', value: 'x' }),
  ]) {
    const { status, body } = await okta.send('PATCH', `/Users/${id}`, { Operations: operations })
    expect([status, body.status], JSON.stringify(operations).slice(0, 80)).toEqual([400, '400'])
  }
  const polluting = [
    { op: 'replace', path: '__proto__.polluted', value: 'x' },
    { op: 'add', path: 'constructor.prototype.polluted', value: 'x' },
    { op: 'add', path: 'name.__proto__.polluted', value: 'x' },
    { op: 'add', value: JSON.parse('{"__proto__":{"polluted":1},"constructor.prototype.polluted":1}') },
  ]
  for (const operation of polluting) expect([200, 400]).toContain((await okta.patch(`/Users/${id}`, operation)).status)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect((await okta.send('GET', `/Users/${id}`)).body).toEqual(before)
  for (const body of [[], 'text', 5, { userName: {} }, { userName: 'a\0b' }, { userName: 'x', name: [] }])
    expect((await okta.send('POST', '/Users', body)).status).toBe(400)
  const broken = await server.kernel.app.inject({
    method: 'POST',
    url: '/scim/v2/Users',
    headers: { authorization: `Bearer ${okta.token}`, 'content-type': 'application/scim+json' },
    payload: '{',
  })
  expect([broken.statusCode, broken.json().schemas]).toEqual([400, ['urn:ietf:params:scim:api:messages:2.0:Error']])
  expect((await okta.send('GET', '/Users?count=many')).status).toBe(400)
  expect((await okta.send('GET', '/Nothing')).status).toBe(404)
})

test('the service provider configuration, types and schemas list supported parts and kept attributes', async () => {
  const config = await okta.send('GET', '/ServiceProviderConfig')
  expect(config.body).toMatchObject({
    patch: { supported: true },
    bulk: { maxOperations: 100 },
    filter: { maxResults: 200 },
  })
  const types = await okta.send('GET', '/ResourceTypes')
  expect(types.body.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['/Users', '/Groups'])
  const { body } = await okta.send('GET', `/Schemas/${CORE_USER}`)
  expect(body.attributes.map(({ name }: { name: string }) => name)).toContain('emails')
  expect((await okta.send('GET', '/Schemas')).body.totalResults).toBe(3)
  expect((await okta.send('GET', '/Schemas?filter=x')).status).toBe(403)
})
