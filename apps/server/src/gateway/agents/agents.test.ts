import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentsFixture, connectAgent, openAgentsFixture, type TestAgent } from './agents-fixture.ts'

let fixture: AgentsFixture
/** By a service identity that may only read, and by one that may act. */
let reader: TestAgent
let readerKey: string

beforeAll(async () => {
  fixture = await openAgentsFixture()
  const { token } = await fixture.identity('svc.reader', { reads: ['agents'] })
  readerKey = token
  await fixture.allow('identities')
  reader = await connectAgent(fixture.server.url, token)
})
afterAll(async () => {
  await reader?.close()
  await fixture?.close()
})

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const post = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  fixture.server.call('POST', '/api/mcp', {
    body,
    headers: { accept: 'application/json, text/event-stream', authorization: `Bearer ${token}`, ...headers },
  })

test('an agent finds its targets and accounts, and why it may not work on others', async () => {
  const found = await reader.use('find_targets', { search: 'web' })
  expect(found.data).toMatchObject({
    count: 1,
    rows: [{ id: fixture.asset, name: 'web-1', protocols: expect.anything() }],
  })
  expect(found.text).toContain('<data-of-sallyport>')
  const { data } = await reader.use('list_accounts', { target: fixture.asset })
  expect(data.accounts).toMatchObject([{ id: fixture.systemUser, username: fixture.sshd.username }])
  expect(JSON.stringify(data)).not.toMatch(/private_key|password/)
  expect((await reader.use('explain_access', { target: fixture.asset })).data).toMatchObject({ verdict: 'allowed' })
  const foreign = await fixture.created('/api/v1/assets/assets/', {
    ...{ hostname: 'secret-host', ip: '127.0.0.1', platform: 'Linux', protocols: ['ssh/22'] },
  })
  const why = await reader.use('explain_access', { target: foreign })
  expect(why.data).toMatchObject({ verdict: 'refused', wants_permission: true })
  expect(why.text).not.toContain('secret-host')
})

test('auditors read sessions and commands by an agent; others are refused in words', async () => {
  const refused = await reader.use('list_sessions')
  expect([refused.refused, refused.data]).toMatchObject([
    'Sallyport has refused this',
    { status: 403, answer: { code: 'permission_denied' } },
  ])
  const { token } = await fixture.identity('svc.auditor', { reads: ['agents'], org_roles: ['Auditor'] })
  const auditor = await connectAgent(fixture.server.url, token)
  const terminal = await fixture.open(fixture.person)
  await terminal.see(/[$#]/)
  terminal.type('echo seen-by-auditors\r')
  await terminal.see('seen-by-auditors')
  const id = terminal.session?.id ?? ''
  terminal.close()
  await terminal.closed
  await expect
    .poll(async () => JSON.stringify((await auditor.use('read_commands', { session: id })).data))
    .toContain('echo seen-by-auditors')
  expect((await auditor.use('list_sessions', { search: 'walker' })).data.rows).toMatchObject([{ id, user: /walker/ }])
  await auditor.close()
})

test('the setting turns agents off for all, and for people; a browser is no agent', async () => {
  const as = async (token: string) => (await post(token, message('tools/list'))).body
  expect(await as(fixture.person.token)).toMatchObject({ code: 'agents_off' })
  await fixture.allow('everybody')
  expect(await as(fixture.person.token)).toMatchObject({ result: { tools: expect.anything() } })
  await fixture.allow('off')
  expect(await as(readerKey)).toMatchObject({ code: 'agents_off' })
  await fixture.allow('identities')
  expect(await as(readerKey)).toMatchObject({ result: { tools: expect.anything() } })
  expect(await fixture.server.call('POST', '/api/mcp', { body: message('tools/list') })).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="Sallyport"' },
  })
})

test('an identity with the scope of agents alone calls nothing else with its key, and one without it has no agent', async () => {
  const own = await fixture.server.call('GET', '/api/v1/perms/users/assets/', {
    headers: { authorization: `Bearer ${readerKey}` },
  })
  expect([own.status, own.body.code]).toEqual([403, 'out_of_scope'])
  const { token } = await fixture.identity('svc.other', { writes: ['assets', 'ops', 'terminal'] })
  expect(await post(token, message('tools/list'))).toMatchObject({ status: 403, body: { code: 'out_of_scope' } })
})
