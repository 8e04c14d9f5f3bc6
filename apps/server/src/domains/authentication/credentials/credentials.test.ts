import { createHash, createHmac } from 'node:crypto'
import { get } from 'node:http'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { type Answer, type Caller, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { signed } from '../../../../test/signed.ts'
import { aGuarded, codeOf } from '../second-factor/otp-fixture.ts'
import { endPrivateToken, renewPrivateToken } from './private-token.ts'

let server: TestServer
let person: Caller
let key: { id: string; secret: string }
beforeAll(async () => {
  server = await openTestServer()
  person = await server.aPerson('signer')
  key = (await person.post('/api/v1/authentication/access-keys/')).body
})
afterAll(() => server?.close())

const PROFILE = '/api/v1/users/profile/'
const TOKENS = '/api/v1/authentication/tokens/'

test('[B7.18] a request signed with an access key is its owner; another path, key or secret is 401', async () => {
  const path = `${PROFILE}?fields=id,username`
  const answer = await server.call('GET', path, { headers: signed(path, key) })
  expect([answer.status, answer.body.username]).toEqual([200, 'signer'])
  const refused = [
    signed('/api/v1/users/users/', key),
    signed(path, key, 'post'),
    signed(path, { ...key, secret: 'guess' }),
    signed(path, { id: '00000000-0000-4000-8000-000000000000', secret: key.secret }),
    { ...signed(path, key), date: new Date(0).toUTCString() },
    { authorization: signed(path, key).authorization },
    { ...signed(path, key), authorization: signed(path, key).authorization.replace('(request-target) date', 'date') },
    { ...signed(path, key), authorization: signed(path, key).authorization.replace('hmac-sha256', 'none') },
    { authorization: 'Signature nonsense' },
  ]
  for (const headers of refused) {
    const { status, body } = await server.call('GET', path, { headers })
    expect([status, body.code]).toEqual([401, 'not_authenticated'])
  }
})

test('[B7.18] a signature that leaves out the target or the date is refused, however right it is: it would open anything, or for ever', async () => {
  const date = new Date().toUTCString()
  const signedBy = (covered: Record<string, string>) => {
    const text = Object.entries(covered).map(([name, value]) => `${name}: ${value}`)
    const signature = createHmac('sha256', key.secret).update(text.join('\n')).digest('base64')
    const headers = Object.keys(covered).join(' ')
    const authorization = `Signature keyId="${key.id}",algorithm="hmac-sha256",headers="${headers}",signature="${signature}"`
    return server.call('GET', PROFILE, { headers: { date, authorization } })
  }
  const target = `get ${PROFILE}`
  expect((await signedBy({ '(request-target)': target, date })).status).toBe(200)
  expect((await signedBy({ '(request-target)': target })).status).toBe(401)
  expect((await signedBy({ date })).status).toBe(401)
})

test('[B7.18] an address is signed as it is sent, or as the server wrote it for which existing clients were made', async () => {
  // By a socket: the clients of other tests parse the address and write it in their own form.
  const status = (path: string, asSigned: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(new URL(server.url), { path, headers: signed(asSigned, key) }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })
  for (const [sent, asSigned] of [
    // Go's clients send the question mark of an empty query, and sign without it.
    [`${PROFILE}?`, PROFILE],
    [`${PROFILE}?`, `${PROFILE}?`],
    [PROFILE.replace('profile', 'prof%69le'), PROFILE],
    [PROFILE.replace('profile', 'prof%69le'), PROFILE.replace('profile', 'prof%69le')],
    [`${PROFILE}?a=<1>&b=%3c|`, `${PROFILE}?a=%3C1%3E&b=%3c%7C`],
    [`/${PROFILE}?a=//`, `${PROFILE}?a=//`],
    [`/${PROFILE}?a=//`, `/${PROFILE}?a=//`],
  ] as const)
    expect([sent, asSigned, await status(sent, asSigned)]).toEqual([sent, asSigned, 200])
  for (const [sent, asSigned] of [
    [`${PROFILE}?fields=id`, PROFILE],
    [PROFILE, `${PROFILE}?`],
    [`${PROFILE}?a=%3c`, `${PROFILE}?a=<`],
    [`${PROFILE}?a=b`, `${PROFILE}?a=c`],
  ] as const)
    expect([sent, asSigned, await status(sent, asSigned)]).toEqual([sent, asSigned, 401])
})

test('[B7.18] names of the parts of a signature may be in any case, and values without quotes', async () => {
  const headers = signed(PROFILE, key)
  const authorization = headers.authorization
    .replace(`keyId="${key.id}"`, `KEYID=${key.id}`)
    .replace('algorithm="hmac-sha256"', 'algorithm=hmac-sha256')
  expect((await server.call('GET', PROFILE, { headers: { ...headers, authorization } })).status).toBe(200)
})

test('[B7.18] more headers may be signed, in the order listed', async () => {
  const date = new Date().toUTCString()
  const text = `(request-target): get ${PROFILE}\naccept: application/json\ndate: ${date}`
  const signature = createHmac('sha256', key.secret).update(text).digest('base64')
  const authorization = `Signature keyId="${key.id}",algorithm="hmac-sha256",headers="(request-target) accept date",signature="${signature}"`
  expect(
    (await server.call('GET', PROFILE, { headers: { date, accept: 'application/json', authorization } })).status,
  ).toBe(200)
  expect((await server.call('GET', PROFILE, { headers: { date, accept: 'text/html', authorization } })).status).toBe(
    401,
  )
})

test('[B7.18] the legacy signature works for a quarter of an hour', async () => {
  const sign = (date: string) => ({
    date,
    authorization: `Sign ${key.id}:${Buffer.from(createHash('md5').update(`${key.secret}\n${date}`).digest('hex')).toString('base64')}`,
  })
  expect((await server.call('GET', PROFILE, { headers: sign(new Date().toUTCString()) })).body.username).toBe('signer')
  expect(
    (await server.call('GET', PROFILE, { headers: sign(new Date(Date.now() - 16 * 60_000).toUTCString()) })).status,
  ).toBe(401)
})

test('[A3.05 A4.04 B7.18 B7.20 B7.21] keys are seen by their owner only; an inactive or deleted one opens nothing', async () => {
  const keeper = await server.aPerson('keeper')
  const own = (await keeper.post('/api/v1/authentication/access-keys/')).body
  expect(own.is_active).toBe(true)
  const list = (await keeper.get('/api/v1/authentication/access-keys/')).body
  expect(list).toEqual([expect.objectContaining({ id: own.id, secret: own.secret, is_active: true })])
  expect((await server.admin.get('/api/v1/authentication/access-keys/')).body).toEqual([])
  const path = `/api/v1/authentication/access-keys/${own.id}/`
  expect((await server.admin.get(path)).status).toBe(404)
  expect((await server.admin.patch(path, { is_active: false })).status).toBe(404)
  expect((await server.admin.delete(path)).status).toBe(404)
  expect((await keeper.patch(path, { is_active: false })).body.is_active).toBe(false)
  expect((await server.call('GET', PROFILE, { headers: signed(PROFILE, own) })).status).toBe(401)
  expect((await keeper.patch(path, { is_active: true })).body.is_active).toBe(true)
  expect((await server.call('GET', PROFILE, { headers: signed(PROFILE, own) })).status).toBe(200)
  const stored = await server.kernel.pool.query('SELECT secret_sealed FROM authentication_access_key')
  expect(stored.rows.some(({ secret_sealed }) => secret_sealed.includes(own.secret))).toBe(false)
  expect((await keeper.delete(path)).status).toBe(204)
  expect((await server.call('GET', PROFILE, { headers: signed(PROFILE, own) })).status).toBe(401)
  expect((await keeper.get('/api/v1/authentication/access-keys/')).body).toEqual([])
})

test('a person has ten keys at most, however many are asked for at once; making, changing and deleting one is in the operate log', async () => {
  const owner = await server.aPerson('collector')
  const path = '/api/v1/authentication/access-keys/'
  const made = await Promise.all(Array.from({ length: 12 }, () => owner.post(path)))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10)
  const refused = made.find(({ status }) => status !== 201)
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'access_key_limit', detail: 'You have ten API keys, which is the limit: delete one first' },
  })
  const { id } = made.find(({ status }) => status === 201)?.body ?? {}
  expect((await owner.patch(`${path}${id}/`, { is_active: false })).status).toBe(200)
  expect((await owner.delete(`${path}${id}/`)).status).toBe(204)
  const { body } = await server.admin.get(
    `/api/v1/audits/operate-logs/?resource_type=API Key&resource=${id}&order=datetime`,
  )
  expect(body.map((row: { action: string; user: string }) => [row.action, row.user])).toEqual(
    ['create', 'update', 'delete'].map((action) => [action, 'collector of test(collector)']),
  )
})

