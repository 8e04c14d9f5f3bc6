// Class 32: programs that people connect as their agents, by OAuth 2.1. Strangers register, send people to the
// page, and try codes, tokens and addresses of others.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Answer,
  aBrowserOf,
  admin,
  aGuarded,
  aJar,
  aName,
  anAddress,
  anOrganization,
  aPerson,
  type CookieJar,
  call,
  codeOf,
  fine,
  LOGIN,
  PASSWORD,
  place,
} from './visitor.ts'

const OAUTH = '/api/v1/authentication/oauth/'
const PROGRAMS = '/api/v1/authentication/agent-programs/'
const MFA = '/core/auth/login/mfa/'
const CALLBACK = 'http://127.0.0.1:4711/back'
const resource = `${place.url}/api/mcp`

let browser: CookieJar
let username: string

const set = async (who: string) =>
  fine(await (await admin()).call('PATCH', '/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: who }))
beforeAll(async () => {
  username = aName('connects')
  await aPerson({ username })
  browser = await aBrowserOf(username)
  fine(await (await admin()).call('PATCH', '/api/v1/settings/setting/?category=basic', { SITE_URL: place.url }))
  await set('everybody')
})
afterAll(() => set('off'))

const register = (body: unknown, address = anAddress()) =>
  call('POST', `${OAUTH}register/`, body, { 'x-forwarded-for': address })
const program = async (redirect_uris = [CALLBACK]) =>
  fine(await register({ client_name: 'Plain', redirect_uris })).client_id as string
const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

type Values = Record<string, string | undefined>
const asked = (client_id: string, challenge: string, more: Values = {}): Values => ({
  ...{ client_id, redirect_uri: CALLBACK, response_type: 'code', state: 'its-own', resource },
  ...{ code_challenge: challenge, code_challenge_method: 'S256', ...more },
})
const look = (values: Values, by = browser) =>
  by.call('GET', `${PROGRAMS}asking/?${new URLSearchParams(JSON.parse(JSON.stringify(values)))}`)
const connect = (values: Values, by = browser) => by.call('POST', `${PROGRAMS}connect/`, values)
const codeIn = ({ body }: Answer) => new URL(body.location).searchParams.get('code') ?? ''
const form = (path: string, values: Values) =>
  call('POST', `${OAUTH}${path}/`, new URLSearchParams(JSON.parse(JSON.stringify(values))).toString(), {
    ...{ 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': anAddress() },
  })
const exchange = (client_id: string, code: string, verifier: string, more: Values = {}) =>
  form('token', {
    ...{ grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri: CALLBACK, resource },
    ...more,
  })
const refresh = (client_id: string, refresh_token: string, more: Values = {}) =>
  form('token', { grant_type: 'refresh_token', client_id, refresh_token, ...more })
const tools = (token: string, headers: Record<string, string> = {}) =>
  call(
    'POST',
    '/api/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', ...headers },
  )

/** A program that the person has connected. */
async function connected(by = browser) {
  const client = await program()
  const { verifier, challenge } = pkce()
  const code = codeIn(await connect(asked(client, challenge), by))
  const { access_token, refresh_token } = fine(await exchange(client, code, verifier))
  return { client, code, verifier, access: access_token as string, refresh: refresh_token as string }
}

test('a program registers addresses of https and of the person’s own computer alone, small ones, and so many from one place', async () => {
  for (const bad of [
    ...['javascript:alert(1)', 'http://evil.example/', 'data:text/html,x', '/ui/', 'file:///etc/passwd'],
    ...[
      'https://user:pass@evil.example/',
      'https://evil.example/#part',
      'https://evil.example/\\@here',
      'myapp://back',
    ],
    ...['http://127.0.0.1.evil.example/', 'http://localhost.evil.example/', 'http://localhost@evil.example/'],
    `https://evil.example/${'x'.repeat(600)}`,
  ])
    expect([bad, await register({ redirect_uris: [bad] })]).toMatchObject([
      bad,
      { status: 400, body: { error: expect.stringMatching(/invalid_redirect_uri|invalid_client_metadata/) } },
    ])
  for (const body of [
    {},
    [],
    { redirect_uris: [] },
    { redirect_uris: Array(6).fill(CALLBACK) },
    { redirect_uris: [7] },
  ])
    expect(await register(body)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
  expect((await register({ redirect_uris: [CALLBACK], client_name: 'x'.repeat(20_000) })).status).toBe(413)
  const one = anAddress()
  const many = await Promise.all(Array.from({ length: 30 }, () => register({ redirect_uris: [CALLBACK] }, one)))
  expect(many.every(({ status }) => status === 201)).toBe(true)
  expect((await register({ redirect_uris: [CALLBACK] }, one)).status).toBe(429)
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(201)
})

test('[S1.32] no address leads a browser elsewhere: unknown programs and other addresses than the registered ones get no answer at all', async () => {
  const client = await program([CALLBACK, 'https://app.example/back?x=1'])
  const { challenge } = pkce()
  for (const redirect_uri of [
    ...['https://evil.example/', 'https://app.example/back', 'https://app.example/back?x=1&y=2', `${CALLBACK}/more`],
    ...[
      'http://127.0.0.1:4711/',
      'http://localhost:4711/back',
      'https://127.0.0.1:4711/back',
      `${CALLBACK}?next=//evil`,
    ],
    ...['javascript:alert(1)', 'http://127.0.0.1:4711@evil.example/back', ''],
  ])
    for (const send of [look, connect])
      expect([redirect_uri, await send(asked(client, challenge, { redirect_uri }))]).toMatchObject([
        redirect_uri,
        { status: 400, body: { code: 'unknown_program' } },
      ])
  for (const send of [look, connect])
    expect(await send(asked('00000000-0000-4000-8000-000000000009', challenge))).toMatchObject({ status: 400 })
  // The port of the person's own computer alone may be another one (RFC 8252).
  const { body } = await look(asked(client, challenge, { redirect_uri: 'http://127.0.0.1:9/back' }))
  expect(body).toMatchObject({ host: '127.0.0.1:9', fault: '' })
})

test('a program that asks without PKCE, by a plain challenge, for another resource, scope or answer gets no code', async () => {
  const client = await program()
  const { challenge } = pkce()
  for (const [bad, fault] of [
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: undefined }, 'invalid_target'],
    [{ resource: 'https://other.example/api/mcp' }, 'invalid_target'],
    [{ resource: `${place.url}/api/v1` }, 'invalid_target'],
    [{ scope: 'agents all' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
  ] as const) {
    expect([bad, (await look(asked(client, challenge, bad))).body]).toMatchObject([bad, { fault }])
    expect([bad, await connect(asked(client, challenge, bad))]).toMatchObject([
      bad,
      { status: 400, body: { code: 'bad_program' } },
    ])
  }
})

test('only a person says yes, in a browser, by a page of ours, with the second factor that they have', async () => {
  const client = await program()
  const { challenge } = pkce()
  const values = asked(client, challenge)
  const person = await aPerson({ username: aName('by-token') })
  expect(await person.call('POST', `${PROGRAMS}connect/`, values)).toMatchObject({ body: { code: 'browser_only' } })
  expect((await call('POST', `${PROGRAMS}connect/`, values)).status).toBe(401)
  const foreign: Record<string, string>[] = [{ 'x-csrftoken': 'wrong' }, { origin: 'https://evil.example' }]
  for (const headers of foreign)
    expect((await browser.call('POST', `${PROGRAMS}connect/`, values, headers)).status).toBe(403)
  const page = await browser.call('GET', '/ui/connect-agent', undefined, { accept: 'text/html' })
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const guarded = await aGuarded()
  const half = aJar()
  fine(await half.call('POST', LOGIN, { username: guarded.username, password: PASSWORD }))
  for (const send of [look, connect]) expect((await send(values, half)).status).toBe(401)
  fine(await half.call('POST', MFA, { code: codeOf(guarded.secret) }))
  await half.call('GET', '/core/auth/login/guard/')
  expect((await connect(values, half)).body.code).toBe('mfa_verify_required')
  fine(await half.call('POST', '/api/v1/authentication/otp/verify/', { code: codeOf(guarded.secret, 1) }))
  expect((await connect(values, half)).status).toBe(200)
})

test('[S1.32] a code is for its program, its address, its proof and its minute, once; a second use ends what the first one gave', async () => {
  const { client, code, verifier, access, refresh: own } = await connected()
  expect((await tools(access)).status).toBe(200)
  expect(await exchange(client, code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await tools(access)).status).toBe(401)
  expect((await refresh(client, own)).body.error).toBe('invalid_grant')

  const other = await program()
  const made = pkce()
  const fresh = codeIn(await connect(asked(client, made.challenge)))
  for (const [wrong, error] of [
    [() => exchange(other, fresh, made.verifier), 'invalid_grant'],
    [() => exchange(client, fresh, pkce().verifier), 'invalid_grant'],
    [() => exchange(client, fresh, made.challenge), 'invalid_grant'],
    [() => exchange(client, fresh, ''), 'invalid_request'],
    [() => exchange(client, fresh, made.verifier, { redirect_uri: 'http://127.0.0.1:1/back' }), 'invalid_grant'],
    [() => exchange(client, fresh, made.verifier, { resource: 'https://other.example/' }), 'invalid_target'],
    [() => exchange(client, `${fresh}x`, made.verifier), 'invalid_grant'],
    [() => exchange(client, fresh, made.verifier, { grant_type: 'password' }), 'unsupported_grant_type'],
    [() => exchange('nobody', fresh, made.verifier), 'invalid_client'],
  ] as const)
    expect((await wrong()).body.error).toBe(error)
  const both = await Promise.all([exchange(client, fresh, made.verifier), exchange(client, fresh, made.verifier)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('[S1.32] a refresh token counts once: an old one, also in the hands of another program, ends all of its family', async () => {
  for (const thief of ['own', 'other'] as const) {
    const { client, refresh: first } = await connected()
    const [once, again] = await Promise.all([refresh(client, first), refresh(client, first)])
    // A client that renews twice at once has one pair of tokens.
    expect(fine(again)).toEqual(fine(once))
    const second = thief === 'own' ? fine(await refresh(client, fine(once).refresh_token)) : fine(once)
    expect(second.refresh_token).not.toBe(first)
    expect((await tools(second.access_token)).status).toBe(200)
    const by = thief === 'own' ? client : await program()
    expect((await refresh(by, first)).body.error).toBe('invalid_grant')
    expect((await tools(second.access_token)).status).toBe(401)
    expect((await refresh(client, second.refresh_token)).body.error).toBe('invalid_grant')
  }
  const { client, access, refresh: own } = await connected()
  // Neither token is the other kind, and another program ends nothing by a revocation.
  expect((await refresh(client, access)).body.error).toBe('invalid_grant')
  expect((await tools(own)).status).toBe(401)
  expect((await form('revoke', { client_id: await program(), token: own })).status).toBe(200)
  expect((await tools(access)).status).toBe(200)
  expect((await form('revoke', { client_id: client, token: own })).status).toBe(200)
  expect((await tools(access)).status).toBe(401)
})

test('a token opens the tools of agents alone, in no organization of others, and says nothing to pages', async () => {
  const { access } = await connected()
  const headers = { authorization: `Bearer ${access}` }
  for (const path of ['/api/v1/perms/users/assets/', '/api/v1/users/users/', '/api/v1/authentication/access-keys/'])
    expect([path, (await call('GET', path, undefined, headers)).status]).toEqual([path, 403])
  const tokens = await call('POST', '/api/v1/authentication/connection-token/', { asset: 'x' }, headers)
  expect(tokens.status).toBe(403)
  const org = await anOrganization()
  const there = await call(
    'POST',
    '/api/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_requestable', arguments: { search: '' } } },
    { ...headers, accept: 'application/json, text/event-stream', 'x-jms-org': org },
  )
  expect(there.body.result?.structuredContent?.data).not.toHaveProperty('rows.0')
  const without = await call('POST', '/api/mcp', {})
  expect(without.headers.get('www-authenticate')).toContain(
    `resource_metadata="${place.url}/.well-known/oauth-protected-resource/api/mcp"`,
  )
})

test('the answer says who gives it and for which question, and a no gives nothing', async () => {
  const client = await program()
  const { body } = await look(asked(client, pkce().challenge, { state: 'a b&c=d' }))
  const refused = new URL(body.refused_at)
  expect(Object.fromEntries(refused.searchParams)).toEqual({ error: 'access_denied', state: 'a b&c=d', iss: place.url })
  const given = new URL((await connect(asked(client, pkce().challenge, { state: 'mine' }))).body.location)
  expect([given.searchParams.get('iss'), given.searchParams.get('state')]).toEqual([place.url, 'mine'])
})
