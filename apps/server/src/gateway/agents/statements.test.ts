import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { ownCall } from '../../kernel/access/own-call.ts'
import { hashKey } from '../../kernel/access/random-secret.ts'
import { openGateway } from '../gateway.ts'
import { type MysqlFixture, openMysqlFixture } from '../listeners/database/mysql-fixture.ts'
import { WORKBENCH_DATABASES, type WorkbenchDatabase } from '../workbench/databases.ts'
import { connectAgent, type TestAgent } from './agents-fixture.ts'
import { StatementRuns } from './statement-runs.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: MysqlFixture
/** By the person of the fixture, with a token of theirs. */
let agent: TestAgent
let account: string
let reviewer: Caller

beforeAll(async () => {
  fixture = await openMysqlFixture()
  account = Object.values(fixture.systemUsers)[0] as string
  reviewer = await fixture.server.aPerson('reviewer')
  await fixture.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: 'everybody' })
  agent = await connectAgent(fixture.server.url, fixture.person.token)
})
afterAll(async () => {
  await agent?.close()
  await fixture?.close()
})

const run = (statement: string, more: object = {}) =>
  agent.use('run_statement', { application: fixture.target.id, account, statement, ...more })

test('a statement runs in a recorded session of the person, marked by agent; rows are bounded, and values cut', async () => {
  const { data } = await run("select 7 as n, null as nothing, repeat('x', 3000) as word")
  expect(data).toMatchObject({ state: 'over', columns: ['n', 'nothing', 'word'], is_cut: true })
  expect(data.rows).toEqual([['7', null, 'x'.repeat(2000)]])
  const session = (await fixture.server.admin.get(`/api/v1/terminal/sessions/${data.session}/`)).body
  expect(session).toMatchObject({
    user: 'walker of test(walker)',
    on_behalf_of: 'walker of test(walker), by agent test-client/1.0',
    is_finished: true,
  })
  const stored = async () =>
    (await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${data.session}&limit=5`)).body.results
  await expect.poll(stored).toMatchObject([{ input: expect.stringContaining('select 7 as n') }])
  const many = await run('select seq from (select 1 seq union select 2 union select 3) t', { rows: 2 })
  expect(many.data).toMatchObject({ rows: [['1'], ['2']], is_cut: true })
})

test('errors of the server, several statements, and an account of something else are answered in words', async () => {
  expect((await run('select * from nowhere_at_all')).data.error).toContain('nowhere_at_all')
  expect((await run('select 1; select 2')).refused).toBe('Run one statement at a time')
  const other = await run('select 1', { account: '00000000-0000-4000-8000-000000000001' })
  expect(other.refused).toBe('This account is not one of an SQL database that you may use')
  const nowhere = await run('select 1', { application: '00000000-0000-4000-8000-000000000001' })
  expect(nowhere.data).toMatchObject({ status: 404 })
})

test('the words of a server that lets nobody in are data, and no sentence of ours', async () => {
  await fixture.mariadb.sql("CREATE USER 'obey-me' IDENTIFIED BY 'word of the account'")
  const wrong = await fixture.created('/api/v1/assets/system-users/', {
    ...{ name: 'wrong', username: 'obey-me', password: 'word of the account', protocol: 'mariadb', login_mode: 'auto' },
  })
  const path = `/api/v1/perms/application-permissions/${fixture.permission}/`
  expect((await fixture.server.admin.patch(path, { system_users: [account, wrong] })).status).toBe(200)
  const { refused, data, text } = await run('select 1', { account: wrong })
  expect([refused, data]).toEqual(['Sallyport has refused this', { reason: expect.stringContaining('obey-me') }])
  expect(text.split('<data-of-sallyport>')[0]).not.toContain('obey-me')
})

test('a row that is longer than an answer is cut, and its answer is given', async () => {
  const wide = await run(`select ${Array(150).fill(`repeat('"', 2000)`).join(', ')}`)
  expect(wide.data).toMatchObject({ state: 'over', is_cut: true })
  expect(wide.data.rows[0]).toHaveLength(150)
})

test('rules refuse a statement, or hold it for people: the agent learns for whom it waits, and goes on', async () => {
  const FILTERS = '/api/v1/assets/cmd-filters/'
  const filter = await fixture.created(FILTERS, { name: 'agents', is_active: true, users: [fixture.person.id] })
  const rule = (draft: object) => fixture.created(`${FILTERS}${filter}/rules/`, { filter, type: 'regex', ...draft })
  await rule({ content: 'drop' })
  await rule({ content: 'careful', action: 2, reviewers: [reviewer.id] })
  expect(JSON.stringify((await run('drop table nothing')).data)).toContain('is forbidden')
  const { data } = await run("select 'careful'")
  expect(data).toMatchObject({ state: 'held', reason: expect.stringContaining('reviewer') })
  const [ticket] = (await reviewer.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results
  expect(ticket.meta.apply_run_user).toBe('walker of test(walker): walker of test(walker), by agent test-client/1.0')
  const waiting = agent.use('wait_for_statement', { run: data.run })
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(200)
  expect((await waiting).data).toMatchObject({ state: 'over', rows: [['careful']] })
  // Its answer was given, and a statement of others is none.
  expect((await agent.use('wait_for_statement', { run: data.run })).refused).toMatch(/^There is no such statement/)
})

test('a statement that waits is ended, and its request is withdrawn', async () => {
  const { data } = await run("select 'careful', 2")
  expect((await agent.use('end_statement', { run: data.run })).data).toMatchObject({ state: 'over' })
  const open = async () => (await reviewer.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results
  await expect.poll(open).toEqual([])
})

test('a statement that people have confirmed does not run once agents are turned off, or the token it came by has ended', async () => {
  const ticket = async () =>
    (await reviewer.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results[0]
  const allow = (who: string) =>
    fixture.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: who })
  const off = (await run("select 'careful', 3")).data
  await allow('off')
  expect((await reviewer.put(`${TICKETS}${(await ticket())?.id}/approve/`)).status).toBe(200)
  const ended = async (id: string) =>
    (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished
  await expect.poll(() => ended(off.session)).toBe(true)
  await allow('everybody')
  const { data } = await agent.use('wait_for_statement', { run: off.run })
  expect([data.rows, JSON.stringify(data)]).toEqual([[], expect.stringContaining('Agents are turned off here')])

  const { pool } = fixture.server.kernel
  const key = hashKey('another-token')
  await pool.query('INSERT INTO authentication_private_token (key_hash, user_id) VALUES ($1, $2)', [
    key,
    fixture.person.id,
  ])
  const second = await connectAgent(fixture.server.url, '', { authorization: 'Token another-token' })
  const input = { application: fixture.target.id, account, statement: "select 'careful', 4" }
  const held = (await second.use('run_statement', input)).data
  expect(held.state).toBe('held')
  const calls = async () =>
    (await pool.query('SELECT calls FROM authentication_agent_use WHERE user_id = $1', [fixture.person.id])).rows[0]
      .calls
  const before = await calls()
  const waiting = second.use('wait_for_statement', { run: held.run })
  // It was let in, and waits.
  await expect.poll(calls).toBe(before + 1)
  const { id } = await ticket()
  await pool.query('DELETE FROM authentication_private_token WHERE key_hash = $1', [key])
  expect((await waiting).data).toMatchObject({ status: 401 })
  // Its session may have ended already, and the request with it.
  await reviewer.put(`${TICKETS}${id}/approve/`)
  await expect.poll(() => ended(held.session)).toBe(true)
  const after = (await agent.use('wait_for_statement', { run: held.run })).data
  expect(after).toMatchObject({ state: 'over', rows: [] })
  await second.close()
})

test('a statement that waits ends where agents are turned off, and says so', async () => {
  const allow = (who: string) =>
    fixture.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: who })
  const { data } = await run("select 'careful', 5")
  await allow('off')
  // Everything about a person is looked at again at once where something of theirs has changed.
  await fixture.server.admin.patch(`/api/v1/users/users/${fixture.person.id}/`, { comment: 'changed' })
  const open = async () => (await reviewer.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results
  await expect.poll(open).toEqual([])
  await allow('everybody')
  const after = (await agent.use('wait_for_statement', { run: data.run })).data
  expect(after).toMatchObject({
    state: 'over',
    rows: [],
    reason: expect.stringContaining('Agents are turned off here'),
  })
})

test('where connecting must be confirmed, the statement is held until people have done so', async () => {
  const rule = await fixture.created('/api/v1/acls/login-asset-acls/', {
    ...{ name: 'two eyes', users: {}, system_users: {}, assets: {}, reviewers: [reviewer.id] },
  })
  const { data } = await run('select 5')
  expect(data).toMatchObject({ state: 'held', session: null, reason: expect.stringContaining('reviewer') })
  const waiting = agent.use('wait_for_statement', { run: data.run })
  const [ticket] = (await reviewer.get(`${TICKETS}?type=login_asset_confirm&status=open&limit=10`)).body.results
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(200)
  expect((await waiting).data).toMatchObject({ state: 'over', rows: [['5']] })
  await fixture.server.admin.delete(`/api/v1/acls/login-asset-acls/${rule}/`)
})

test('answers that nobody fetched make room for statements of others', async () => {
  const { kernel } = fixture.server
  const gateway = await openGateway(kernel)
  const runs = new StatementRuns(gateway, 1)
  const beginAs = async ({ id, username }: Caller) => {
    const user = { id, username, name: username, role: 'User' as const }
    const call = { ...(await ownCall(kernel, DEFAULT_ORG_ID, { user })), signIn: undefined }
    const database = WORKBENCH_DATABASES.get('mariadb') as WorkbenchDatabase
    const request = { database, target: fixture.target, systemUserId: account, text: 'select 1', limit: 1 }
    const run = runs.begin({ kernel, call, check: async () => {} }, request)
    // Nobody connects without a credential: it is over at once.
    await runs.of(call, run).done.catch(() => {})
    return { call, run }
  }
  const first = await beginAs(fixture.person)
  const second = await beginAs(reviewer)
  expect([runs.find(first.call, first.run), runs.find(second.call, second.run)?.state]).toEqual([undefined, 'over'])
  await gateway.close()
})

test('a person who lost the permission runs nothing more', async () => {
  await fixture.permit(false)
  expect((await run('select 1')).data).toMatchObject({ status: 404 })
  await fixture.permit(true)
})
