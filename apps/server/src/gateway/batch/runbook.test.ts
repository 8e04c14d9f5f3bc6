import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { dueSchedule, sendDueRunbooks } from '../../domains/ops/runbooks/index.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import { startWindowsShell, type WindowsShell } from './windows-shell-fixture.ts'

const RUNBOOKS = '/api/v1/ops/runbooks/'
const RUNS = '/api/v1/ops/command-executions/'

let fixture: TerminalFixture
let stranger: Caller
/** A second machine, at the same sshd. */
let second: string
beforeAll(async () => {
  fixture = await openTerminalFixture()
  stranger = await fixture.server.aPerson('stranger')
  second = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'web-2',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'second',
    users: [fixture.person.id],
    assets: [second],
    system_users: [fixture.systemUser],
  })
})
afterAll(() => fixture?.close())

const aRunbook = (draft: object): Promise<string> => fixture.created(RUNBOOKS, draft)
const asked = (draft: object = {}) => ({ hosts: [fixture.asset, second], run_as: fixture.systemUser, ...draft })
const begin = (id: string, draft: object = {}, by = fixture.person) => by.post(`${RUNBOOKS}${id}/run/`, asked(draft))
const preview = (id: string, draft: object = {}, by = fixture.person) =>
  by.post(`${RUNBOOKS}${id}/preview/`, asked(draft))

async function finished(id: string) {
  const run = async () => (await fixture.person.get(`${RUNS}${id}/`)).body
  await expect.poll(async () => (await run()).is_finished).toBe(true)
  return run()
}
const step = (name: string, command: string) => ({ name, command })

test('[A2.45] its steps run one after the other on each machine with values and facts, as a batch command of the caller', async () => {
  const id = await aRunbook({
    name: 'greet',
    steps: [step("say it's", 'cd /tmp; echo {{word}} from {{host.name}}'), step('where', 'pwd | grep -c ^/tmp$')],
    variables: [{ name: 'word', label: 'Which word?', value: 'hello' }],
  })
  const { status, body } = await begin(id, { values: { word: '你好-1' } })
  expect([status, body]).toEqual([201, { id: expect.any(String) }])
  const run = await finished(body.id)
  expect(run).toMatchObject({ runbook: id, runbook_display: 'greet v1' })
  // The second step begins where the first did, and what fails there is what the run comes to.
  const output = (name: string) => `== 1/2 say it's\n你好-1 from ${name}\n== 2/2 where\n0\n`
  expect(run.result).toMatchObject({
    'web-1': { stdout: output('web-1'), rc: 1, cmd: expect.stringContaining('echo 你好-1 from web-1') },
    'web-2': { stdout: output('web-2'), rc: 1, cmd: expect.stringContaining('echo 你好-1 from web-2') },
  })
  const listed = (await fixture.person.get(`${RUNS}?runbook=${id}&fields_size=small&limit=5`)).body.results
  expect(listed).toMatchObject([{ id: body.id, runbook_display: 'greet v1' }])
  expect((await stranger.get(`${RUNS}${body.id}/`)).status).toBe(404)
})

test('no step follows one that failed, whose exit code is that of the machine', async () => {
  const id = await aRunbook({ name: 'fails', steps: [step('one', 'echo begun; exit 7'), step('two', 'echo never')] })
  const { body } = await begin(id, { hosts: [second] })
  expect((await finished(body.id)).result).toMatchObject({ 'web-2': { stdout: '== 1/2 one\nbegun\n', rc: 7 } })
})

