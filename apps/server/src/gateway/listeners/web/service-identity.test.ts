import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../../test/server.ts'
import { type Issuer, startIssuer } from '../../../domains/authentication/service-identities/workload/issuer-fixture.ts'
import { openTerminalFixture, type TerminalFixture } from './terminal-fixture.ts'

let fixture: TerminalFixture
let issuer: Issuer
let owner: Caller
beforeAll(async () => {
  ;[fixture, issuer] = await Promise.all([openTerminalFixture(), startIssuer()])
  owner = await fixture.server.aPerson('owner')
})
afterAll(async () => {
  await fixture?.close()
  await issuer?.close()
})

const SUBJECT = 'system:serviceaccount:prod:deployer'
const AUDIENCE = 'https://bastion.example.com'

/** A script that may connect where the permission says, and nothing else. */
async function aScript(): Promise<{ id: string; username: string; as: (token: string) => Caller; key: string }> {
  const { created, server } = fixture
  const username = 'svc.deploy'
  const draft = { name: 'Deploy', username, owner: owner.id, purpose: 'deploys', writes: ['connect'] }
  const id = await created('/api/v1/authentication/service-identities/', draft)
  const { body } = await server.admin.post('/api/v1/authentication/service-keys/', { identity: id, name: 'first' })
  await server.admin.patch(`/api/v1/perms/asset-permissions/${fixture.permission}/`, { users: [fixture.person.id, id] })
  await created('/api/v1/authentication/trust-rules/', {
    identity: id,
    name: 'cluster',
    issuer: issuer.url,
    audience: AUDIENCE,
    ca_certificate: issuer.pem,
    claims: [{ claim: 'sub', value: SUBJECT }],
  })
  const as = (token: string): Caller => ({
    ...owner,
    id,
    username,
    token,
    post: (path, sent) => server.call('POST', path, { body: sent, headers: { authorization: `Bearer ${token}` } }),
  })
  return { id, username, as, key: body.token }
}

test('a script connects by its key and by connection tokens; each session says on whose behalf, and both end within five seconds of the owner', async () => {
  const { server, asset, systemUser } = fixture
  const script = await aScript()
  const byKey = await fixture.open(script.as(script.key))
  await byKey.see(/[#$] /)

  const jwt = await issuer.sign({ sub: SUBJECT, aud: AUDIENCE })
  const { body: exchanged } = await server.call('POST', '/api/v1/authentication/workload-tokens/', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      client_id: script.username,
      subject_token: jwt,
    },
  })
  const workload = script.as(exchanged.access_token)
  const issued = await workload.post('/api/v1/authentication/connection-token/', { asset, system_user: systemUser })
  expect([issued.status, issued.body]).toEqual([201, { token: expect.any(String) }])
  const byToken = await fixture.open(workload, { byToken: issued.body.token })
  await byToken.see(/[#$] /)

  const { body: sessions } = await server.admin.get(`/api/v1/terminal/sessions/?user_id=${script.id}&is_finished=0`)
  expect(sessions.map((one: Record<string, unknown>) => [one.user, one.on_behalf_of]).sort()).toEqual([
    ['Deploy(svc.deploy)', 'owner of test(owner)'],
    ['Deploy(svc.deploy)', SUBJECT],
  ])
  const { body: own } = await server.admin.get(`/api/v1/terminal/sessions/?user_id=${fixture.person.id}`)
  expect(own.every((one: Record<string, unknown>) => one.on_behalf_of === null)).toBe(true)

  const started = performance.now()
  expect((await server.admin.patch(`/api/v1/users/users/${owner.id}/`, { is_active: false })).status).toBe(200)
  await Promise.all([byKey.closed, byToken.closed])
  expect(performance.now() - started).toBeLessThan(5000)
})
