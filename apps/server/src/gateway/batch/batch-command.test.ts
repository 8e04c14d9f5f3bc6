import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandNews } from '@sallyport/contract/socket/news.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../../../test/free-port.ts'
import type { Caller } from '../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'

const RUNS = '/api/v1/ops/command-executions/'

let fixture: TerminalFixture
let stranger: Caller
/** A second machine, at the same sshd. */
let second: string
/** One that the person was not granted. */
let foreign: string
beforeAll(async () => {
  fixture = await openTerminalFixture()
  stranger = await fixture.server.aPerson('stranger')
  const machine = (hostname: string) =>
    fixture.created('/api/v1/assets/assets/', {
      hostname,
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${fixture.sshd.port}`],
    })
  second = await machine('web-2')
  foreign = await machine('web-3')
  await grant(second)
})
afterAll(() => fixture?.close())

const grant = (asset: string, to = fixture.person) =>
  fixture.created('/api/v1/perms/asset-permissions/', {
    name: `batch of ${to.username} on ${asset}`,
    users: [to.id],
    assets: [asset],
    system_users: [fixture.systemUser],
  })

const begin = (command: string, hosts = [fixture.asset, second], by = fixture.person) =>
  by.post(`${RUNS}?cols=80&rows=24`, { command, hosts, run_as: fixture.systemUser })

/** The run, once it is over. */
async function finished(id: string) {
  const run = async () => (await fixture.person.get(`${RUNS}${id}/`)).body
  await expect.poll(async () => (await run()).is_finished).toBe(true)
  return run()
}

async function ran(command: string, hosts?: string[]) {
  const { status, body } = await begin(command, hosts)
  expect([status, body]).toEqual([201, expect.objectContaining({ command, is_finished: false, result: {} })])
  return finished(body.id)
}

const outcomesOf = async (id: string) => (await fixture.person.get(`${RUNS}${id}/outcomes/`)).body

/** A machine at the sshd that the person was granted. */
async function aMachine(hostname: string, by = fixture.person) {
  const id = await fixture.created('/api/v1/assets/assets/', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  return { id, permission: await grant(id, by) }
}

/** A file for which a command on a machine waits: it goes on once the test has written it. */
async function aSign() {
  const path = join(await mkdtemp(join(tmpdir(), 'sallyport-batch-')), 'sign')
  return { waits: `until [ -e ${path} ]; do sleep 0.1; done`, give: () => writeFile(path, '') }
}

/** Watches a run; returns the messages. */
async function lookOn(id: string, by = fixture.person) {
  const socket = new WebSocket(`${fixture.server.url.replace('http', 'ws')}/ws/ops/command-executions/`, {
    headers: { authorization: `Bearer ${by.token}` },
  })
  const allNews: CommandNews[] = []
  socket.on('message', (data) => allNews.push(JSON.parse(String(data))))
  await once(socket, 'open')
  socket.send(JSON.stringify({ execution: id }))
  const written = (stream: string) =>
    allNews.flatMap(({ output }) => output.filter((piece) => piece.stream === stream).map(({ data }) => data)).join('')
  return { allNews, written, isOver: () => allNews.some((news) => news.is_over), close: () => socket.terminate() }
}

test('a command runs on every machine: output, exit code and time of each, and a log for everybody to read', async () => {
  const run = await ran('echo out; echo err >&2; exit 3')
  const result = { cmd: 'echo out; echo err >&2; exit 3', stdout: 'out\n', stderr: 'err\n', rc: 3 }
  expect(run.result).toEqual({
    'web-1': { ...result, delta: expect.stringMatching(/^0:00:\d\d\.\d{6}$/) },
    'web-2': { ...result, delta: expect.any(String) },
  })
  expect(run.log_url).toBe(`/api/v1/ops/celery/task/${run.id}/log/`)
  await expect
    .poll(async () => (await fixture.person.get(run.log_url)).body)
    .toMatchObject({ end: true, data: expect.stringContaining('web-1 | FAILED | rc=3 >>\r\nout\r\nerr') })
})

test('equal outputs are sent once, and each machine names its own', async () => {
  const { id } = await ran('echo the same')
  const { hosts, outputs, is_finished } = await outcomesOf(id)
  expect(is_finished).toBe(true)
  expect(Object.values(outputs)).toEqual([{ stdout: 'the same\n', stderr: '', is_cut: false }])
  const [output] = Object.keys(outputs)
  expect(hosts).toMatchObject([
    { name: 'web-1', asset: fixture.asset, state: 'success', code: 0, error: '', output },
    { name: 'web-2', asset: second, state: 'success', code: 0, output },
  ])
})

test('hostile output: bytes that are no text, control characters and floods are kept as text, cut, and said to be cut', async () => {
  const odd = await ran("printf 'a\\0b\\377\\033[31m'", [second])
  expect(odd.result['web-2'].stdout).toBe('ab\ufffd\u001b[31m')
  const { id } = await ran('head -c 200000 /dev/zero | tr "\\0" x', [second])
  const { outputs } = await outcomesOf(id)
  expect(Object.values(outputs)).toMatchObject([{ is_cut: true, stdout: 'x'.repeat(65_536) }])
  const flood = await ran('yes', [second])
  expect(flood.result).toEqual({ 'web-2': { err: 'It wrote more than 16 MB, and was ended' } })
})

test('the program reads no input, and gets quotes, line ends and wide characters as they are', async () => {
  const run = await ran("cat; printf '%s' \"it's 中文\"\nprintf ' two'", [second])
  expect(run.result['web-2']).toMatchObject({ stdout: "it's 中文 two", rc: 0 })
})

test('a machine that can not be reached fails for itself, with a reason', async () => {
  const { target, systemUser } = await fixture.target(
    { port: await freePort() },
    { username: fixture.sshd.username, login_mode: 'auto', private_key: fixture.sshd.privateKey },
  )
  const { body } = await fixture.person.post(RUNS, { command: 'true', hosts: [target], run_as: systemUser })
  const run = await finished(body.id)
  expect(run.result).toEqual({
    'target-1': { err: 'The machine refused the connection: nothing listens on this port' },
  })
})

test('every machine must be granted with the system user, and the system user must be fit for it', async () => {
  const refusal = async (draft: object) => {
    const { status, body } = await fixture.person.post(RUNS, {
      command: 'true',
      hosts: [second],
      run_as: fixture.systemUser,
      ...draft,
    })
    return [status, Object.keys(body)]
  }
  expect((await begin('true', [second, foreign])).body).toEqual({ hosts: [expect.stringContaining(foreign)] })
  expect(await refusal({ hosts: [] })).toEqual([400, ['hosts']])
  expect(await refusal({ hosts: 'x' })).toEqual([400, ['hosts']])
  expect(await refusal({ hosts: ['x'] })).toEqual([400, ['hosts']])
  expect(await refusal({ command: '' })).toEqual([400, ['command']])
  expect(await refusal({ command: 'x'.repeat(70_000) })).toEqual([400, ['command']])
  expect(await refusal({ run_as: fixture.asset })).toEqual([400, ['run_as', 'hosts']])
  const asked = await fixture.target({ port: fixture.sshd.port }, { username: 'x', login_mode: 'manual' })
  expect(await refusal({ hosts: [asked.target], run_as: asked.systemUser })).toEqual([400, ['run_as']])
  expect((await begin('true', [second], stranger)).status).toBe(400)
  expect((await fixture.person.get(`${RUNS}?limit=100`)).body.results).not.toContainEqual(
    expect.objectContaining({ command: 'true', hosts: [second] }),
  )
})

test('a permission that is withdrawn while a run goes on: machines not yet begun are skipped, and told', async () => {
  const { id: late, permission } = await aMachine('withdrawn')
  // As many as run at a time go first, by their names.
  const busy = await Promise.all(Array.from({ length: 10 }, (_, n) => aMachine(`busy-${n}`)))
  const sign = await aSign()
  const { body } = await begin(sign.waits, [...busy.map(({ id }) => id), late])
  await expect
    .poll(async () => (await outcomesOf(body.id)).hosts.filter(({ state }: { state: string }) => state === 'running'))
    .toHaveLength(10)
  await fixture.server.admin.delete(`/api/v1/perms/asset-permissions/${permission}/`)
  await sign.give()
  expect((await finished(body.id)).result).toMatchObject({
    withdrawn: { err: 'You have no permission to connect to this asset' },
    'busy-0': { rc: 0 },
  })
  expect((await outcomesOf(body.id)).hosts).toContainEqual(
    expect.objectContaining({ name: 'withdrawn', state: 'skipped' }),
  )
})

test('people take turns at the machines: one who has begun many runs holds nobody else up', async () => {
  const other = await fixture.server.aPerson('hurried')
  const { id: their } = await aMachine('soon', other)
  const signs = await Promise.all(Array.from({ length: 10 }, aSign))
  const runs = await Promise.all(signs.map(async ({ waits }) => (await begin(waits, [second])).body.id as string))
  const stateOf = async (id: string) => (await outcomesOf(id)).hosts[0].state
  const running = async () => {
    const states = await Promise.all(runs.map(stateOf))
    return runs.filter((_, at) => states[at] === 'running')
  }
  await expect.poll(async () => (await running()).length).toBe(5)
  const { body } = await begin('true', [their], other)
  const isDone = async () => (await other.get(`${RUNS}${body.id}/`)).body.is_finished
  let ended = 0
  try {
    while (!(await isDone())) {
      const [first = ''] = await running()
      await signs[runs.indexOf(first)]?.give()
      await finished(first)
      ended++
      // Its place was taken: by another of theirs, or by whom they hold up.
      await expect.poll(async () => (await running()).length === 5 || (await isDone())).toBe(true)
    }
  } finally {
    for (const sign of signs) await sign.give()
  }
  // In the order in which they came, all five that waited before it would have been first.
  expect(ended).toBeLessThan(5)
  for (const id of runs) await finished(id)
})

test('fifty runs of one person are under way at a time on all nodes: the next one waits, and others’ that come after it do not', async () => {
  const { aPerson, kernel } = fixture.server
  const [busy, other] = [await aPerson('busy'), await aPerson('unhindered')]
  const machine = await aMachine('shared', busy)
  await grant(machine.id, other)
  // Theirs on other nodes.
  const { rows: elsewhere } = await kernel.pool.query(
    `INSERT INTO kernel_job (queue, data, state, owner, date_start, date_heard)
      SELECT 'ops.run_command', '{}', 'running', $1, now(), now() + interval '1 hour' FROM generate_series(1, 50) RETURNING id`,
    [busy.id],
  )
  const isOver = async (by: Caller, id: string) => (await by.get(`${RUNS}${id}/`)).body.is_finished
  const { body: waits } = await begin('true', [machine.id], busy)
  const { body: passes } = await begin('true', [machine.id], other)
  await expect.poll(() => isOver(other, passes.id)).toBe(true)
  // A node that fetched the later one has passed over the earlier.
  const { rows } = await kernel.pool.query('SELECT state FROM kernel_job WHERE id = $1', [waits.id])
  expect(rows).toEqual([{ state: 'waiting' }])
  await kernel.pool.query(`DELETE FROM kernel_job WHERE queue = 'ops.run_command' AND id = ANY($1)`, [
    elsewhere.map(({ id }) => id),
  ])
  await begin('true', [machine.id], other)
  await expect.poll(() => isOver(busy, waits.id)).toBe(true)
})

test('a person who is disabled: their run ends everywhere, and says why to those who audit it', async () => {
  const leaver = await fixture.server.aPerson('leaver')
  const { id } = await aMachine('left', leaver)
  const sign = await aSign()
  const { body } = await begin(`echo begun; ${sign.waits}`, [id], leaver)
  const seen = await lookOn(body.id, leaver)
  await expect.poll(() => seen.written('stdout')).toBe('begun\n')
  await fixture.server.admin.patch(`/api/v1/users/users/${leaver.id}/`, { is_active: false })
  const audited = async () =>
    (await fixture.server.admin.get('/api/v1/audits/command-execution-logs/?search=leaver')).body[0]
  await expect.poll(async () => (await audited()).is_finished).toBe(true)
  expect((await audited()).result).toEqual({
    left: { err: 'The account of whoever began this is not active any more' },
  })
  await sign.give()
})

test('the output of machines is shown while they run, to people who watch from the beginning or later, and to nobody else', async () => {
  const sign = await aSign()
  const { body } = await begin(`echo begun; echo bad >&2; ${sign.waits}; echo ended`, [second])
  const first = await lookOn(body.id)
  await expect.poll(() => [first.written('stdout'), first.written('stderr')]).toEqual(['begun\n', 'bad\n'])
  expect((await outcomesOf(body.id)).hosts).toMatchObject([{ state: 'running', output: '' }])
  const later = await lookOn(body.id)
  await expect.poll(() => later.written('stdout')).toBe('begun\n')
  const foreign = await lookOn(body.id, stranger)
  await expect
    .poll(() => foreign.allNews)
    .toEqual([{ execution: body.id, output: [], is_changed: false, is_over: true }])
  await sign.give()
  for (const one of [first, later]) {
    await expect.poll(() => one.isOver()).toBe(true)
    one.close()
  }
  foreign.close()
  const { hosts, outputs } = await outcomesOf(body.id)
  expect(outputs[hosts[0].output]).toMatchObject({ stdout: 'begun\nended\n', stderr: 'bad\n' })
  // It is over a moment before that is forgotten.
  const kept = async () => (await fixture.server.kernel.pool.query('SELECT FROM ops_command_output')).rows
  await expect.poll(kept).toEqual([])
})

test('no more of a flood is shown while it runs than is kept of it', async () => {
  const sign = await aSign()
  const { body } = await begin(`head -c 300000 /dev/zero | tr '\\0' x; ${sign.waits}`, [second])
  const seen = await lookOn(body.id)
  await expect.poll(() => seen.written('stdout').length).toBe(65_536)
  await sign.give()
  await finished(body.id)
  expect(seen.written('stdout')).toHaveLength(65_536)
  seen.close()
})

test('the history of a person: what, where, when and how it ended, found by command, machine or output, and nobody else’s', async () => {
  const { id } = await ran('echo "history of $((40 + 2))"; exit 3')
  const found = async (query: string, by = fixture.person) =>
    (await by.get(`${RUNS}?fields_size=small&limit=5&${query}`)).body
  const { count, results } = await found('search=history of 42')
  expect(count).toBe(1)
  expect(results[0]).toEqual({
    id,
    command: 'echo "history of $((40 + 2))"; exit 3',
    is_finished: true,
    date_created: expect.any(String),
    date_finished: expect.any(String),
    run_as: fixture.systemUser,
    run_as_display: expect.stringContaining('('),
    hosts_display: expect.arrayContaining(['web-1(127.0.0.1)', 'web-2(127.0.0.1)']),
    runbook: null,
    runbook_display: '',
    on_behalf_of: null,
    counts: { failed: 2 },
  })
  expect((await found('search=echo "history')).count).toBe(1)
  const command = encodeURIComponent(results[0].command)
  const [, runAs = '', runAsName = ''] = /^(.*)\(([^(]*)\)$/.exec(results[0].run_as_display) ?? []
  expect((await found(`command=${command}`)).count).toBe(1)
  expect((await found(`command=${command}&run_as__name=${runAs}&run_as__username=${runAsName}`)).count).toBe(1)
  expect((await found(`command=${command}&user__username=${fixture.person.username}`)).count).toBe(1)
  for (const other of ['command=id', 'user__name=x', 'user__username=x', 'run_as__name=x', 'run_as__username=x'])
    expect([other, (await found(`search=history of 42&${other}`)).count]).toEqual([other, 0])
  expect((await found('search=WEB-2')).count).toBeGreaterThan(0)
  expect((await found('search=no such words')).count).toBe(0)
  expect((await found('search=history&is_finished=false')).count).toBe(0)
  expect((await found('date_from=2020-01-01&date_to=2021-01-01')).count).toBe(0)
  expect((await found('search=history', stranger)).count).toBe(0)
})

test('runs are their own: nobody else sees, ends or changes them', async () => {
  const { id } = await ran('true', [second])
  for (const path of [`${RUNS}${id}/`, `${RUNS}${id}/outcomes/`])
    expect([path, (await stranger.get(path)).status, (await fixture.server.admin.get(path)).status]).toEqual([
      path,
      404,
      404,
    ])
  expect((await stranger.post(`${RUNS}${id}/cancel/`)).status).toBe(404)
  for (const method of ['put', 'patch', 'delete'] as const)
    expect([method, (await fixture.person[method](`${RUNS}${id}/`, { command: 'x' })).status]).toEqual([method, 404])
})

test('a cancelled run ends on its machines at once, and does not begin where it waits', async () => {
  const { body } = await begin('echo begun; sleep 100', [second])
  const seen = await lookOn(body.id)
  await expect.poll(() => seen.written('stdout')).toBe('begun\n')
  seen.close()
  expect((await outcomesOf(body.id)).hosts).toMatchObject([{ state: 'running' }])
  expect((await fixture.person.post(`${RUNS}${body.id}/cancel/`)).status).toBe(200)
  expect((await finished(body.id)).result).toEqual({ 'web-2': { err: 'Cancelled' } })
  expect(Object.values((await outcomesOf(body.id)).outputs)).toMatchObject([{ stdout: 'begun\n' }])
})

test('rules about the person refuse the whole run, those about a machine this machine alone; subscribers are notified', async () => {
  const filterOf = (draft: object) => fixture.created('/api/v1/assets/cmd-filters/', { is_active: true, ...draft })
  const ofPerson = await filterOf({ name: 'person', users: [fixture.person.id] })
  const ofMachine = await filterOf({ name: 'machine', assets: [second] })
  const rule = (filter: string, draft: object) =>
    fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, ...draft })
  await rule(ofPerson, { content: 'reboot' })
  await rule(ofMachine, { content: 'halt' })
  await fixture.server.admin.put('/api/v1/notifications/system-msg-subscription/CommandExecutionAlert/', {
    users: [stranger.id],
    groups: [],
    receive_backends: ['site_msg'],
  })

  expect((await ran('echo x; reboot')).result).toEqual({ error: 'Command `reboot` is forbidden' })
  const some = await ran('echo halt')
  expect(some.result).toMatchObject({
    'web-1': { stdout: 'halt\n', rc: 0 },
    'web-2': { err: 'Command `halt` is forbidden' },
  })
  expect((await ran('echo halt', [second])).result).toEqual({ error: 'Command `halt` is forbidden' })
  const alerts = async () =>
    (await stranger.get('/api/v1/notifications/site-message/?limit=10')).body.results.map(
      ({ subject }: { subject: string }) => subject,
    )
  await expect.poll(alerts).toContain('Dangerous batch command: echo x; reboot')
})

/** A rule of a machine that has `careful` confirmed by the stranger. */
async function aConfirmingRule(asset: string) {
  const FILTERS = '/api/v1/assets/cmd-filters/'
  const filter = await fixture.created(FILTERS, { name: `of ${asset}`, is_active: true, assets: [asset] })
  const rule = { filter, content: 'careful', action: 2, reviewers: [stranger.id] }
  const id = await fixture.created(`${FILTERS}${filter}/rules/`, rule)
  return { remove: () => fixture.server.admin.delete(`${FILTERS}${filter}/rules/${id}/`) }
}
const TICKETS = '/api/v1/tickets/tickets/'
const openTickets = async () =>
  (await stranger.get(`${TICKETS}?type=command_confirm&status=open&limit=10`)).body.results
/** Begins a run that is held on the machine; answers its ticket. */
async function held(command: string, hosts: string[]) {
  const { body } = await begin(command, hosts)
  await expect.poll(openTickets).toHaveLength(1)
  const [ticket] = await openTickets()
  return {
    id: body.id as string,
    ticket,
    decide: (verdict: string) => stranger.put(`${TICKETS}${ticket.id}/${verdict}/`),
  }
}
const statesOf = async (id: string) =>
  Object.fromEntries((await outcomesOf(id)).hosts.map(({ name, state }: Record<string, string>) => [name, state]))

test('[A2.52] a rule wants the command confirmed: one ticket for its machines, the others run meanwhile; approved, exactly that text runs', async () => {
  const { id: careful } = await aMachine('careful')
  const rule = await aConfirmingRule(careful)
  const { id, ticket, decide } = await held('echo careful', [careful, second])
  expect(ticket.meta).toMatchObject({
    apply_run_asset: 'careful',
    apply_run_command: 'echo careful',
    apply_from_command_execution_id: id,
    apply_run_command_match: 'careful',
  })
  await expect.poll(() => statesOf(id)).toEqual({ careful: 'held', 'web-2': 'success' })
  const { hosts, is_finished } = await outcomesOf(id)
  expect(is_finished).toBe(false)
  expect(hosts).toContainEqual(
    expect.objectContaining({
      ticket: ticket.id,
      error: expect.stringMatching(/^Waiting for .*\(stranger\) to confirm/),
    }),
  )
  expect((await decide('approve')).status).toBe(200)
  expect((await finished(id)).result).toMatchObject({ careful: { stdout: 'careful\n', rc: 0 }, 'web-2': { rc: 0 } })
  await rule.remove()
})

test('[A2.52] rejected, withdrawn with its run, or without its rule: the machine is skipped and says why, and no ticket stays open', async () => {
  const { id: careful } = await aMachine('careful-2')
  const rule = await aConfirmingRule(careful)
  const rejected = await held('echo careful 1', [careful])
  await rejected.decide('reject')
  expect((await finished(rejected.id)).result).toEqual({
    'careful-2': { err: expect.stringMatching(/\(stranger\) rejected this command$/) },
  })
  const cancelled = await held('echo careful 2', [careful])
  await fixture.person.post(`${RUNS}${cancelled.id}/cancel/`)
  expect((await finished(cancelled.id)).result).toEqual({ 'careful-2': { err: 'Cancelled' } })
  expect(await openTickets()).toEqual([])
  expect((await cancelled.decide('approve')).status).toBe(400)
  const unruled = await held('echo careful 3', [careful])
  await rule.remove()
  expect((await finished(unruled.id)).result).toEqual({
    'careful-2': { err: expect.stringMatching(/^The rule that has this command confirmed has just been changed/) },
  })
  expect(await openTickets()).toEqual([])
  expect(await statesOf(unruled.id)).toEqual({ 'careful-2': 'skipped' })
})

test('[A2.52] a run that was approved after its node was stopped runs once it is taken up, and a rule that denies it by then denies it', async () => {
  const { id: careful } = await aMachine('careful-3')
  const rule = await aConfirmingRule(careful)
  const { id, ticket, decide } = await held('echo careful', [careful])
  await decide('approve')
  await finished(id)
  const takenUp = async () => {
    const { kernel } = fixture.server
    // As the crash of a node leaves it.
    await kernel.pool.query('UPDATE ops_command_execution SET is_finished = false WHERE id = $1', [id])
    await kernel.pool.query(
      "UPDATE ops_command_execution_host SET state = 'held', ticket = $2, code = NULL, stdout = '' WHERE execution = $1",
      [id, ticket.id],
    )
    await kernel.jobs.send('ops.run_command', { execution: id, task: id, language: 'en' })
    return (await finished(id)).result
  }
  expect(await takenUp()).toMatchObject({ 'careful-3': { stdout: 'careful\n' } })
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', {
    name: 'now',
    is_active: true,
    assets: [careful],
  })
  const denial = { filter, content: 'echo', priority: 1 }
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, denial)
  expect(await takenUp()).toEqual({ 'careful-3': { err: 'Command `echo` is forbidden' } })
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
  await rule.remove()
})

test('a run that ended before it began shows the reason in the language of its reader', async () => {
  const { id } = await ran('true', [second])
  await fixture.server.kernel.pool.query("UPDATE ops_command_execution SET error = 'Cancelled' WHERE id = $1", [id])
  const headers = { authorization: `Bearer ${fixture.person.token}`, cookie: 'django_language=zh-hans' }
  const read = async (path: string) => (await fixture.server.call('GET', `${RUNS}${id}/${path}`, { headers })).body
  expect((await read('outcomes/')).error).toBe('已取消')
  expect((await read('')).result).toEqual({ error: '已取消' })
})

test('where asset rules want the sign-in confirmed by others, nothing runs by batch', async () => {
  const acl = await fixture.created('/api/v1/acls/login-asset-acls/', {
    name: 'asked',
    users: { username_group: ['*'] },
    assets: { ip_group: ['*'], hostname_group: ['web-2'] },
    system_users: { username_group: ['*'], name_group: ['*'], protocol_group: ['*'] },
    reviewers: [stranger.id],
  })
  expect((await ran('true')).result).toMatchObject({
    'web-1': { rc: 0 },
    'web-2': { err: expect.stringContaining('must be confirmed by others') },
  })
  await fixture.server.admin.delete(`/api/v1/acls/login-asset-acls/${acl}/`)
})

test('[A2.43 A2.45] SECURITY_COMMAND_EXECUTION off: common people may not, auditors and administrators still may', async () => {
  const { admin } = fixture.server
  expect(
    (await admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_COMMAND_EXECUTION: false })).status,
  ).toBe(200)
  expect((await begin('true', [second])).status).toBe(403)
  // Nothing was granted to them, which is another refusal.
  expect((await begin('true', [second], admin)).status).toBe(400)
  await admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_COMMAND_EXECUTION: true })
})

test('a run whose node was stopped goes on where it had not begun, and says where nobody knows', async () => {
  const { kernel } = fixture.server
  const third = (await aMachine('web-done')).id
  const { body } = await begin('echo twice', [fixture.asset, second, third])
  await finished(body.id)
  // As the crash of a node leaves it: one machine is done.
  await kernel.pool.query('UPDATE ops_command_execution SET is_finished = false WHERE id = $1', [body.id])
  await kernel.pool.query(
    "UPDATE ops_command_execution_host SET state = CASE WHEN asset = $2 THEN 'running' ELSE 'waiting' END, code = NULL, stdout = '' WHERE execution = $1 AND asset <> $3",
    [body.id, second, third],
  )
  await kernel.pool.query(
    "UPDATE ops_command_execution_host SET stdout = 'of the first time' WHERE execution = $1 AND asset = $2",
    [body.id, third],
  )
  const logins = fixture.sshd.logins()
  await kernel.jobs.send('ops.run_command', { execution: body.id, task: body.id, language: 'en' })
  expect((await finished(body.id)).result).toMatchObject({
    'web-1': { stdout: 'twice\n' },
    'web-2': { err: 'The node that ran this was stopped: whether the command ran is not known' },
    'web-done': { stdout: 'of the first time' },
  })
  await expect.poll(() => fixture.sshd.logins() - logins).toBe(1)
})

test('[A2.45] a command that takes longer than a minute is ended, and says so', async () => {
  // The minute is over when the test says so.
  const minutes: (() => void)[] = []
  const real = globalThis.setTimeout
  const watched = (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    // Others in this process have minutes of their own.
    if (ms === 60_000 && new Error().stack?.includes('run-hosts.ts')) minutes.push(() => work(...given))
    return real(work, ms, ...given)
  }
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(watched as typeof setTimeout)
  const sign = await aSign()
  try {
    const { body } = await begin(`echo begun; ${sign.waits}`, [second])
    const seen = await lookOn(body.id)
    await expect.poll(() => seen.written('stdout')).toBe('begun\n')
    expect(minutes).toHaveLength(1)
    for (const end of minutes) end()
    expect((await finished(body.id)).result).toMatchObject({
      'web-2': { err: 'It took longer than 60 seconds: it was told to end, and left' },
    })
    seen.close()
  } finally {
    spy.mockRestore()
    await sign.give()
  }
})

test('[A2.45] half the machines down, and one that hangs: each says so for itself, and no other waits for it', async () => {
  // It takes connections, and never says a word.
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const at = async (hostname: string, port: number) => {
    const draft = { hostname, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${port}`] }
    const id = await fixture.created('/api/v1/assets/assets/', draft)
    await grant(id)
    return id
  }
  try {
    const down = [await at('down-1', await freePort()), await at('down-2', await freePort())]
    const hangs = await at('down-3', (silent.address() as AddressInfo).port)
    const { body } = await begin('echo here', [fixture.asset, second, hangs, ...down])
    const others = { 'down-1': 'failed', 'down-2': 'failed', 'web-1': 'success', 'web-2': 'success' }
    await expect.poll(() => statesOf(body.id)).toMatchObject(others)
    await fixture.person.post(`${RUNS}${body.id}/cancel/`)
    expect((await finished(body.id)).result).toMatchObject({
      'down-1': { err: 'The machine refused the connection: nothing listens on this port' },
      // On a slow machine it has been given up by then.
      'down-3': { err: expect.stringMatching(/^(Cancelled|The machine did not answer in time)$/) },
      'web-1': { stdout: 'here\n' },
    })
  } finally {
    silent.close()
  }
})