test('a preview says where, as whom, what, and what the rules say; it runs nothing', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'of web-2', assets: [second] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'web-2' })
  const id = await aRunbook({
    name: 'looked at',
    steps: [step('one', 'echo {{host.name}} {{n}}')],
    variables: [{ name: 'n' }],
  })
  const { status, body } = await preview(id, { values: { n: '5' } })
  expect(status).toBe(200)
  expect(body).toEqual({
    version: 1,
    run_as_display: expect.stringContaining('('),
    files: [],
    secrets: [],
    commands: [
      { command: 'echo web-1 5', hosts: [{ asset: fixture.asset, name: 'web-1', state: 'waiting', reason: '' }] },
      {
        command: 'echo web-2 5',
        hosts: [{ asset: second, name: 'web-2', state: 'skipped', reason: 'Command `web-2` is forbidden' }],
      },
    ],
  })
  expect((await fixture.person.get(`${RUNS}?runbook=${id}&limit=1`)).body.count).toBe(0)
  // The same text is judged when it runs.
  const run = await begin(id, { values: { n: '5' } })
  expect((await finished(run.body.id)).result).toMatchObject({
    'web-1': { stdout: 'web-1 5\n' },
    'web-2': { err: 'Command `web-2` is forbidden' },
  })
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a value with spaces or quotes is one word of the shell; unknown, missing and misplaced ones are named', async () => {
  const hostile = ['two words', "it's; id", '$(id) `id`', '"*" ~ \\', '{{host.ip}} &']
  const names = ['a', 'b', 'c', 'd', 'e']
  const id = await aRunbook({
    name: 'values',
    steps: [step('one', `printf '[%s]' ${names.map((name) => `{{${name}}}`).join(' ')}`)],
    variables: names.map((name) => ({ name })),
  })
  const values = Object.fromEntries(names.map((name, at) => [name, hostile[at]]))
  const run = await finished((await begin(id, { hosts: [second], values })).body.id)
  expect(run.result).toMatchObject({ 'web-2': { stdout: hostile.map((value) => `[${value}]`).join(''), rc: 0 } })
  for (const wrong of ['-rf', 'a\nb', 'a\u001bb', ''])
    for (const ask of [preview, begin])
      expect([wrong, (await ask(id, { values: { ...values, b: wrong } })).body]).toEqual([
        wrong,
        { values: { b: [expect.any(String)] } },
      ])
  const within = await aRunbook({ name: 'within', steps: [step('one', 'echo "{{a}}"')], variables: [{ name: 'a' }] })
  for (const ask of [preview, begin])
    expect((await ask(within, { values: { a: 'a b' } })).body).toEqual({
      values: { a: [expect.stringContaining('within quotes')] },
    })
  expect((await preview(within, { values: { b: 'x', a: 'y' } })).body).toEqual({
    values: ['There is no such variable: b'],
  })
  expect((await preview(within)).body).toEqual({ values: { a: ['Needs a value'] } })
  for (const wrong of [{ hosts: [] }, { hosts: 'x' }, { run_as: 'x' }, { values: [1] }, { version: 'x' }])
    expect((await preview(within, { values: { a: 'x' }, ...wrong })).status).toBe(400)
  const odd = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'a machine; reboot',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'odd',
    users: [fixture.person.id],
    assets: [odd],
    system_users: [fixture.systemUser],
  })
  const facts = (name: string, command: string) => aRunbook({ name, steps: [step('one', command)] })
  const outside = await facts('facts', 'echo {{host.name}}')
  expect((await preview(outside, { hosts: [odd] })).body.commands[0].command).toBe("echo 'a machine; reboot'")
  const inside = await facts('facts within', 'echo "{{host.name}}"')
  expect(Object.keys((await begin(inside, { hosts: [odd] })).body)).toEqual(['hosts'])
})

test('where no Unix shell reads it, a value that would be quoted for one is refused', async () => {
  const id = await aRunbook({ name: 'on windows', steps: [step('one', 'echo {{a}}')], variables: [{ name: 'a' }] })
  const windows = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'windows-1',
    ip: '127.0.0.1',
    platform: 'Windows',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'windows',
    users: [fixture.person.id],
    assets: [windows],
    system_users: [fixture.systemUser],
  })
  for (const ask of [preview, begin])
    expect((await ask(id, { hosts: [second, windows], values: { a: 'x & del y' } })).body).toEqual({
      hosts: [expect.stringMatching(/: windows-1$/)],
    })
  expect((await preview(id, { hosts: [windows], values: { a: 'x-1' } })).body.commands[0].command).toBe('echo x-1')
})

