import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { exportSPKI, generateKeyPair, importJWK, type JWTPayload } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, openTestServer, type TestServer } from '../../../../../test/server.ts'
import { type Issuer, startIssuer } from './issuer-fixture.ts'

let server: TestServer
let issuer: Issuer
let owner: Caller
beforeAll(async () => {
  ;[server, issuer] = await Promise.all([openTestServer(), startIssuer()])
  owner = await server.aPerson('owner')
})
afterAll(async () => {
  await server?.close()
  await issuer?.close()
})

const EXCHANGE = '/api/v1/authentication/workload-tokens/'
const RULES = '/api/v1/authentication/trust-rules/'
const PROFILE = '/api/v1/users/profile/'
const AUDIENCE = 'https://bastion.example.com'
const SUBJECT = 'repo:octo/app:ref:refs/heads/main'
const CLAIMS = { sub: SUBJECT, aud: AUDIENCE, repository: 'octo/app', ref: 'refs/heads/main' }
const ANSWER_OF_STRANGERS = 'The token is not accepted: the sign-in log of this system has the reason'

let count = 0
type Body = Record<string, unknown>

/** An identity that trusts the main branch of one repository. */
async function aTrusting(rule: Body = {}): Promise<{ id: string; username: string; rule: string }> {
  const username = `svc.build.${++count}`
  const draft = { name: username, username, owner: owner.id, purpose: 'x', reads: ['all'], writes: ['all'] }
  const { body: identity } = await server.admin.post('/api/v1/authentication/service-identities/', draft)
  const made = await server.admin.post(RULES, {
    identity: identity.id,
    name: 'main branch',
    issuer: issuer.url,
    audience: AUDIENCE,
    ca_certificate: issuer.pem,
    claims: [
      { claim: 'repository', value: 'octo/app' },
      { claim: 'sub', value: 'repo:octo/app:ref:refs/heads/*' },
    ],
    ...rule,
  })
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ issuer: expect.any(String) })])
  return { id: identity.id, username, rule: made.body.id }
}

const exchange = (client_id: string, subject_token: string): Promise<Answer> =>
  server.call('POST', EXCHANGE, {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      client_id,
      subject_token,
    },
  })

/** The same as clients of RFC 8693 send it. */
const exchangeByForm = async (client_id: string, subject_token: string) => {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    client_id,
    subject_token,
  })
  return (await fetch(`${server.url}${EXCHANGE}`, { method: 'POST', body })).status
}

const call = (token: string, path = PROFILE, method = 'GET', body?: unknown) =>
  server.call(method, path, { body, headers: { authorization: `Bearer ${token}` } })

/** The reason in the sign-in log of the last try. */
async function lastReason(username: string): Promise<string> {
  const { body } = await server.admin.in('root').get(`/api/v1/audits/login-logs/?username=${username}`)
  return body[0]?.reason
}

async function expectRefused(username: string, token: string, reason: string): Promise<Answer> {
  const answer = await exchange(username, token)
  expect([reason, answer.status, answer.body.error]).toEqual([reason, 400, 'invalid_grant'])
  expect(await lastReason(username)).toBe(reason)
  return answer
}

