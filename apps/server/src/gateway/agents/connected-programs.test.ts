import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestBrowser, type TestBrowser } from '../../../test/browser.ts'
import { PASSWORD } from '../../../test/server.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { type AgentsFixture, answerOf, openAgentsFixture } from './agents-fixture.ts'
import { CALLBACK, clientOf, Program } from './connected-programs-fixture.ts'

const PROGRAMS = '/api/v1/authentication/agent-programs/'

let fixture: AgentsFixture
let browser: TestBrowser

beforeAll(async () => {
  fixture = await openAgentsFixture()
  const { server, person } = fixture
  await server.admin.patch('/api/v1/settings/setting/?category=basic', { SITE_URL: server.url })
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  browser = await signedIn(person.username)
})
afterAll(() => fixture?.close())

async function signedIn(username: string): Promise<TestBrowser> {
  const opened = openTestBrowser(fixture.server)
  const { body } = await opened.call('POST', '/core/auth/login/', { username, password: PASSWORD })
  expect(body).toEqual({ next: '/ui/' })
  return opened
}

/** The person's yes in the browser; answers the address that it leads to. */
async function agree(program: Program): Promise<URL> {
  const query = Object.fromEntries(program.sent?.searchParams ?? [])
  const { status, body } = await browser.call('POST', `${PROGRAMS}connect/`, query)
  expect([status, body]).toEqual([200, expect.anything()])
  return new URL(body.location)
}

/** A program that the person has connected, and its client. */
async function connected() {
  const program = new Program()
  const first = clientOf(fixture.server.url, program)
  await expect(first.connect()).rejects.toThrow(UnauthorizedError)
  await first.transport.finishAuth((await agree(program)).searchParams.get('code') ?? '')
  const { client, connect } = clientOf(fixture.server.url, program)
  await connect()
  return { program, client }
}
const find = async (client: Awaited<ReturnType<typeof connected>>['client']) =>
  answerOf(await client.callTool({ name: 'find_targets', arguments: {} }))

test('a program of the SDK finds by the address alone where to ask, its person agrees in the browser, and it works as them', async () => {
  await fixture.allow('everybody')
  const program = new Program()
  const { connect, transport } = clientOf(fixture.server.url, program)
  await expect(connect()).rejects.toThrow(UnauthorizedError)
  expect(program.sent?.pathname).toBe('/ui/connect-agent')
  const asked = await browser.call('GET', `${PROGRAMS}asking/${program.sent?.search}`)
  expect(asked.body).toEqual({
    name: 'Editor evil',
    host: '127.0.0.1:3118',
    is_local: true,
    scope: 'agents',
    fault: '',
    refused_at: `${CALLBACK}?error=access_denied&state=state-of-the-program&iss=${encodeURIComponent(fixture.server.url)}`,
  })
  const back = await agree(program)
  expect(Object.fromEntries(back.searchParams)).toEqual({
    ...{ code: expect.anything(), state: 'state-of-the-program', iss: fixture.server.url },
  })
  await transport.finishAuth(back.searchParams.get('code') ?? '')
  const { client, connect: again } = clientOf(fixture.server.url, program)
  await again()
  expect((await find(client)).data).toMatchObject({ count: 1, rows: [{ id: fixture.asset }] })
  const ran = answerOf(
    await client.callTool({
      name: 'run_command',
      arguments: { machines: [fixture.asset], account: fixture.systemUser, command: 'echo by-oauth' },
    }),
  )
  expect(ran.data.machines).toMatchObject([{ output: { stdout: 'by-oauth\n' } }])
  const log = (await fixture.server.admin.get('/api/v1/audits/command-execution-logs/')).body
  expect(log.find(({ id }: { id: string }) => id === ran.data.run).on_behalf_of).toMatch(
    /walker.*, by agent editor\/3$/,
  )
  await client.close()
})