describe('on Windows', () => {
  const login = { username: 'Administrator', password: 'W1nd0ws-door' }
  const machines: WindowsShell[] = []
  afterAll(() => Promise.all(machines.map((machine) => machine.close())))
  async function aWindows(shell?: 'cmd' | 'powershell') {
    const windows = await startWindowsShell(login, shell)
    machines.push(windows)
    const at = await fixture.target({ port: windows.port, platform: 'Windows' }, { ...login, login_mode: 'auto' })
    return { windows, hosts: [at.target], asked: { hosts: [at.target], run_as: at.systemUser } }
  }
  const resultOf = async (id: string, draft: object) =>
    Object.values((await finished((await begin(id, draft)).body.id)).result)[0]

  test.each(['cmd', 'powershell'] as const)(
    '[A2.45] several steps run one after the other over one connection, in %s as it is, and none after one that failed',
    async (shell) => {
      const { windows, asked } = await aWindows(shell)
      const id = await aRunbook({
        name: `steps of ${shell}`,
        steps: [step("say it's", 'echo "a & b" {{word}} {{host.name}}'), step('two', "echo it's two")],
        variables: [{ name: 'word', value: 'x' }],
      })
      expect(await resultOf(id, asked)).toMatchObject({
        stdout: expect.stringMatching(/^== 1\/2 say it's\n"a & b" x target-\d+\r\n== 2\/2 two\nit's two\r\n$/),
        rc: 0,
      })
      expect([windows.commands.length, windows.logins()]).toEqual([2, 1])
      const fails = await aRunbook({
        name: `fails in ${shell}`,
        steps: [step('one', 'echo 1'), step('two', 'ls /tmp'), step('three', 'echo never')],
      })
      expect(await resultOf(fails, asked)).toMatchObject({
        stdout: '== 1/3 one\n1\r\n== 2/3 two\n',
        stderr: expect.stringContaining("'ls' is not recognized"),
        rc: 1,
      })
      const exits = await aRunbook({
        name: `exits ${shell}`,
        steps: [step('one', 'exit 7'), step('two', 'echo never')],
      })
      expect(await resultOf(exits, asked)).toMatchObject({ stdout: '== 1/2 one\n', rc: 7 })
    },
  )

  test('each step is judged as it stands, whatever quotes the ones before leave open; what Windows would not read whole is refused', async () => {
    const { windows, hosts, asked } = await aWindows()
    const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'of windows', assets: hosts })
    await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', content: '^del ' })
    const steps = [step('one', "echo it's begun"), step('two', 'del /s c:'), step('three', "echo it's over")]
    const id = await aRunbook({ name: 'judged', steps })
    expect((await preview(id, asked)).body.commands[0]).toEqual({
      command: "# == 1/3 one\necho it's begun\n# == 2/3 two\ndel /s c:\n# == 3/3 three\necho it's over",
      hosts: [expect.objectContaining({ state: 'skipped', reason: 'Command `del` is forbidden' })],
    })
    expect((await finished((await begin(id, asked)).body.id)).result).toEqual({
      error: expect.stringContaining('is forbidden'),
    })
    expect(windows.commands).toEqual([])
    const long = await aRunbook({
      name: 'long',
      steps: [step('one', 'echo 1'), step('of two lines', 'echo 2\necho 3')],
    })
    for (const ask of [preview, begin])
      expect((await ask(long, asked)).body).toEqual({
        hosts: [expect.stringMatching(/^On Windows a step is one line: of two lines: target-/)],
      })
    // Each machine gets the steps in its own way.
    const mixed = await aRunbook({ name: 'mixed', steps: [step('one', 'echo 1'), step('two', 'echo 2')] })
    const granted = { name: 'mixed', users: [fixture.person.id], assets: [second], system_users: [asked.run_as] }
    await fixture.created('/api/v1/perms/asset-permissions/', granted)
    const { commands } = (await preview(mixed, { ...asked, hosts: [...hosts, second] })).body
    expect(commands.map(({ command }: { command: string }) => command.split('\n')[0]).sort()).toEqual([
      '# == 1/2 one',
      "echo '== 1/2 one'",
    ])
  })

  test('the output before the connection was lost is shown', async () => {
    const { windows, asked } = await aWindows()
    windows.dropsAt = 'echo 2'
    const id = await aRunbook({ name: 'lost', steps: [step('one', 'echo 1'), step('two', 'echo 2')] })
    const { body } = await begin(id, asked)
    await finished(body.id)
    const { hosts, outputs } = (await fixture.person.get(`${RUNS}${body.id}/outcomes/`)).body
    expect(hosts).toMatchObject([{ state: 'failed', code: null, error: 'The connection to the machine was lost' }])
    expect(outputs[hosts[0].output].stdout).toBe('== 1/2 one\n1\r\n== 2/2 two\n')
  })
})

