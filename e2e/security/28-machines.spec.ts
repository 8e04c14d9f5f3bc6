// Class 28: machines. The holder of a script's key, or of a token that anybody can have signed at the same
// provider, tries to call, to become and to stay more than the script was given.
import { createHmac } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Issuer,
  startIssuer,
} from '../../apps/server/src/domains/authentication/service-identities/workload/issuer-fixture.ts'
import {
  type Answer,
  admin,
  aJar,
  aName,
  anOrganization,
  aPerson,
  call,
  fine,
  LOGIN,
  PASSWORD,
  PROFILE,
} from './visitor.ts'

const IDENTITIES = '/api/v1/authentication/service-identities/'
const KEYS = '/api/v1/authentication/service-keys/'
const RULES = '/api/v1/authentication/trust-rules/'
const EXCHANGE = '/api/v1/authentication/workload-tokens/'
const USERS = '/api/v1/users/users/'
const AUDIENCE = 'https://bastion.example.com'
const SUBJECT = 'repo:octo/app:ref:refs/heads/main'

const CLAIMS = [{ claim: 'sub', value: SUBJECT }]

let issuer: Issuer
let owner: Awaited<ReturnType<typeof aPerson>>
beforeAll(async () => {
  ;[issuer, owner] = await Promise.all([startIssuer(), aPerson()])
})
afterAll(() => issuer?.close())