test('a token of the provider is exchanged for a short one of the identity, and rows name its subject', async () => {
  const { id, username } = await aTrusting()
  const { status, body, headers } = await exchange(username, await issuer.sign(CLAIMS))
  expect([status, body]).toEqual([
    200,
    {
      access_token: expect.stringMatching(/^sallyport-workload-[\w-]{43}$/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
    },
  ])
  expect(headers['cache-control']).toBe('no-store')
  const me = await call(body.access_token)
  expect([me.status, me.body.id]).toEqual([200, id])
  await server.admin.patch(`/api/v1/authentication/service-identities/${id}/`, { org_roles: ['Admin'] })
  const label = await call(body.access_token, '/api/v1/assets/labels/', 'POST', { name: 'by', value: username })
  expect(label.status).toBe(201)
  const { body: log } = await server.admin.get(`/api/v1/audits/operate-logs/?user_id=${id}`)
  expect(log[0]).toMatchObject({ user: `${username}(${username})`, on_behalf_of: SUBJECT })
  const { body: signIns } = await server.admin.get(`/api/v1/audits/login-logs/?username=${username}`)
  expect(signIns[0]).toMatchObject({ status: true, on_behalf_of: SUBJECT, backend: 'Workload token' })
  expect(signIns[0].id).toBe(log[0].sign_in_id)
  const { body: listed } = await server.admin.get(`${EXCHANGE}?identity=${id}`)
  expect(listed).toMatchObject([{ subject: SUBJECT, remote_addr: '127.0.0.1' }])
  expect(JSON.stringify(listed)).not.toContain(body.access_token)
  expect((await server.admin.delete(`${EXCHANGE}${listed[0].id}/`)).status).toBe(204)
  expect((await call(body.access_token)).status).toBe(401)
})

test('a token is taken once, of several tries at the same time as well, and by one identity alone', async () => {
  const [{ username }, other] = [await aTrusting(), await aTrusting()]
  const token = await issuer.sign(CLAIMS)
  const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(username, token)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  await expectRefused(username, token, 'workload_used')
  await expectRefused(other.username, token, 'workload_used')
  // Without an id it is known by what was signed.
  const nameless = await issuer.sign({ ...CLAIMS, jti: undefined })
  expect((await exchange(username, nameless)).status).toBe(200)
  await expectRefused(username, nameless, 'workload_used')
  expect(await exchangeByForm(username, await issuer.sign(CLAIMS))).toBe(200)
  const { username: cluster } = await aTrusting({ is_reusable: true })
  const projected = await issuer.sign(CLAIMS)
  for (const _ of [1, 2]) expect((await exchange(cluster, projected)).status).toBe(200)
})

test('another audience, issuer, repository or branch, and a time that is not now, are refused', async () => {
  const { username } = await aTrusting()
  const now = Math.floor(Date.now() / 1000)
  const refused = async (claims: JWTPayload, reason: string) =>
    expectRefused(username, await issuer.sign({ ...CLAIMS, ...claims }), reason)
  await refused({ aud: 'https://other.example.com' }, 'workload_unknown')
  await refused({ aud: undefined as never }, 'workload_unknown')
  await refused({ iss: 'https://token.example.com' }, 'workload_unknown')
  await refused({ iss: `${issuer.url}/` }, 'workload_unknown')
  await refused({ repository: 'octo/app-evil' }, 'workload_claims')
  await refused({ sub: 'repo:octo/app:pull_request' }, 'workload_claims')
  await refused({ sub: 'repo:octo/app:ref:refs/heads/main/x' }, 'workload_claims')
  await refused({ sub: undefined as never }, 'workload_claims')
  await refused({ exp: now - 60 }, 'workload_expired')
  await refused({ exp: undefined as never }, 'workload_claims')
  await refused({ nbf: now + 600 }, 'workload_claims')
  await refused({ iat: now + 600 }, 'workload_claims')
  await refused({ iat: now - 2 * 86_400 }, 'workload_expired')
  // A stranger learns nothing; the holder of a right token what is wrong.
  const { body } = await refused({ aud: 'x' }, 'workload_unknown')
  expect(body.error_description).toBe(ANSWER_OF_STRANGERS)
  const { body: known } = await refused({ repository: 'x/y' }, 'workload_claims')
  expect(known.detail).toBe('No trust rule of this service identity fits the claims of the token')
  expect((await exchange('nobody.at.all', await issuer.sign(CLAIMS))).body.error_description).toBe(ANSWER_OF_STRANGERS)
})

test('a signature counts only by a key of the issuer, and in a way that has two keys', async () => {
  const { username } = await aTrusting()
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const payload = part({ iss: issuer.url, iat: now, exp: now + 300, jti: 'x', ...CLAIMS })
  const unsigned = (header: Body, signature = '') => `${part(header)}.${payload}.${signature}`
  await expectRefused(username, unsigned({ alg: 'none' }), 'workload_malformed')
  await expectRefused(username, unsigned({ alg: 'nOnE' }), 'workload_malformed')
  // The public key as a shared secret.
  const [jwk] = issuer.published
  const spki = await exportSPKI((await importJWK({ ...jwk, ext: true }, 'RS256', { extractable: true })) as never)
  const head = `${part({ alg: 'HS256', kid: 'first' })}.${payload}`
  const forged = `${head}.${createHmac('sha256', spki).update(head).digest('base64url')}`
  await expectRefused(username, forged, 'workload_malformed')
  // A key of somebody else under the name of the issuer's, or brought along.
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  await expectRefused(username, await issuer.sign(CLAIMS, { key: privateKey }), 'workload_signature')
  const { SignJWT, exportJWK } = await import('jose')
  const own = await exportJWK(publicKey)
  for (const header of [
    { jwk: own },
    { jku: 'https://evil.example.com/keys' },
    { x5u: 'https://evil.example.com/x5u' },
    { kid: '../../../etc/passwd' },
    { kid: `${issuer.url}/keys#first` },
    { kid: "first' OR '1'='1" },
    { crit: ['exp'], exp: 1 },
  ]) {
    const token = await new SignJWT({ iss: issuer.url, iat: now, exp: now + 300, ...CLAIMS })
      .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header } as never)
      .sign(privateKey, header.crit ? { crit: { exp: true } } : {})
    await expectRefused(username, token, 'workload_signature')
  }
  const right = await issuer.sign(CLAIMS)
  await expectRefused(username, `${right.slice(0, -8)}AAAAAAAA`, 'workload_signature')
  expect((await exchange(username, `${right}x`.padEnd(16_385, 'x'))).body.error).toBe('invalid_request')
  expect((await exchange(username, 'a'.repeat(70_000))).status).toBe(413)
  await expectRefused(username, 'no.token.at.all', 'workload_malformed')
  expect((await server.call('POST', EXCHANGE, { body: {} })).body.error).toBe('invalid_request')
})