test('steps name variables that there are, by names of their own; templates of other tools stay as they are', async () => {
  const refusal = async (draft: object) => {
    const { status, body } = await fixture.server.admin.post(RUNBOOKS, {
      name: 'wrong',
      steps: [step('a', 'id')],
      ...draft,
    })
    return [status, Object.keys(body)]
  }
  expect(await refusal({ steps: [step('a', 'echo {{who}}')] })).toEqual([400, ['steps']])
  for (const amount of [0, 51])
    expect(await refusal({ steps: Array(amount).fill(step('a', 'id')) })).toEqual([400, ['steps']])
  // Together they are more than a batch command may have.
  expect(await refusal({ steps: Array(5).fill(step('a', 'x'.repeat(15_000))) })).toEqual([400, ['steps']])
  expect(await refusal({ variables: [{ name: 'a' }, { name: 'a' }] })).toEqual([400, ['variables']])
  expect(await refusal({ variables: [{ name: 'A b' }] })).toEqual([400, ['variables']])
  expect(await refusal({ steps: [step('a', 'echo "{{a}}"')], variables: [{ name: 'a', value: '$(id)' }] })).toEqual([
    400,
    ['variables'],
  ])
  const id = await aRunbook({ name: 'templates', steps: [step('a', "echo '{{.Names}} {{json .}} $x'")] })
  const { body } = await begin(id, { hosts: [second] })
  expect((await finished(body.id)).result).toMatchObject({ 'web-2': { stdout: '{{.Names}} {{json .}} $x\n' } })
})

test('changes of steps are versions, of which five are kept; who looked at another one does not run this one', async () => {
  const id = await aRunbook({ name: 'grows', steps: [step('a', 'echo 1')] })
  const change = (draft: object) => fixture.server.admin.patch(`${RUNBOOKS}${id}/`, draft)
  expect((await change({ comment: 'no step' })).body.version).toBe(1)
  for (let n = 2; n <= 7; n++) await change({ steps: [step('a', `echo ${n}`)] })
  const versions = (await fixture.person.get(`${RUNBOOKS}${id}/versions/`)).body
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([7, 6, 5, 4, 3])
  expect(versions.at(-1)).toMatchObject({
    steps: [step('a', 'echo 3')],
    created_by: expect.stringContaining('(admin)'),
  })
  expect((await begin(id, { version: 6 })).status).toBe(409)
  expect((await preview(id, { version: 7 })).body.commands[0].command).toBe('echo 7')
})

test('everybody of the organization reads and runs them on what they were granted; administrators write them', async () => {
  const id = await aRunbook({ name: 'shared', steps: [step('a', 'id')] })
  expect((await stranger.get(`${RUNBOOKS}${id}/`)).body.name).toBe('shared')
  for (const ask of [preview, begin])
    expect(Object.keys((await ask(id, {}, stranger)).body)).toEqual(['run_as', 'hosts'])
  expect((await fixture.person.post(RUNBOOKS, { name: 'mine', steps: [step('a', 'id')] })).status).toBe(403)
  expect((await fixture.person.patch(`${RUNBOOKS}${id}/`, { name: 'mine' })).status).toBe(403)
  const elsewhere = await fixture.server.aPerson('elsewhere', {
    orgRoles: ['Admin'],
    org: await fixture.server.anOrg('elsewhere'),
  })
  for (const path of ['', 'versions/']) expect((await elsewhere.get(`${RUNBOOKS}${id}/${path}`)).status).toBe(404)
  for (const ask of [preview, begin]) expect((await ask(id, {}, elsewhere)).status).toBe(404)
  const setting = (on: boolean) =>
    fixture.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_COMMAND_EXECUTION: on })
  await setting(false)
  for (const ask of [preview, begin]) expect((await ask(id)).status).toBe(403)
  await setting(true)
})

const SCHEDULES = '/api/v1/ops/runbook-schedules/'