test('with a new password a person’s keys are switched off, and the person switches them on again', async () => {
  const owner = await server.aPerson('renewed')
  const { body: own } = await owner.post('/api/v1/authentication/access-keys/')
  const status = async () => (await server.call('GET', PROFILE, { headers: signed(PROFILE, own) })).status
  expect(await status()).toBe(200)
  const changed = await server.admin.patch(`/api/v1/users/users/${owner.id}/password/reset/`, {})
  expect([changed.status, await status()]).toEqual([200, 200])
  const set = await server.admin.patch(`/api/v1/users/users/${owner.id}/`, {
    password_strategy: 'custom',
    password: 'Another-person-2',
  })
  expect([set.status, await status()]).toEqual([200, 401])
  await server.kernel.pool.query('UPDATE users_user SET need_update_password = false WHERE id = $1', [owner.id])
  const again = await server.signIn('renewed', 'Another-person-2')
  const path = `/api/v1/authentication/access-keys/${own.id}/`
  expect((await again.patch(path, { is_active: true })).status).toBe(200)
  expect(await status()).toBe(200)
})

test('a bearer token carries the profile, is the same when asked for again, and is stored only as a hash', async () => {
  const ask = () => server.call('POST', TOKENS, { body: { username: 'signer', password: PASSWORD } })
  const { status, body } = await ask()
  expect([status, body.keyword, body.user.username]).toEqual([201, 'Bearer', 'signer'])
  expect(body.token).toMatch(/^[A-Za-z0-9]{36}$/)
  expect(body.date_expired).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d [+-]\d{4}$/)
  expect(body.user.current_org_roles).toEqual(['User'])
  expect((await ask()).body.token).toBe(body.token)
  const alias = await server.call('POST', '/api/v1/authentication/auth/', {
    body: { username: 'signer', password: PASSWORD },
  })
  expect(alias.body.token).toBe(body.token)
  expect((await server.call('GET', PROFILE, { headers: { authorization: `Bearer ${body.token}x` } })).status).toBe(401)
  const { rows } = await server.kernel.pool.query('SELECT token_hash, token_sealed FROM authentication_bearer_token')
  expect(rows.some((row) => row.token_hash.includes(body.token) || row.token_sealed.includes(body.token))).toBe(false)
  await server.kernel.pool.query(
    "UPDATE authentication_bearer_token SET date_expired = now() - interval '1 second' WHERE user_id = $1",
    [person.id],
  )
  expect((await server.call('GET', PROFILE, { headers: { authorization: `Bearer ${body.token}` } })).status).toBe(401)
  const renewed = (await ask()).body.token
  expect(renewed).not.toBe(body.token)
  expect((await server.call('GET', PROFILE, { headers: { authorization: `Bearer ${renewed}` } })).status).toBe(200)
})

