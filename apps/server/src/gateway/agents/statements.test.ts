import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { type MysqlFixture, openMysqlFixture } from '../listeners/database/mysql-fixture.ts'
import { connectAgent, type TestAgent } from './agents-fixture.ts'

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
  expect((await agent.use('wait_for_statement', { run: data.run })).refused).toBe('Not found.')
})

test('a statement that waits is ended, and its request is withdrawn', async () => {
  const { data } = await run("select 'careful', 2")
  expect((await agent.use('end_statement', { run: data.run })).data).toMatchObject({ state: 'over' })
  const open = async () => (await reviewer.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results
  await expect.poll(open).toEqual([])
})

test('a person who lost the permission runs nothing more', async () => {
  await fixture.permit(false)
  expect((await run('select 1')).data).toMatchObject({ status: 404 })
  await fixture.permit(true)
})