/** Has the time of a schedule come; answers it once what came of that is known. */
async function whenDue(id: string) {
  const { kernel } = fixture.server
  const stored = async () => (await fixture.person.get(`${SCHEDULES}${id}/`)).body
  await kernel.pool.query(
    `UPDATE ops_runbook_schedule SET date_next_run = now() - interval '1 second', last_execution = NULL, error = '' WHERE id = $1`,
    [id],
  )
  await sendDueRunbooks(kernel, new Date())
  await expect
    .poll(async () => {
      const { last_execution, error } = await stored()
      return Boolean(last_execution || error)
    })
    .toBe(true)
  return stored()
}
const messagesAbout = async (words: string) =>
  (await fixture.person.get('/api/v1/notifications/site-message/?limit=100')).body.results.filter(
    ({ subject }: { subject: string }) => subject.includes(words),
  )

test('a schedule runs as its author, with the rights of then: machines that they may not use any more are skipped, and they are notified of the end', async () => {
  const id = await aRunbook({
    name: 'nightly',
    steps: [step('one', 'echo {{word}} {{host.name}}')],
    variables: [{ name: 'word' }],
  })
  const permission = await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'for some time',
    users: [stranger.id],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
  const draft = { runbook: id, ...asked({ values: { word: 'two words' } }), crontab: '0 4 * * *' }
  const created = await fixture.person.post(SCHEDULES, draft)
  expect([created.status, created.body]).toMatchObject([
    201,
    { version: 1, is_outdated: false, error: '', run_as_display: expect.stringContaining('(') },
  ])
  const schedule = created.body.id
  expect((await stranger.get(`${SCHEDULES}${schedule}/`)).status).toBe(404)
  expect((await stranger.delete(`${SCHEDULES}${schedule}/`)).status).toBe(404)
  const first = await whenDue(schedule)
  const run = await finished(first.last_execution)
  expect(run.runbook_display).toBe('nightly v1')
  expect(run.result).toMatchObject({
    'web-1': { stdout: 'two words web-1\n' },
    'web-2': { stdout: 'two words web-2\n' },
  })
  await expect.poll(() => messagesAbout('nightly v1')).toHaveLength(1)
  // The same job, taken up again after its node died, begins no second run.
  const { kernel } = fixture.server
  const { rows } = await kernel.pool.query('SELECT last_job FROM ops_runbook_schedule WHERE id = $1', [schedule])
  expect(await dueSchedule(kernel.db, schedule, rows[0].last_job)).toBeUndefined()

  const theirs = (await stranger.post(SCHEDULES, { ...draft, hosts: [fixture.asset] })).body.id
  await fixture.server.admin.delete(`/api/v1/perms/asset-permissions/${permission}/`)
  await kernel.pool.query(`UPDATE ops_runbook_schedule SET date_next_run = now() WHERE id = $1`, [theirs])
  await sendDueRunbooks(kernel, new Date(Date.now() + 1000))
  const skipped = async () => {
    const { last_execution } = (await stranger.get(`${SCHEDULES}${theirs}/`)).body
    return last_execution && (await stranger.get(`${RUNS}${last_execution}/`)).body
  }
  await expect.poll(async () => (await skipped())?.is_finished).toBe(true)
  expect((await skipped()).counts).toEqual({ skipped: 1 })
  expect((await skipped()).result).toMatchObject({ 'web-1': { err: expect.stringMatching(/./) } })
})