test('a private token opens the account of its person while that is active, until it is replaced or deleted', async () => {
  const owner = await server.aPerson('robot')
  const { db } = server.kernel
  const first = await renewPrivateToken(db, 'robot')
  const token = (await renewPrivateToken(db, 'robot')) ?? ''
  expect(token).toMatch(/^[0-9a-f]{40}$/)
  expect((await server.call('GET', PROFILE, { headers: { authorization: `Token ${first}` } })).status).toBe(401)
  const headers = { authorization: `Token ${token}` }
  const who = async () => (await server.call('GET', PROFILE, { headers })).body.username
  expect(await who()).toBe('robot')
  await server.admin.patch(`/api/v1/users/users/${owner.id}/`, { is_active: false })
  expect(await who()).toBeUndefined()
  await server.admin.patch(`/api/v1/users/users/${owner.id}/`, { is_active: true })
  expect(await who()).toBe('robot')
  expect([await endPrivateToken(db, 'robot'), await endPrivateToken(db, 'robot'), await who()]).toEqual([
    true,
    false,
    undefined,
  ])
  expect(await renewPrivateToken(db, 'nobody')).toBeUndefined()
})

test('[B8.02] without credentials a protected call is 401 and says how to sign', async () => {
  const { status, body, headers } = await server.call('GET', PROFILE)
  expect([status, body.code, headers['www-authenticate']]).toEqual([
    401,
    'not_authenticated',
    'Sign access_key_id:Signature',
  ])
})