interface Script {
  id: string
  username: string
  token: string
  as(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

async function aScript(draft: Record<string, unknown> = {}): Promise<Script> {
  const keeper = await admin()
  const username = aName('svc')
  const whole = { name: username, username, owner: owner.id, purpose: 'attacks', reads: ['all'], writes: ['all'] }
  const { id } = fine(await keeper.call('POST', IDENTITIES, { ...whole, ...draft }))
  const { token } = fine(await keeper.call('POST', KEYS, { identity: id, name: 'first' }))
  return {
    id,
    username,
    token,
    as: (method, path, body, headers) => call(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  }
}

/**
 * Calls that look nobody up, and so know no scope: they take credentials of their own, tell everybody the
 * same, or lead on.
 */
const FOR_EVERYBODY =
  /^\/(scim\/v2|api\/v1\/authentication\/(workload-tokens|oauth)|api\/(v1\/)?health|api\/v1\/prometheus\/metrics|api\/(swagger|redoc))[/.]/

test('the key of a script for tickets opens nothing else, though its user administers the whole system', async () => {
  const script = await aScript({ reads: [], writes: ['tickets'] })
  fine(await (await admin()).call('PATCH', `${USERS}${script.id}/`, { role: 'Admin' }))
  fine(await script.as('GET', '/api/v1/tickets/tickets/'))
  const { paths } = fine(await call('GET', '/api/docs/')) as { paths: Record<string, Record<string, unknown>> }
  const opened: string[] = []
  let tried = 0
  for (const [path, methods] of Object.entries(paths)) {
    const address = path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000009')
    if (
      !path.startsWith('/api/') ||
      /\/api\/v1\/tickets\//.test(address) ||
      address === PROFILE ||
      FOR_EVERYBODY.test(address)
    )
      continue
    for (const method of Object.keys(methods)) {
      if (!/^(get|post|put|patch|delete)$/.test(method)) continue
      tried++
      const { status, body } = await script.as(method.toUpperCase(), address, method === 'get' ? undefined : {})
      if (status !== 403 || !/out_of_scope|permission_denied/.test(body.code))
        opened.push(`${method} ${address} ${status} ${String(body?.code)}`)
    }
  }
  expect(tried).toBeGreaterThan(400)
  expect(opened).toEqual([])
  // Other ways to write the same address, and methods that are not what they seem.
  for (const [method, path, headers] of [
    ['GET', '/api/v1/tickets/../users/users/'],
    ['GET', '/api/v1/tickets/%2e%2e/users/users/'],
    ['GET', '//api/v1/users/users/'],
    ['GET', '/api/v1/users//users/'],
    ['GET', '/API/V1/users/users/'],
    ['GET', '/api/v1/users/users'],
    ['GET', '/api/users/v1/users/'],
    ['HEAD', '/api/v1/users/users/'],
    ['GET', '/api/v1/users/users/', { 'x-http-method-override': 'GET', 'x-original-url': '/api/v1/tickets/tickets/' }],
  ] as [string, string, Record<string, string>?][]) {
    const { status } = await script.as(method, path, undefined, headers)
    expect([path, status >= 400 || status === 301 || status === 302 || status === 308]).toEqual([path, true])
  }
})

test('a key of a script signs in nowhere: not as a password, a cookie, a private token or a signature', async () => {
  const { id, username, token } = await aScript()
  for (const [password, name] of [
    [token, username],
    ['', username],
    [PASSWORD, username],
    [token, owner.username],
  ]) {
    const { status } = await call('POST', '/api/v1/authentication/tokens/', { username: name, password })
    expect(status).toBe(400)
    const browser = aJar()
    await browser.call('POST', LOGIN, `username=${name}&password=${encodeURIComponent(password ?? '')}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect((await browser.call('GET', PROFILE)).status).toBe(401)
  }
  for (const headers of [
    { authorization: `Token ${token}` },
    { authorization: `Sign ${id}:${token}` },
    { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: `Bearer ${token} ${token}` },
    { authorization: `Bearer ${token.toUpperCase()}` },
    { cookie: `sessionid=${token}` },
  ])
    expect([headers, (await call('GET', PROFILE, undefined, headers as never)).status]).toEqual([headers, 401])
})

test('a script makes no second way in for itself, for its owner or for anybody, and widens nothing of its own', async () => {
  const script = await aScript({ reads: ['all'], writes: ['users', 'settings', 'acls'], org_roles: ['Admin'] })
  const person = { name: 'x', username: aName('x'), email: `${aName('x')}@example.com`, password: PASSWORD }
  const attempts: [string, string, unknown][] = [
    ['PATCH', `${IDENTITIES}${script.id}/`, { writes: ['all'] }],
    ['PATCH', `${IDENTITIES}${script.id}/`, { ip_group: ['*'], date_expired: null }],
    ['POST', KEYS, { identity: script.id, name: 'second' }],
    ['POST', RULES, { identity: script.id, name: 'x', issuer: issuer.url, audience: 'x', claims: CLAIMS }],
    ['POST', IDENTITIES, { name: 'x', username: aName('svc'), owner: owner.id, purpose: 'x', writes: ['all'] }],
    ['POST', USERS, { ...person, password_strategy: 'custom', org_roles: ['Admin'] }],
    ['PUT', `${USERS}${owner.id}/password/`, { password: 'Another-door-1' }],
    ['PATCH', `${USERS}${script.id}/`, { role: 'Admin' }],
    ['POST', '/api/v1/authentication/access-keys/', {}],
    ['PUT', `${PROFILE}password/`, { new_password: PASSWORD, new_password_again: PASSWORD }],
    ['POST', '/api/v1/authentication/passkeys/options/', {}],
    ['POST', '/api/v1/authentication/sso/login-url/', { username: 'admin' }],
    [
      'POST',
      '/api/v1/acls/login-acls/',
      { name: 'x', user: owner.id, rules: {}, action: 'allow', reviewers: [owner.id] },
    ],
  ]
  for (const [method, path, body] of attempts) {
    const { status } = await script.as(method, path, body)
    expect([method, path, status]).toEqual([method, path, 403])
  }
})

test('from another address, after its end, and in an organization that is not its own, a key opens nothing', async () => {
  const keeper = await admin()
  const here = await aScript({ ip_group: ['10.77.0.0/16'], org_roles: ['Admin'] })
  const from = (address: string) => here.as('GET', PROFILE, undefined, { 'x-forwarded-for': address })
  expect((await from('10.77.3.4')).status).toBe(200)
  for (const address of ['10.78.0.1', '::1', '10.77.3.4, 10.78.0.1']) expect((await from(address)).status).toBe(401)
  const other = await anOrganization()
  const elsewhere = { 'x-forwarded-for': '10.77.3.4', 'x-jms-org': other }
  expect((await here.as('GET', USERS, undefined, elsewhere)).status).toBe(403)
  expect((await here.as('GET', USERS, undefined, { ...elsewhere, 'x-jms-org': 'ROOT' })).status).toBe(403)
  fine(await keeper.call('PATCH', `${IDENTITIES}${here.id}/`, { date_expired: '2020-01-01T00:00:00Z' }))
  expect((await from('10.77.3.4')).status).toBe(401)
  const local = await aPerson({ orgRoles: ['Admin'], org: other })
  for (const path of [`${IDENTITIES}${here.id}/`, `${KEYS}?identity=${here.id}`]) {
    const { status, body } = await local.call('GET', path)
    expect(status === 404 || (status === 200 && body.length === 0) || status === 400).toBe(true)
  }
  expect((await local.call('POST', KEYS, { identity: here.id, name: 'stolen' })).status).toBe(400)
})

async function aTrusting(): Promise<Script> {
  const script = await aScript({ writes: ['tickets'], reads: [] })
  fine(
    await (await admin()).call('POST', RULES, {
      identity: script.id,
      name: 'main',
      issuer: issuer.url,
      audience: AUDIENCE,
      ca_certificate: issuer.pem,
      claims: CLAIMS,
    }),
  )
  return script
}

const exchange = (client_id: string, subject_token: string): Promise<Answer> =>
  call('POST', EXCHANGE, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    client_id,
    subject_token,
  })

test('a token that the provider signed for others, or nobody has signed, is not taken, and the right one once', async () => {
  const { username } = await aTrusting()
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: SUBJECT, aud: AUDIENCE }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = part({ iss: issuer.url, iat: now, exp: now + 300, jti: 'forged', ...claims })
  const byHmac = (key: string) => {
    const head = `${part({ alg: 'HS256', kid: 'first' })}.${payload}`
    return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`
  }
  const { privateKey } = await generateKeyPair('RS256')
  const forged = await new SignJWT({ iss: issuer.url, iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'first', jku: `${issuer.url}/keys` })
    .sign(privateKey)
  const refused = [
    `${part({ alg: 'none' })}.${payload}.`,
    byHmac(JSON.stringify(issuer.published[0])),
    byHmac(String(issuer.published[0]?.n)),
    byHmac(''),
    forged,
    await issuer.sign({ ...claims, sub: 'repo:evil/app:ref:refs/heads/main' }),
    await issuer.sign({ ...claims, sub: `${SUBJECT}/x` }),
    await issuer.sign({ ...claims, sub: SUBJECT.toUpperCase() }),
    await issuer.sign({ ...claims, aud: 'https://other.example.com' }),
    await issuer.sign({ ...claims, aud: `${AUDIENCE}/` }),
    await issuer.sign({ ...claims, iss: 'https://evil.example.com' }),
    await issuer.sign({ ...claims, exp: now - 120 }),
    await issuer.sign({ ...claims, nbf: now + 600 }),
  ]
  for (const [at, token] of refused.entries()) {
    const { status, body } = await exchange(username, token)
    expect([at, status, body.error]).toEqual([at, 400, 'invalid_grant'])
  }
  const right = await issuer.sign(claims)
  const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(username, right)))
  expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  const token = answers.find(({ status }) => status === 200)?.body.access_token
  const authorization = `Bearer ${token}`
  expect((await call('GET', '/api/v1/tickets/tickets/', undefined, { authorization })).status).toBe(200)
  expect((await call('GET', USERS, undefined, { authorization })).status).toBe(403)
  // The token of here is none of a provider, and makes no longer one.
  expect((await exchange(username, token)).body.error).toBe('invalid_grant')
  expect((await exchange(username, right)).body.error).toBe('invalid_grant')
})