test('steps that were changed since do not run with the rights of the person who scheduled the former ones, until they save it again', async () => {
  const id = await aRunbook({ name: 'weekly', steps: [step('one', 'echo 1')] })
  const draft = { runbook: id, ...asked({ hosts: [second] }), interval: 1 }
  const schedule = (await fixture.person.post(SCHEDULES, draft)).body.id
  await fixture.server.admin.patch(`${RUNBOOKS}${id}/`, { steps: [step('one', 'echo 2')] })
  expect(await whenDue(schedule)).toMatchObject({
    is_outdated: true,
    last_execution: null,
    error: expect.stringContaining('changed'),
  })
  expect((await fixture.person.get(`${RUNS}?runbook=${id}&limit=1`)).body.count).toBe(0)
  await expect.poll(() => messagesAbout('weekly')).toHaveLength(1)
  // The same again is noted, not reported.
  const { kernel } = fixture.server
  const stored = async () => {
    const { rows } = await kernel.pool.query('SELECT * FROM ops_runbook_schedule WHERE id = $1', [schedule])
    return rows[0]
  }
  const { date_last_run: before } = await stored()
  await kernel.pool.query('UPDATE ops_runbook_schedule SET date_next_run = now() WHERE id = $1', [schedule])
  await sendDueRunbooks(kernel, new Date(Date.now() + 1000))
  await expect.poll(async () => (await stored()).date_last_run > before).toBe(true)
  // Switching it off is no consent to the new steps.
  const off = await fixture.person.patch(`${SCHEDULES}${schedule}/`, { is_periodic: false })
  expect(off.body).toMatchObject({ is_periodic: false, is_outdated: true })
  // Nor is a change that does not say which steps were looked at, or names the former ones.
  for (const change of [{ is_periodic: true }, { is_periodic: true, version: 1 }, { values: {} }]) {
    const refused = await fixture.person.patch(`${SCHEDULES}${schedule}/`, change)
    expect([refused.status, refused.body.code]).toEqual([409, 'changed'])
  }
  expect((await fixture.person.put(`${SCHEDULES}${schedule}/`, { ...draft, is_periodic: true })).status).toBe(409)
  expect((await fixture.person.get(`${SCHEDULES}${schedule}/`)).body).toMatchObject({ is_periodic: false, version: 1 })
  const saved = await fixture.person.patch(`${SCHEDULES}${schedule}/`, { is_periodic: true, version: 2 })
  expect(saved.body).toMatchObject({ is_outdated: false, version: 2, error: '' })
  const { last_execution } = await whenDue(schedule)
  expect((await finished(last_execution)).result).toMatchObject({ 'web-2': { stdout: '2\n' } })
  expect(await messagesAbout('was not run: weekly')).toHaveLength(1)
  // As long as one run goes on, none is begun beside it.
  await kernel.pool.query('UPDATE ops_command_execution SET is_finished = false WHERE id = $1', [last_execution])
  await kernel.pool.query('UPDATE ops_runbook_schedule SET date_next_run = now() WHERE id = $1', [schedule])
  await sendDueRunbooks(kernel, new Date(Date.now() + 1000))
  await expect.poll(async () => (await stored()).error).toBe('The run before has not ended yet')
  expect((await stored()).last_execution).toBe(last_execution)
  await kernel.pool.query('UPDATE ops_command_execution SET is_finished = true WHERE id = $1', [last_execution])
})

test('schedules of auditors run where common people may run no commands, as they might by hand', async () => {
  const auditor = await fixture.server.aPerson('scheduling-auditor', { orgRoles: ['Auditor'] })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'of the auditor',
    users: [auditor.id],
    assets: [second],
    system_users: [fixture.systemUser],
  })
  const id = await aRunbook({
    name: 'audited',
    steps: [step('one', 'echo {{constructor}}')],
    variables: [{ name: 'constructor' }],
  })
  expect((await preview(id)).body).toEqual({ values: { constructor: ['Needs a value'] } })
  const { kernel, admin } = fixture.server
  const values = { constructor: 'x' }
  const saved = await auditor.post(SCHEDULES, { runbook: id, ...asked({ hosts: [second], values }), interval: 1 })
  const schedule = saved.body.id
  const allow = (on: boolean) =>
    admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_COMMAND_EXECUTION: on })
  await allow(false)
  try {
    await kernel.pool.query('UPDATE ops_runbook_schedule SET date_next_run = now() WHERE id = $1', [schedule])
    await sendDueRunbooks(kernel, new Date(Date.now() + 1000))
    const stored = async () => (await auditor.get(`${SCHEDULES}${schedule}/`)).body
    await expect.poll(async () => (await stored()).last_execution || (await stored()).error).toMatch(/^[0-9a-f-]{36}$/)
    const { last_execution } = await stored()
    await expect.poll(async () => (await auditor.get(`${RUNS}${last_execution}/`)).body.is_finished).toBe(true)
  } finally {
    await allow(true)
  }
})