test('[A3.45] a component registers with the bootstrap token, signs, works in root and is no person', async () => {
  const path = '/api/v1/users/service-account-registrations/'
  const register = (authorization: string, name = 'gateway-1') =>
    server.call('POST', path, { body: { name }, headers: { authorization } })
  expect((await register('BootstrapToken wrong')).status).toBe(401)
  expect((await server.call('POST', path, { body: { name: 'x' } })).status).toBe(401)
  const made = await register('BootstrapToken bootstrap-token-of-tests')
  expect([made.status, made.body.name, Object.keys(made.body.access_key).sort()]).toEqual([
    201,
    'gateway-1',
    ['date_created', 'id', 'is_active', 'secret'],
  ])
  expect(made.body.access_key.is_active).toBe(true)
  for (const name of ['gateway-1', 'GATEWAY-1', 'ｇateway-1', 'gateway-1\u200B'])
    expect(await register('BootstrapToken bootstrap-token-of-tests', name)).toMatchObject({
      status: 400,
      body: { name: [expect.any(String)] },
    })
  const who = await server.call('GET', PROFILE, { headers: signed(PROFILE, made.body.access_key) })
  expect([who.status, who.body.role]).toEqual([200, 'App'])
  const org = '/api/v1/orgs/orgs/'
  expect((await server.call('GET', org, { headers: signed(org, made.body.access_key) })).status).toBe(200)
  const people = (await server.admin.in(ROOT_ORG_ID).get('/api/v1/users/users/')).body
  expect(people.some((row: { role: string }) => row.role === 'App')).toBe(false)
  const suggested = (await server.admin.get('/api/v1/users/users/suggestion/?search=gateway')).body
  expect(suggested).toEqual([])
})

test('[A3.45] while registration is off no component gets an account, at neither address', async () => {
  const security = '/api/v1/settings/setting/?category=security'
  const register = (path: string) =>
    server.call('POST', path, {
      body: { name: 'late-comer' },
      headers: { authorization: 'BootstrapToken bootstrap-token-of-tests', cookie: 'django_language=en' },
    })
  const paths = ['/api/v1/users/service-account-registrations/', '/api/v1/terminal/terminal-registrations/']
  await server.admin.patch(security, { SECURITY_SERVICE_ACCOUNT_REGISTRATION: false })
  for (const path of paths) {
    const { status, body } = await register(path)
    expect([path, status, body]).toEqual([path, 400, { error: 'Registration is disabled' }])
  }
  await server.admin.patch(security, { SECURITY_SERVICE_ACCOUNT_REGISTRATION: true })
  // Nothing of the name was left behind.
  expect((await register(paths[0] as string)).status).toBe(201)
})

