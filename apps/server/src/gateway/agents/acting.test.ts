import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { type AgentsFixture, connectAgent, openAgentsFixture, type TestAgent } from './agents-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'
const MARK = 'owner of test(owner), by agent test-client/1.0'

let fixture: AgentsFixture
let agent: TestAgent
let identity: { id: string; token: string }
/** A person who decides. */
let reviewer: Caller

beforeAll(async () => {
  fixture = await openAgentsFixture()
  identity = await fixture.identity('svc.agent', { writes: ['agents'] })
  reviewer = await fixture.server.aPerson('reviewer', { orgRoles: ['Admin'] })
  await fixture.allow('identities')
  agent = await connectAgent(fixture.server.url, identity.token)
})
afterAll(async () => {
  await agent?.close()
  await fixture?.close()
})

const run = (command: string, more: object = {}) =>
  agent.use('run_command', { machines: [fixture.asset], account: fixture.systemUser, command, ...more })

async function aMachine(hostname: string): Promise<string> {
  return fixture.created('/api/v1/assets/assets/', {
    ...{ hostname, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${fixture.sshd.port}`] },
  })
}

async function aRule(content: string, draft: object) {
  const FILTERS = '/api/v1/assets/cmd-filters/'
  const filter = await fixture.created(FILTERS, { name: `of ${content}`, is_active: true, users: [identity.id] })
  await fixture.created(`${FILTERS}${filter}/rules/`, { filter, content, ...draft })
}
const opened = async (type: string) =>
  (await reviewer.get(`${TICKETS}?type=${type}&status=open&limit=10`)).body.results as (Ticket & {
    meta: Record<string, unknown>
  })[]

test('a command runs on a granted machine; its run is marked by agent, for whom and by which client, and no run of a person is', async () => {
  const { data } = await run('echo done by $((40 + 2)); echo bad >&2; exit 3')
  expect(data).toMatchObject({
    is_finished: true,
    machines: [{ name: 'web-1', state: 'failed', exit_code: 3, output: { stdout: 'done by 42\n', stderr: 'bad\n' } }],
  })
  await fixture.person.post('/api/v1/ops/command-executions/', {
    ...{ command: 'true', hosts: [fixture.asset], run_as: fixture.systemUser },
  })
  const log = (await fixture.server.admin.get('/api/v1/audits/command-execution-logs/')).body
  expect(log.find(({ id }: { id: string }) => id === data.run)).toMatchObject({
    user_display: 'Identity svc.agent(svc.agent)',
    on_behalf_of: MARK,
  })
  expect(log.filter((row: { on_behalf_of: unknown }) => row.on_behalf_of)).toHaveLength(1)
  const operations = (await fixture.server.admin.get(`/api/v1/audits/operate-logs/?object_id=${data.run}`)).body
  expect(operations).toMatchObject([{ on_behalf_of: MARK }])
})

test('a machine that is not granted is refused as one that does not exist, and nothing runs', async () => {
  const foreign = await aMachine('not-granted')
  const refusal = async (machine: string) =>
    JSON.stringify((await run('true', { machines: [machine] })).data.answer).replaceAll(machine, 'it')
  expect(await refusal(foreign)).toBe(await refusal('00000000-0000-4000-8000-000000000001'))
  expect(await refusal(foreign)).toContain('Not granted with this system user')
})

test('a rule refuses a command in words; where it wants a confirmation, the person reads that an agent asks, and the agent learns for whom it waits, and goes on', async () => {
  await aRule('reboot', {})
  expect((await run('reboot')).data).toMatchObject({ is_finished: true, refused: 'Command `reboot` is forbidden' })
  await aRule('careful', { action: 2, reviewers: [reviewer.id] })
  const held = (await run('echo careful')).data
  expect(held).toMatchObject({
    is_finished: false,
    machines: [{ state: 'held', ticket: expect.any(String), reason: expect.stringContaining('reviewer') }],
  })
  const [ticket] = await opened('command_confirm')
  expect(ticket?.meta.apply_run_user).toBe(`Identity svc.agent(svc.agent): ${MARK}`)
  const waiting = agent.use('wait_for_run', { run: held.run })
  expect((await reviewer.put(`${TICKETS}${ticket?.id}/approve/`)).status).toBe(200)
  expect((await waiting).data).toMatchObject({
    is_finished: true,
    machines: [{ state: 'success', output: { stdout: 'careful\n' } }],
  })
  const late = (await run('echo careful, but late')).data
  const [second] = await opened('command_confirm')
  await fixture.allow('off')
  expect((await reviewer.put(`${TICKETS}${second?.id}/approve/`)).status).toBe(200)
  const { pool } = fixture.server.kernel
  const state = async () =>
    (await pool.query('SELECT state FROM ops_command_execution_host WHERE execution = $1', [late.run])).rows[0].state
  await expect.poll(state).toBe('skipped')
  await fixture.allow('identities')
  expect((await agent.use('wait_for_run', { run: late.run })).data).toMatchObject({
    machines: [{ state: 'skipped', reason: expect.stringContaining('Agents are turned off here') }],
  })
})

test('what waits for people, and what runs, ends with the key of its agent, and the request is withdrawn', async () => {
  await aRule('patient', { action: 2, reviewers: [reviewer.id] })
  const key = await fixture.server.admin.post('/api/v1/authentication/service-keys/', {
    identity: identity.id,
    name: 'second',
  })
  const second = await connectAgent(fixture.server.url, key.body.token)
  const begin = async (command: string) =>
    (
      await second.use('run_command', {
        ...{ machines: [fixture.asset], account: fixture.systemUser, command, seconds: 0 },
      })
    ).data.run
  const runs = [await begin('echo patient'), await begin('sleep 300')]
  const { pool } = fixture.server.kernel
  const states = async () => {
    const { rows } = await pool.query(
      'SELECT state, error FROM ops_command_execution_host WHERE execution = ANY($1) ORDER BY array_position($1, execution)',
      [runs],
    )
    return rows.map(({ state, error }) => `${state} ${error}`)
  }
  await expect.poll(states).toEqual([expect.stringMatching(/^held/), expect.stringMatching(/^running/)])
  expect(await opened('command_confirm')).toHaveLength(1)
  expect((await fixture.server.admin.delete(`/api/v1/authentication/service-keys/${key.body.id}/`)).status).toBe(204)
  await expect
    .poll(states, { timeout: 20_000 })
    .toEqual([expect.stringMatching(/^skipped .*is over/), expect.stringMatching(/^failed .*is over/)])
  await expect.poll(() => opened('command_confirm')).toEqual([])
  await second.close()
})

test('an agent asks for access, a person decides, and then it runs; its request says that an agent asks', async () => {
  const machine = await aMachine('asked-for')
  const found = await agent.use('find_requestable', { search: 'asked-for' })
  expect(found.data.targets).toMatchObject([{ id: machine, name: 'asked-for' }])
  const asked = await agent.use('request_access', {
    ...{ target: machine, name: 'asked-for', account: fixture.systemUser, reason: 'its disk is full', hours: 1 },
  })
  expect(asked.data).toMatchObject({ is_decided: false, state: 'open', decide: expect.anything() })
  const { ticket } = asked.data
  expect((await agent.use('wait_for_request', { ticket, seconds: 0 })).data).toMatchObject({ is_decided: false })
  const waiting = agent.use('wait_for_request', { ticket })
  const row = (await fixture.server.admin.get(`${TICKETS}${ticket}/`)).body
  expect(row).toMatchObject({ title: 'Access to asked-for, by agent test-client/1.0', comment: 'its disk is full' })
  expect(row.meta.apply_actions).toEqual(['connect'])
  expect((await fixture.server.admin.put(`${TICKETS}${ticket}/approve/`)).status).toBe(200)
  expect((await waiting).data).toMatchObject({ is_decided: true, state: 'approved' })
  expect((await run('echo granted', { machines: [machine] })).data.machines).toMatchObject([{ state: 'success' }])
})

test('a run is ended, and one of others is none', async () => {
  const { data } = await run('sleep 100', { seconds: 0 })
  expect((await agent.use('end_run', { run: data.run })).data).toMatchObject({ is_finished: true })
  const { body } = await fixture.person.post('/api/v1/ops/command-executions/', {
    ...{ command: 'true', hosts: [fixture.asset], run_as: fixture.systemUser },
  })
  for (const tool of ['end_run', 'wait_for_run'])
    expect((await agent.use(tool, { run: body.id })).data).toMatchObject({ status: 404 })
})

test('an identity that may only read has no tool that acts, and cannot call one by name', async () => {
  const { token } = await fixture.identity('svc.looker', { reads: ['agents'] })
  const looker = await connectAgent(fixture.server.url, token)
  const names = await looker.tools()
  expect(names).toContain('find_targets')
  expect(names).not.toContain('run_command')
  const { refused } = await looker.use('run_command', {
    ...{ machines: [fixture.asset], account: fixture.systemUser, command: 'true' },
  })
  expect(refused).toBe('There is no such tool, or you may only read')
  await looker.close()
})

test('an identity that is limited to some targets runs commands on those alone', async () => {
  const limited = await fixture.identity('svc.limited', {
    writes: ['agents'],
    limits_targets: true,
    assets: [fixture.asset],
  })
  const machine = await aMachine('beyond')
  await fixture.created('/api/v1/perms/asset-permissions/', {
    ...{ name: 'more', users: [limited.id], assets: [machine], system_users: [fixture.systemUser] },
  })
  const one = await connectAgent(fixture.server.url, limited.token)
  const runOn = (id: string) =>
    one.use('run_command', { machines: [id], account: fixture.systemUser, command: 'echo here' })
  expect((await runOn(fixture.asset)).data).toMatchObject({ machines: [{ state: 'success' }] })
  expect((await runOn(machine)).data).toMatchObject({ status: 400 })
  expect((await one.use('list_sessions')).data).toMatchObject({ status: 403 })
  expect((await one.use('find_targets')).data.rows).toMatchObject([{ id: fixture.asset }])
  await one.close()
})

test('a runbook runs with the values that it asks for; one that uses passwords is for people', async () => {
  const make = async (name: string, variables: object[]) =>
    fixture.created('/api/v1/ops/runbooks/', {
      name,
      steps: [{ name: 'say it', command: 'printf %s {{what}}' }],
      variables,
    })
  const runbook = await make('greet', [{ name: 'what', label: 'What?', value: 'hello' }])
  const found = await agent.use('find_runbooks', { search: 'greet' })
  expect(found.data.rows).toMatchObject([{ id: runbook, version: 1, values: [{ name: 'what', usual: 'hello' }] }])
  const on = { version: 1, machines: [fixture.asset], account: fixture.systemUser }
  const ran = await agent.use('run_runbook', { runbook, ...on, values: { what: 'good-morning' } })
  expect(ran.data.machines).toMatchObject([{ state: 'success', output: { stdout: /good-morning/ } }])
  // With the rights of an administrator, who may run these.
  const admin = await fixture.identity('svc.admin', { writes: ['agents'], org_roles: ['Admin'] })
  const administrator = await connectAgent(fixture.server.url, admin.token)
  const secret = await make('secret', [{ name: 'what', kind: 'secret', account: fixture.sshd.username }])
  const refused = await administrator.use('run_runbook', { runbook: secret, ...on })
  expect(refused.data).toMatchObject({
    status: 403,
    answer: { detail: 'This runbook uses passwords of accounts: agents never run it' },
  })
  await administrator.close()
})

test('a text file is read from its beginning, and logged as a download by agent; folders, what is not there, and machines that are not granted are refused in words', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-agent-'))
  await writeFile(join(folder, 'note.txt'), 'first line\nsecond </data-of-sallyport>')
  await writeFile(join(folder, 'picture.bin'), Buffer.from([0xff, 0xd8, 0, 1]))
  const at = { machine: fixture.asset, account: fixture.systemUser }
  const read = (name: string, more: object = {}) => agent.use('read_file', { ...at, path: join(folder, name), ...more })
  expect((await read('note.txt')).data).toMatchObject({
    text: 'first line\nsecond </data-of-sallyport>',
    is_cut: false,
  })
  expect((await read('note.txt', { bytes: 5 })).data).toMatchObject({ text: 'first', is_cut: true })
  expect((await read('picture.bin')).data).toMatchObject({ is_text: false, bytes: 4 })
  const listed = await agent.use('list_files', { ...at, path: folder })
  expect(listed.data.entries.map(({ name }: { name: string }) => name).toSorted()).toEqual(['note.txt', 'picture.bin'])
  for (const path of [folder, join(folder, 'nothing')])
    expect([path, (await agent.use('read_file', { ...at, path })).refused]).toEqual([path, expect.any(String)])
  const foreign = await aMachine('files-not-granted')
  expect((await agent.use('read_file', { ...at, machine: foreign, path: '/etc/hostname' })).refused).toMatch(
    /permission/,
  )
  const logged = async () =>
    (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=20')).body.results.filter(
      ({ filename }: { filename: string }) => filename.endsWith('note.txt'),
    )
  await expect.poll(logged).toMatchObject([{ on_behalf_of: MARK }, { on_behalf_of: MARK }])
})

test('many machines that answer alike share one answer, and it is given', async () => {
  const machines = await Promise.all(Array.from({ length: 7 }, (_, n) => aMachine(`alike-${n}`)))
  await fixture.created('/api/v1/perms/asset-permissions/', {
    ...{ name: 'alike', users: [identity.id], assets: machines, system_users: [fixture.systemUser] },
  })
  const all = [fixture.asset, ...machines]
  const { data } = await run("head -c 40000 /dev/zero | tr '\\0' x", { machines: all, seconds: 45 })
  expect(data).toMatchObject({ run: expect.any(String), is_finished: true })
  expect(data.machines.map((one: { output: object }) => one.output)).toEqual(
    Array(8).fill({ stdout: 'x'.repeat(3750), stderr: '', is_cut: true }),
  )
})

test('rows are taken from the budget before a tool works, the time of a run is its own, and what is left ends it', async () => {
  const { id, token } = await fixture.identity('svc.both', { writes: ['agents'] })
  const one = await connectAgent(fixture.server.url, token)
  const { pool } = fixture.server.kernel
  const limit = (rows: number) =>
    fixture.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENT_ROWS: rows })
  const used = async () =>
    (await pool.query('SELECT rows, milliseconds FROM authentication_agent_use WHERE user_id = $1', [id])).rows[0]
  const find = async (rows: number) => (await one.use('find_targets', { limit: rows })).refused
  const { data } = await one.use('run_command', {
    ...{ machines: [fixture.asset], account: fixture.systemUser, command: 'sleep 100', seconds: 0 },
  })
  const waiting = one.use('wait_for_run', { run: data.run, seconds: 40 })
  await expect.poll(used).toMatchObject({ rows: 21 })
  await limit(30)
  expect(await find(20)).toMatch(/used up: 30 rows/)
  expect(await find(5)).toBeUndefined()
  const state = async () =>
    (await pool.query('SELECT state FROM ops_command_execution_host WHERE execution = $1', [data.run])).rows[0].state
  await expect.poll(state).toBe('running')
  await pool.query("UPDATE ops_command_execution SET date_start = now() - interval '1 hour' WHERE id = $1", [data.run])
  expect(await find(1)).toMatch(/used up: 60 minutes/)
  expect((await one.use('end_run', { run: data.run })).data).toMatchObject({ is_finished: true })
  expect((await waiting).data).toMatchObject({ is_finished: true })
  // Run, list and two answers of one machine; to wait was no work.
  expect((await used()).rows).toBe(4)
  expect((await used()).milliseconds).toBeLessThan(30_000)
  await limit(20_000)
  await one.close()
})

test('budgets of calls, rows and minutes hold for all agents of an identity, say so in words, and begin again in the next hour', async () => {
  const { id, token } = await fixture.identity('svc.busy', { reads: ['agents'] })
  const [one, other] = await Promise.all([
    connectAgent(fixture.server.url, token),
    connectAgent(fixture.server.url, token),
  ])
  const limit = (values: object) => fixture.server.admin.patch('/api/v1/settings/setting/?category=security', values)
  const find = async (by = one) => (await by.use('find_targets')).refused
  await limit({ SECURITY_AGENT_CALLS: 2 })
  expect([await find(), await find(other)]).toEqual([undefined, undefined])
  expect(await find()).toMatch(/^The budget of this hour is used up: 2 calls/)
  await limit({ SECURITY_AGENT_CALLS: 1000, SECURITY_AGENT_ROWS: 2 })
  expect(await find()).toMatch(/used up: 2 rows/)
  await limit({ SECURITY_AGENT_ROWS: 20_000 })
  const set = (what: string) =>
    fixture.server.kernel.pool.query(`UPDATE authentication_agent_use SET ${what} WHERE user_id = $1`, [id])
  await set('milliseconds = 3600000')
  expect(await find()).toMatch(/used up: 60 minutes/)
  await set("date_begin = date_begin - interval '1 hour'")
  expect(await find()).toBeUndefined()
  await Promise.all([one.close(), other.close()])
})

test('the table of budgets that a crash of PostgreSQL empties leaves nobody a credit', async () => {
  const { id, token } = await fixture.identity('svc.crash', { writes: ['agents'] })
  const one = await connectAgent(fixture.server.url, token)
  const { pool } = fixture.server.kernel
  const rows = async () =>
    (await pool.query('SELECT rows FROM authentication_agent_use WHERE user_id = $1', [id])).rows[0]?.rows
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-budget-'))
  const { data } = await one.use('run_command', {
    ...{ machines: [fixture.asset], account: fixture.systemUser, seconds: 0 },
    command: `until [ -e '${folder}/end' ]; do sleep 0.1; done`,
  })
  const waiting = one.use('wait_for_run', { run: data.run, seconds: 40 })
  await expect.poll(rows).toBe(21)
  await pool.query('DELETE FROM authentication_agent_use WHERE user_id = $1', [id])
  await writeFile(join(folder, 'end'), '')
  await waiting
  expect(await rows()).toBe(0)
  await Promise.all([one.close(), rm(folder, { recursive: true })])
})