test('a schedule takes only what its author could run now, at times that there are', async () => {
  const id = await aRunbook({ name: 'taken', steps: [step('one', 'echo {{a}}')], variables: [{ name: 'a' }] })
  const draft = { runbook: id, ...asked({ hosts: [second], values: { a: 'x' } }), interval: 1 }
  const wrong = async (change: object, by = fixture.person) => {
    const { status, body } = await by.post(SCHEDULES, { ...draft, ...change })
    return [status, Object.keys(body)]
  }
  expect(await wrong({}, stranger)).toEqual([400, ['run_as', 'hosts']])
  expect(await wrong({ hosts: [] })).toEqual([400, ['hosts']])
  expect(await wrong({ values: {} })).toEqual([400, ['values']])
  expect(await wrong({ values: { a: ['x'] } })).toEqual([400, ['values']])
  expect(await wrong({ values: 'x' })).toEqual([400, ['values']])
  expect(await wrong({ runbook: second })).toEqual([400, ['runbook']])
  expect(await wrong({ run_as: second })).toEqual([400, ['run_as', 'hosts']])
  expect(await wrong({ crontab: '61 * * * *' })).toEqual([400, ['crontab']])
  expect(await wrong({ interval: null })).toEqual([400, ['is_periodic']])
  expect((await fixture.person.post(SCHEDULES, { ...draft, version: 2 })).status).toBe(409)
  expect((await fixture.person.post(SCHEDULES, { ...draft, version: 'x' })).status).toBe(400)
  const org = await fixture.server.anOrg('scheduled elsewhere')
  const elsewhere = await fixture.server.aPerson('scheduler', { orgRoles: ['Admin'], org })
  const foreign = (await elsewhere.post(RUNBOOKS, { name: 'foreign', steps: [step('one', 'id')] })).body.id
  expect(await wrong({ runbook: foreign, values: {} })).toEqual([400, ['runbook']])
  expect((await fixture.person.get(`${SCHEDULES}?runbook=${id}&limit=10`)).body.count).toBe(0)
})

test('administrators of the organization see the schedules of others, keep them from running, and change nothing else of them', async () => {
  const id = await aRunbook({ name: 'of others', steps: [step('one', 'id')] })
  const draft = { runbook: id, ...asked({ hosts: [second] }), interval: 1 }
  const schedules = await Promise.all([1, 2].map(async () => (await fixture.person.post(SCHEDULES, draft)).body.id))
  const [schedule, other] = schedules
  const org = await fixture.server.anOrg('schedules elsewhere')
  const elsewhere = await fixture.server.aPerson('schedules-elsewhere', { orgRoles: ['Admin'], org })
  const here = await fixture.server.aPerson('schedules-here', { orgRoles: ['Admin'] })
  for (const by of [stranger, elsewhere]) {
    expect((await by.get(`${SCHEDULES}?runbook=${id}&limit=10`)).body.count).toBe(0)
    for (const answer of [
      await by.get(`${SCHEDULES}${schedule}/`),
      await by.patch(`${SCHEDULES}${schedule}/`, { is_periodic: false }),
      await by.delete(`${SCHEDULES}${schedule}/`),
    ])
      expect(answer.status).toBe(404)
  }
  const [seen] = (await here.get(`${SCHEDULES}?runbook=${id}&limit=1`)).body.results
  expect(seen).toMatchObject({ author: expect.stringContaining('('), is_own: false, is_periodic: true })
  expect((await fixture.person.get(`${SCHEDULES}${schedule}/`)).body.is_own).toBe(true)
  for (const change of [
    { is_periodic: true },
    { interval: 2 },
    { is_periodic: false, crontab: '* * * * *' },
    { is_periodic: false, version: 1, values: {} },
    { is_periodic: false, hosts: [fixture.asset] },
  ])
    expect([change, (await here.patch(`${SCHEDULES}${schedule}/`, change)).status]).toEqual([change, 403])
  expect((await here.put(`${SCHEDULES}${schedule}/`, draft)).status).toBe(403)
  expect((await here.patch(`${SCHEDULES}${schedule}/`, { is_periodic: false })).body.is_periodic).toBe(false)
  expect((await here.delete(`${SCHEDULES}${other}/`)).status).toBe(204)
  expect((await fixture.person.get(`${SCHEDULES}${schedule}/`)).body).toMatchObject({
    is_own: true,
    is_periodic: false,
  })
  expect((await fixture.person.get(`${SCHEDULES}${other}/`)).status).toBe(404)
  await expect.poll(() => messagesAbout('schedule of the runbook of others')).toHaveLength(2)
})