test('[A1.01] a public key opens nothing by itself; a component that has seen it proven may sign its owner in', async () => {
  const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt me@home'
  const owner = await server.signIn('signer', PASSWORD)
  expect((await owner.put('/api/v1/users/profile/public-key/', { public_key: publicKey })).status).toBe(200)
  const body = { username: 'signer', public_key: publicKey.split(' ')[1], remote_addr: '192.0.2.9' }
  expect((await server.call('POST', TOKENS, { body })).body.error).toBe('password_failed')
  const component = await server.call('POST', '/api/v1/users/service-account-registrations/', {
    body: { name: 'gateway-2' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const byComponent = (body: object) =>
    server.call('POST', TOKENS, {
      body,
      headers: { ...signed(TOKENS, component.body.access_key, 'post'), 'x-jms-login-type': 'T' },
    })
  const another = body.public_key?.replace('GzL', 'GzM')
  expect((await byComponent({ ...body, public_key: another })).body.error).toBe('password_failed')
  // A person who must change the password has not typed it here.
  const mustChange = (must: boolean) =>
    server.kernel.pool.query("UPDATE users_user SET need_update_password = $1 WHERE username = 'signer'", [must])
  await mustChange(true)
  const answer = await byComponent(body)
  await mustChange(false)
  expect([answer.status, answer.body.user?.username]).toEqual([201, 'signer'])
  const log = (await server.admin.in('root').get('/api/v1/audits/login-logs/?limit=1')).body.results[0]
  expect(log).toMatchObject({ username: 'signer', ip: '192.0.2.9', type: 'T', status: true, backend: 'SSH Key' })
})

test('only a component says from where somebody signs in, and it may send their password, too; a name is asked for', async () => {
  const registered = await server.call('POST', '/api/v1/users/service-account-registrations/', {
    body: { name: 'gateway-3' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const asComponent = () => signed(TOKENS, registered.body.access_key, 'post')
  const lastAddress = async () =>
    (await server.admin.in('root').get('/api/v1/audits/login-logs/?username=located&limit=1')).body.results[0].ip
  await server.aPerson('located')
  const body = { username: 'located', password: PASSWORD }
  for (const [sent, headers, seen] of [
    [{ remote_addr: '192.0.2.7' }, {}, '127.0.0.1'],
    [{}, asComponent(), '127.0.0.1'],
    [{ remote_addr: '192.0.2.8' }, asComponent(), '192.0.2.8'],
  ] as const) {
    expect((await server.call('POST', TOKENS, { body: { ...body, ...sent }, headers })).status).toBe(201)
    expect([sent, await lastAddress()]).toEqual([sent, seen])
  }
  expect(await server.call('POST', TOKENS, { body: {} })).toMatchObject({
    status: 400,
    body: { error: 'invalid', msg: 'Enter your username and password' },
  })
})

test('[B8.02] a credential that opens nothing says so in the words of its kind; the session of an expired person is nobody’s, and shows public pages still', async () => {
  const detail = async (headers: Record<string, string>, path = PROFILE) => {
    const { status, body } = await server.call('GET', path, { headers })
    return [status, body.detail]
  }
  const unknown = [401, 'The token is not valid or has expired.']
  expect(await detail({ authorization: 'Bearer guessed' })).toEqual(unknown)
  expect(await detail(signed(PROFILE, { ...key, secret: 'guess' }))).toEqual([401, 'Invalid signature.'])
  const late = await server.aPerson('late')
  const browser = openTestBrowser(server)
  await browser.call('POST', '/core/auth/login/', { username: 'late', password: PASSWORD })
  expect((await browser.call('GET', PROFILE)).status).toBe(200)
  await server.kernel.pool.query(`UPDATE users_user SET date_expired = now() - interval '1 day' WHERE id = $1`, [
    late.id,
  ])
  const open = '/core/auth/login/key/'
  expect((await browser.call('GET', open)).status).toBe(200)
  expect(await detail({ authorization: `Bearer ${late.token}` }, open)).toEqual(unknown)
  expect((await browser.call('GET', PROFILE)).status).toBe(401)
})

test('[A6.15] the organization of a call is named by its id, its name, or the words for the two that are always there, in whatever case', async () => {
  const org = await server.anOrg('Branch')
  const orgOf = async (wanted: string) => {
    const { status, body } = await server.admin.in(wanted).get('/api/v1/orgs/orgs/current/')
    return status === 200 ? body.name : status
  }
  const names = new Map<string, unknown>()
  for (const wanted of ['default', ' DEFAULT ', 'root', 'Root', org, 'Branch', ''])
    names.set(wanted, await orgOf(wanted))
  expect([names.get('default'), names.get(' DEFAULT '), names.get('')]).toEqual(['Default', 'Default', 'Default'])
  expect(names.get('root')).toBe(names.get('Root'))
  expect([names.get(org), names.get('Branch')]).toEqual(['Branch', 'Branch'])
})

test('[A6.15] changes of a person’s own things are logged in an organization of theirs, and in root for a person without one', async () => {
  const [elsewhere, branch] = [await server.anOrg('Of others'), await server.anOrg('Own branch')]
  const inBranch = await server.aPerson('in-branch', { org: branch })
  const inNone = await server.aPerson('in-none')
  await server.admin.post(`/api/v1/users/users/${inNone.id}/remove/`, {})
  const { pool } = server.kernel
  const orgsOf = async ({ id }: { id: string }) =>
    (await pool.query('SELECT DISTINCT org_id FROM audits_operate_log WHERE user_id = $1', [id])).rows
  for (const caller of [inBranch, inNone])
    for (const org of [elsewhere, ROOT_ORG_ID, 'default', 'no such one'])
      expect((await caller.in(org).post('/api/v1/authentication/access-keys/', {})).status).toBe(201)
  expect([await orgsOf(inBranch), await orgsOf(inNone)]).toEqual([[{ org_id: branch }], [{ org_id: ROOT_ORG_ID }]])
  expect((await inBranch.in(elsewhere).get('/api/v1/orgs/orgs/current/')).status).toBe(403)
})

test('[B7.18] a signed request with an old or future date is refused; clocks may differ by minutes', async () => {
  const at = (minutes: number) => signed(PROFILE, key, 'get', new Date(Date.now() + minutes * 60_000).toUTCString())
  for (const minutes of [-14, 14])
    expect((await server.call('GET', PROFILE, { headers: at(minutes) })).status).toBe(200)
  for (const minutes of [-16, 16, -60 * 24])
    expect((await server.call('GET', PROFILE, { headers: at(minutes) })).status).toBe(401)
})

test('[B7.18] the refusal of a date that is too far off says so, with the time here; one without a zone is GMT', async () => {
  const at = (date: string) => server.call('GET', PROFILE, { headers: signed(PROFILE, key, 'get', date) })
  const date = new Date(Date.now() - 3 * 3_600_000).toUTCString()
  const { status, body } = await at(date)
  expect([status, body.code]).toEqual([401, 'not_authenticated'])
  expect(body.detail).toContain(`signed with the date ${date}`)
  expect(body.detail).toContain('set the clock')
  expect((await at('some day')).body.detail).toContain('needs a Date header')
  expect(
    (await server.call('GET', PROFILE, { headers: signed(PROFILE, { ...key, secret: 'x' }, 'get', date) })).body.detail,
  ).toBe('Invalid signature.')
  const now = new Date()
  for (const zoneless of [now.toUTCString().replace(' GMT', ''), now.toISOString().slice(0, 19)])
    expect([zoneless, (await at(zoneless)).status]).toEqual([zoneless, 200])
})

test('[B7.18] where the setting allows it, scripts that always send the same old date are let in, as often as they come', async () => {
  const age = (minutes: number) =>
    server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_SIGNED_REQUEST_AGE: minutes })
  const fixed = new Date(Date.now() - 40 * 24 * 3_600_000).toUTCString()
  const legacy = {
    date: fixed,
    authorization: `Sign ${key.id}:${Buffer.from(createHash('md5').update(`${key.secret}\n${fixed}`).digest('hex')).toString('base64')}`,
  }
  const send = async (headers: Record<string, string> = signed(PROFILE, key, 'get', fixed)) =>
    (await server.call('GET', PROFILE, { headers })).status
  expect(await send()).toBe(401)
  expect((await age(14)).status).toBe(400)
  expect((await age(60 * 24 * 365)).status).toBe(200)
  expect([await send(), await send(legacy)]).toEqual([200, 200])
  await server.kernel.pool.query("UPDATE authentication_used_signature SET date_first = now() - interval '11 seconds'")
  expect([await send(), await send(legacy)]).toEqual([200, 200])
  expect(await send(signed(PROFILE, key, 'get', new Date(Date.now() + 16 * 60_000).toUTCString()))).toBe(401)
  expect((await age(15)).status).toBe(200)
  expect([await send(), await send(legacy)]).toEqual([401, 401])
})

test('[B7.18] the same request within a second is taken, as clients make the same signature twice; a copy later or from elsewhere is refused', async () => {
  const owner = await server.aPerson('twice')
  const { body: own } = await owner.post('/api/v1/authentication/access-keys/')
  const headers = signed(PROFILE, own)
  const send = async (remoteAddress = '127.0.0.1', authorization = headers.authorization) =>
    (
      await server.kernel.app.inject({
        method: 'GET',
        url: PROFILE,
        headers: { ...headers, authorization },
        remoteAddress,
      })
    ).statusCode
  expect([await send(), await send(), await send('10.9.9.9')]).toEqual([200, 200, 401])
  expect(await send()).toBe(200)
  await server.kernel.pool.query("UPDATE authentication_used_signature SET date_first = now() - interval '11 seconds'")
  expect(await send()).toBe(401)
  // The same signature in another spelling of base64 is the same signature.
  expect(await send('127.0.0.1', headers.authorization.replace(/=*"$/, '"'))).toBe(401)
  expect(
    (
      await server.call('GET', PROFILE, {
        headers: signed(PROFILE, own, 'get', new Date(Date.now() + 1000).toUTCString()),
      })
    ).status,
  ).toBe(200)

  const date = new Date(Date.now() + 2000).toUTCString()
  const legacy = {
    date,
    authorization: `Sign ${own.id}:${Buffer.from(createHash('md5').update(`${own.secret}\n${date}`).digest('hex')).toString('base64')}`,
  }
  const old = () => server.call('GET', PROFILE, { headers: legacy })
  expect([(await old()).status, (await old()).status]).toEqual([200, 200])
  await server.kernel.pool.query("UPDATE authentication_used_signature SET date_first = now() - interval '11 seconds'")
  expect((await old()).status).toBe(401)
})

test('[A3.05] a key works from its addresses only, and says when it was last used', async () => {
  const owner = await server.aPerson('placed')
  const { body: own } = await owner.post(KEYS)
  expect([own.ip_group, own.date_last_used]).toEqual([['*'], null])
  const limited = await owner.patch(`${KEYS}${own.id}/`, { ip_group: ['10.0.0.0/8', '192.168.1.1-192.168.1.9'] })
  expect([limited.status, limited.body.ip_group]).toEqual([200, ['10.0.0.0/8', '192.168.1.1-192.168.1.9']])
  const from = async (remoteAddress: string) =>
    (
      await server.kernel.app.inject({
        method: 'GET',
        url: `${PROFILE}?from=${remoteAddress}`,
        headers: signed(`${PROFILE}?from=${remoteAddress}`, own),
        remoteAddress,
      })
    ).statusCode
  expect([await from('127.0.0.1'), await from('11.0.0.1'), await from('192.168.1.10')]).toEqual([401, 401, 401])
  expect((await owner.get(`${KEYS}${own.id}/`)).body.date_last_used).toBeNull()
  expect([await from('10.1.2.3'), await from('192.168.1.5')]).toEqual([200, 200])
  expect((await owner.get(`${KEYS}${own.id}/`)).body.date_last_used).toMatch(/^\d{4}\//)
  for (const ip_group of [['nonsense'], ['10.0.0.1/8'], [], 'x'])
    expect([(await owner.patch(`${KEYS}${own.id}/`, { ip_group })).status, ip_group]).toEqual([400, ip_group])
  // An update by clients that know nothing of addresses keeps them.
  expect((await owner.put(`${KEYS}${own.id}/`, { is_active: true })).body.ip_group).toEqual([
    '10.0.0.0/8',
    '192.168.1.1-192.168.1.9',
  ])
})

const KEYS = '/api/v1/authentication/access-keys/'
const COVERED = /^\*{32}[0-9a-f]{4}$/

test('[B7.18] a secret is read by the sign-in that made the key, for a minute, and behind a fresh second factor; else all but its end is covered', async () => {
  const { secret: factor } = await aGuarded(server, 'reader')
  const browser = openTestBrowser(server)
  await browser.call('POST', '/core/auth/login/', { username: 'reader', password: PASSWORD })
  await browser.call('POST', '/core/auth/login/mfa/', { code: codeOf(factor) })
  await browser.call('GET', '/core/auth/login/guard/')
  const { body: own } = await browser.call('POST', KEYS, {})
  const seen = async (call: () => Promise<Answer>) => (await call()).body[0].secret
  expect(await seen(() => browser.call('GET', KEYS))).toBe(own.secret)
  const byKey = () => server.call('GET', KEYS, { headers: signed(KEYS, own) })
  const covered = await seen(byKey)
  expect([covered, covered.slice(-4)]).toEqual([expect.stringMatching(COVERED), own.secret.slice(-4)])
  await server.kernel.pool.query(
    `UPDATE authentication_access_key SET date_created = now() - interval '61 seconds' WHERE id = $1`,
    [own.id],
  )
  expect(await seen(() => browser.call('GET', KEYS))).toBe(covered)
  expect((await browser.call('PATCH', `${KEYS}${own.id}/`, { is_active: true })).body.secret).toBe(covered)
  const proof = await browser.call('POST', '/api/v1/authentication/otp/verify/', { code: codeOf(factor, 1) })
  expect(proof.status).toBe(200)
  expect(await seen(() => browser.call('GET', KEYS))).toBe(own.secret)
  expect(await seen(byKey)).toBe(covered)
})

test('[B7.18] a new key has the addresses that it is made for, and one that is limited makes keys for its own addresses alone', async () => {
  const owner = await server.aPerson('penned')
  const { body: free } = await owner.post(KEYS)
  const made = await owner.post(KEYS, { ip_group: ['10.0.0.0/8', '192.0.2.1'], is_active: false })
  expect([made.status, made.body.ip_group, made.body.is_active]).toEqual([201, ['10.0.0.0/8', '192.0.2.1'], true])
  for (const ip_group of [['nonsense'], [], 'x', ['10.0.0.1/8']])
    expect(await owner.post(KEYS, { ip_group })).toMatchObject({
      status: 400,
      body: { ip_group: [expect.any(String)] },
    })
  const own = made.body
  const byKey = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
    const headers = signed(url, own, method.toLowerCase())
    const { statusCode, body } = await server.kernel.app.inject({
      method,
      url,
      headers,
      remoteAddress: '10.1.2.3',
      ...(payload ? { payload } : {}),
    })
    return { status: statusCode, body: JSON.parse(body) }
  }
  expect((await byKey('POST', KEYS)).body.ip_group).toEqual(['10.0.0.0/8', '192.0.2.1'])
  expect((await byKey('POST', KEYS, { ip_group: ['192.0.2.1'] })).body.ip_group).toEqual(['192.0.2.1'])
  for (const ip_group of [['*'], ['10.0.0.0/8', '10.0.0.0/7'], ['192.0.2.2']])
    expect((await byKey('POST', KEYS, { ip_group })).status).toBe(400)
  const shown: string[] = (await byKey('GET', KEYS)).body.map(({ secret }: { secret: string }) => secret)
  expect(shown).toEqual(Array(4).fill(expect.stringMatching(COVERED)))
  for (const { id } of [free, own])
    expect((await byKey('PATCH', `${KEYS}${id}/`, { ip_group: ['*'] })).status).toBe(400)
  expect((await byKey('PATCH', `${KEYS}${free.id}/`, { is_active: false })).status).toBe(200)
  expect((await byKey('PATCH', `${KEYS}${free.id}/`, { is_active: true })).status).toBe(403)
})