test('[S1.32] its token opens the tools of agents and nothing else of its person', async () => {
  const { program, client } = await connected()
  const authorization = `Bearer ${program.kept?.access_token}`
  for (const path of ['/api/v1/perms/users/assets/', '/api/v1/authentication/sessions/', '/api/v1/tickets/tickets/']) {
    const { status, body } = await fixture.server.call('GET', path, { headers: { authorization } })
    expect([path, status, body.code]).toEqual([path, 403, expect.stringMatching(/out_of_scope|permission_denied/)])
  }
  const token = await fixture.server.call('POST', '/api/v1/authentication/access-keys/', { headers: { authorization } })
  expect(token.status).toBe(403)
  const own = await fixture.server.call('POST', `${PROGRAMS}connect/`, {
    headers: { authorization },
    body: Object.fromEntries(program.sent?.searchParams ?? []),
  })
  expect(own.status).toBe(403)
  await client.close()
})

test('tokens are renewed by the SDK as they expire, and what began before goes on', async () => {
  const { program, client } = await connected()
  const before = program.kept
  const { pool } = fixture.server.kernel
  await pool.query("UPDATE authentication_agent_grant SET date_access_expired = now() - interval '1 second'")
  expect((await find(client)).data).toMatchObject({ count: 1 })
  expect(program.kept?.access_token).not.toBe(before?.access_token)
  expect(program.kept?.refresh_token).not.toBe(before?.refresh_token)
  const { rows } = await pool.query('SELECT family_hash FROM authentication_agent_grant')
  const signIn = { source: 'agent_grant' as const, key: rows[0].family_hash }
  expect(await fixture.server.kernel.signIns.lapsed([signIn])).toEqual([])
  await client.close()
})

test('people see what they have connected beside their sign-ins and end it, and so do administrators; it is over at once', async () => {
  for (const by of ['person', 'admin'] as const) {
    const { program, client } = await connected()
    const list = by === 'person' ? '/api/v1/authentication/sessions/' : '/api/v1/audits/sign-ins/'
    const own = fixture.server.admin
    const call = async (method: 'GET' | 'DELETE', path: string) =>
      by === 'person' ? browser.call(method, path) : method === 'GET' ? own.get(path) : own.delete(path)
    const row = (await call('GET', `${list}?kind=agent`)).body[0]
    expect(row).toMatchObject({ kind_display: 'Connected agent', user_agent: 'Editor evil', remote_addr: '127.0.0.1' })
    expect((await call('DELETE', `${list}${row.id}/`)).status).toBe(204)
    await expect(find(client)).rejects.toThrow()
    expect(program.kept).toBeUndefined()
  }
  const logs = (await fixture.server.admin.get('/api/v1/audits/operate-logs/?resource_type=Sign-in')).body
  const lines = logs.map(({ action, resource }: Record<string, string>) => `${action} ${resource}`)
  expect(lines).toContainEqual(
    expect.stringMatching(/^create .*walker.*: Connected agent, Editor evil, 127\.0\.0\.1:3118$/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^delete .*walker.*: Connected agent/))
})

test('[S1.32] it ends with a new password of its person, their end, and the program itself; the setting turns it off', async () => {
  const { admin } = fixture.server
  const { pool } = fixture.server.kernel
  await pool.query('DELETE FROM authentication_agent_grant')
  const left = async () => (await pool.query('SELECT FROM authentication_agent_grant')).rowCount
  const given = await connected()
  const token = given.program.kept?.refresh_token
  const client_id = given.program.clientInformation()?.client_id
  const revoke = (body: object) => fixture.server.call('POST', '/api/v1/authentication/oauth/revoke/', { body })
  expect((await revoke({ token, client_id })).status).toBe(200)
  expect(await left()).toBe(0)

  const off = await connected()
  await fixture.allow('identities')
  await expect(find(off.client)).rejects.toThrow(/agents_off|identities/)
  const hidden = await fixture.server.call('GET', '/.well-known/oauth-authorization-server')
  expect(hidden.status).toBe(404)
  await fixture.allow('everybody')
  const id = (await admin.get(`/api/v1/users/users/?username=${fixture.person.username}`)).body[0].id
  expect((await admin.patch(`/api/v1/users/users/${id}/`, { is_active: false })).status).toBe(200)
  await expect(find(off.client)).rejects.toThrow()
  expect(await left()).toBe(0)
  await admin.patch(`/api/v1/users/users/${id}/`, { is_active: true })

  browser = await signedIn(fixture.person.username)
  await connected()
  expect((await admin.patch(`/api/v1/users/users/${id}/`, { password: 'Another-person-2' })).status).toBe(200)
  expect(await left()).toBe(0)
})