test('auditors read all batch commands of their organization, with the machines, also of those that are gone', async () => {
  const LOG = '/api/v1/audits/command-execution-logs/'
  const HOSTS = '/api/v1/audits/command-executions-hosts-relations/'
  const auditor = await fixture.server.aPerson('reader', { orgRoles: ['Auditor'] })
  const elsewhere = await fixture.server.aPerson('elsewhere', {
    orgRoles: ['Admin'],
    org: await fixture.server.anOrg('elsewhere'),
  })
  const short = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'soon-gone',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  await grant(short)
  const run = await ran('echo audited; exit 4', [second, short])
  await fixture.server.admin.delete(`/api/v1/assets/assets/${short}/`)

  const list = async (query: string) => (await auditor.get(`${LOG}?${query}`)).body
  const person = { id: fixture.person.id, username: fixture.person.username }
  const [row] = await list('search=audited')
  expect(row).toMatchObject({
    id: run.id,
    user: person.id,
    user_display: expect.stringContaining(`(${person.username})`),
    run_as: fixture.systemUser,
    command: 'echo audited; exit 4',
    is_finished: true,
    is_success: true,
    result: { 'web-2': { stdout: 'audited\n', rc: 4 } },
  })
  expect(row.hosts.sort()).toEqual([second, short].sort())
  expect(row.hosts_display.sort()).toEqual(['soon-gone', 'web-2(127.0.0.1)'])
  expect(new Date(row.date_start).getTime()).toBeGreaterThan(Date.now() - 600_000)

  const found = async (query: string) => (await list(`search=audited&${query}`)).length
  const [name, username] = /^(.*)\((.*)\)$/.exec(row.run_as_display)?.slice(1) ?? []
  expect(await found(`user__username=${person.username}`)).toBe(1)
  expect(await found('user__username=reader')).toBe(0)
  expect(await found(`run_as__name=${encodeURIComponent(name ?? '')}&run_as__username=${username}`)).toBe(1)
  expect(await found('run_as__name=other')).toBe(0)
  expect(await found('is_finished=false')).toBe(0)
  expect(await found('date_from=2020-01-01&date_to=2021-01-01')).toBe(0)
  expect((await auditor.get(`${LOG}?format=csv&search=audited`)).body).toContain('echo audited; exit 4')

  const hosts = (await auditor.get(`${HOSTS}?commandexecution=${run.id}`)).body
  expect(hosts.map(({ asset_display }: { asset_display: string }) => asset_display).sort()).toEqual([
    'soon-gone',
    'web-2(127.0.0.1)',
  ])
  expect((await auditor.get(`${HOSTS}?commandexecution=${run.id}&search=gone`)).body).toMatchObject([{ asset: short }])
  expect((await auditor.get(`${HOSTS}${hosts[0].id}/`)).body).toMatchObject({ commandexecution: run.id })

  expect((await elsewhere.get(LOG)).body).toEqual([])
  expect((await elsewhere.get(HOSTS)).body).toEqual([])
  expect((await elsewhere.get(`${HOSTS}${hosts[0].id}/`)).status).toBe(404)
  expect((await fixture.person.get(LOG)).status).toBe(403)
})