test('a key that the issuer adds counts, one that it takes away does not; it is asked seldom', async () => {
  const provider = await startIssuer()
  try {
    const { username } = await aTrusting({ issuer: provider.url, ca_certificate: provider.pem })
    const claims = { ...CLAIMS, iss: provider.url }
    for (const _ of [1, 2, 3]) expect((await exchange(username, await provider.sign(claims))).status).toBe(200)
    expect([...provider.asked.values()]).toEqual([1, 1])
    // Tokens that name unknown keys do not make a flood of questions.
    const { privateKey } = await generateKeyPair('RS256')
    for (const kid of ['a', 'b', 'c', 'd'])
      await expectRefused(username, await provider.sign(claims, { kid, key: privateKey }), 'workload_signature')
    expect(provider.asked.get('/keys')).toBeLessThanOrEqual(2)
  } finally {
    await provider.close()
  }
  // Keys in the rule itself: rotation is a change of the rule.
  const keys = (kid: string) => JSON.stringify({ keys: issuer.published.filter((key) => key.kid === kid) })
  await issuer.rotate('second')
  const pinned = await aTrusting({ issuer: 'https://unreachable.example.com', ca_certificate: '', keys: keys('first') })
  const claims = { ...CLAIMS, iss: 'https://unreachable.example.com' }
  expect((await exchange(pinned.username, await issuer.sign(claims))).status).toBe(200)
  await expectRefused(pinned.username, await issuer.sign(claims, { kid: 'second' }), 'workload_signature')
  const changed = await server.admin.patch(`${RULES}${pinned.rule}/`, { keys: keys('second') })
  expect(changed.status).toBe(200)
  expect((await exchange(pinned.username, await issuer.sign(claims, { kid: 'second' }))).status).toBe(200)
  await expectRefused(pinned.username, await issuer.sign(claims), 'workload_signature')
})

test('an issuer that answers for another one, without TLS that holds, too much, or from a closed address is not believed', async () => {
  const provider = await startIssuer()
  try {
    const claims = { ...CLAIMS, iss: provider.url }
    const refusedBy = async (rule: Body) => {
      const { username } = await aTrusting({ issuer: provider.url, ca_certificate: provider.pem, ...rule })
      await expectRefused(username, await provider.sign(claims), 'workload_issuer_down')
    }
    // Another certificate authority than the one that is trusted.
    await refusedBy({ ca_certificate: issuer.pem })
    await refusedBy({ ca_certificate: '' })
    provider.document.body = { issuer: issuer.url, jwks_uri: `${provider.url}/keys` }
    await refusedBy({})
    // Asked again too early, it is not asked at all.
    const before = provider.asked.get('/.well-known/openid-configuration')
    await refusedBy({})
    expect(provider.asked.get('/.well-known/openid-configuration')).toBe(before)
  } finally {
    await provider.close()
  }
  const { username } = await aTrusting({ issuer: 'https://169.254.169.254', ca_certificate: '' })
  const token = await issuer.sign({ ...CLAIMS, iss: 'https://169.254.169.254' })
  await expectRefused(username, token, 'workload_issuer_down')
})

test('the token ends with its rule, its identity and its owner, and is refused from elsewhere', async () => {
  const { id, username, rule } = await aTrusting()
  const issued = async () => (await exchange(username, await issuer.sign(CLAIMS))).body.access_token as string
  const identity = `/api/v1/authentication/service-identities/${id}/`
  const first = await issued()
  await server.admin.patch(`${RULES}${rule}/`, { is_active: false })
  expect((await call(first)).status).toBe(401)
  await expectRefused(username, await issuer.sign(CLAIMS), 'workload_unknown')
  await server.admin.patch(`${RULES}${rule}/`, { is_active: true })
  expect((await call(first)).status).toBe(401)
  const second = await issued()
  await server.admin.patch(identity, { ip_group: ['10.0.0.0/8'] })
  expect((await call(second)).status).toBe(401)
  expect((await exchange(username, await issuer.sign(CLAIMS))).status).toBe(401)
  await server.admin.patch(identity, { ip_group: ['*'], is_active: false })
  expect((await exchange(username, await issuer.sign(CLAIMS))).body.detail).toBe('This service identity is disabled')
  await server.admin.patch(identity, { is_active: true })
  expect((await call(second)).status).toBe(200)
  await server.kernel.db.execute(sql`UPDATE authentication_workload_token SET date_expired = now()`)
  expect((await call(second)).status).toBe(401)
  const third = await issued()
  expect((await server.admin.delete(`${RULES}${rule}/`)).status).toBe(204)
  expect((await call(third)).status).toBe(401)
})

test('a rule that would take anybody, or names no issuer or key that can be asked, is refused', async () => {
  const { id } = await aTrusting()
  const draft = {
    identity: id,
    name: 'more',
    issuer: issuer.url,
    audience: AUDIENCE,
    claims: [{ claim: 'a', value: 'b' }],
  }
  const faults = async (more: Body) => Object.keys((await server.admin.post(RULES, { ...draft, ...more })).body)
  for (const text of ['http://127.0.0.1', 'nonsense', 'https://u@x.com', 'https://x.com/?a', 'https://x.com/#a'])
    expect([text, await faults({ issuer: text })]).toEqual([text, ['issuer']])
  expect(await faults({ claims: [] })).toEqual(['claims'])
  expect(await faults({ claims: [{ claim: 'sub', value: '**' }] })).toEqual(['claims'])
  expect(await faults({ keys: '{"keys":[]}' })).toEqual(['keys'])
  expect(await faults({ keys: '{"keys":[{"kty":"oct","k":"AAAA"}]}' })).toEqual(['keys'])
  expect(await faults({ keys: 'nonsense' })).toEqual(['keys'])
  expect(await faults({ ca_certificate: 'nonsense' })).toEqual(['ca_certificate'])
  expect((await owner.post(RULES, draft)).status).toBe(403)
})
