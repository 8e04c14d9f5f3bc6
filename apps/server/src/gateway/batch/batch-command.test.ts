import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

const grant = (asset: string) =>
  fixture.created('/api/v1/perms/asset-permissions/', {
    name: `batch on ${asset}`,
    users: [fixture.person.id],
    assets: [asset],
    system_users: [fixture.systemUser],
  })

const begin = (command: string, hosts = [fixture.asset, second], by = fixture.person) =>
  by.post(`${RUNS}?cols=80&rows=24`, { command, hosts, run_as: fixture.systemUser })

/** The run, once it is over. */
async function finished(id: string) {
  const run = async () => (await fixture.person.get(`${RUNS}${id}/`)).body
  await expect.poll(async () => (await run()).is_finished, { timeout: 30_000 }).toBe(true)
  return run()
}

async function ran(command: string, hosts?: string[]) {
  const { status, body } = await begin(command, hosts)
  expect([status, body]).toEqual([201, expect.objectContaining({ command, is_finished: false, result: {} })])
  return finished(body.id)
}

const outcomesOf = async (id: string) => (await fixture.person.get(`${RUNS}${id}/outcomes/`)).body

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

test('equal outputs are told once, each machine says which is its own', async () => {
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
    { port: 1 },
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
  expect(await refusal({ run_as: fixture.asset })).toEqual([400, ['run_as']])
  const asked = await fixture.target({ port: fixture.sshd.port }, { username: 'x', login_mode: 'manual' })
  expect(await refusal({ hosts: [asked.target], run_as: asked.systemUser })).toEqual([400, ['run_as']])
  expect((await begin('true', [second], stranger)).status).toBe(400)
  expect((await fixture.person.get(`${RUNS}?limit=100`)).body.results).not.toContainEqual(
    expect.objectContaining({ command: 'true', hosts: [second] }),
  )
})

test('a permission that ends between the order and the machine keeps it from running there', async () => {
  const late = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'withdrawn',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  const permission = await grant(late)
  const { kernel } = fixture.server
  // As many as run at a time go first, by their names.
  const busy = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const id = await fixture.created('/api/v1/assets/assets/', {
        hostname: `busy-${n}`,
        ip: '127.0.0.1',
        platform: 'Linux',
        protocols: [`ssh/${fixture.sshd.port}`],
      })
      await grant(id)
      return id
    }),
  )
  const sign = join(await mkdtemp(join(tmpdir(), 'sallyport-batch-')), 'withdrawn')
  const { body } = await begin(`until [ -e ${sign} ]; do sleep 0.1; done`, [...busy, late])
  await expect
    .poll(async () => (await outcomesOf(body.id)).hosts.filter(({ state }: { state: string }) => state === 'running'))
    .toHaveLength(10)
  await kernel.pool.query('DELETE FROM perms_permission WHERE id = $1', [permission])
  await writeFile(sign, '')
  expect((await finished(body.id)).result).toMatchObject({
    withdrawn: { err: 'You have no permission to connect to this asset' },
    'busy-0': { rc: 0 },
  })
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
  const sign = join(await mkdtemp(join(tmpdir(), 'sallyport-batch-')), 'begun')
  // What was said reaches the gateway well before the sign is there.
  const { body } = await begin(`echo begun; sleep 1; touch ${sign}; sleep 100`, [second])
  const states = async () => (await outcomesOf(body.id)).hosts.map(({ state }: { state: string }) => state)
  await expect.poll(() => existsSync(sign)).toBe(true)
  expect(await states()).toEqual(['running'])
  expect((await fixture.person.post(`${RUNS}${body.id}/cancel/`)).status).toBe(200)
  expect((await finished(body.id)).result).toEqual({ 'web-2': { err: 'Cancelled' } })
  expect(Object.values((await outcomesOf(body.id)).outputs)).toMatchObject([{ stdout: 'begun\n' }])
})

test('rules about the person refuse the whole run, those about a machine this machine alone; subscribers are told', async () => {
  const filterOf = (draft: object) => fixture.created('/api/v1/assets/cmd-filters/', { is_active: true, ...draft })
  const ofPerson = await filterOf({ name: 'person', users: [fixture.person.id] })
  const ofMachine = await filterOf({ name: 'machine', assets: [second] })
  const rule = (filter: string, draft: object) =>
    fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, ...draft })
  await rule(ofPerson, { content: 'reboot' })
  await rule(ofMachine, { content: 'halt' })
  await rule(ofMachine, { type: 'regex', content: 'careful', action: 2, reviewers: [stranger.id] })
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
  expect((await ran('echo careful', [second])).result).toEqual({
    error: 'The filter machine wants this command confirmed: run it in a terminal',
  })
  const told = async () =>
    (await stranger.get('/api/v1/notifications/site-message/?limit=10')).body.results.map(
      ({ subject }: { subject: string }) => subject,
    )
  await expect.poll(told).toContain('Dangerous batch command: echo x; reboot')
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

test('SECURITY_COMMAND_EXECUTION off: common people may not, auditors and administrators still may', async () => {
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
  const { body } = await begin('echo twice', [fixture.asset, second])
  await finished(body.id)
  // As the crash of a node leaves it.
  await kernel.pool.query('UPDATE ops_command_execution SET is_finished = false WHERE id = $1', [body.id])
  await kernel.pool.query(
    "UPDATE ops_command_execution_host SET state = CASE WHEN asset = $2 THEN 'running' ELSE 'waiting' END, code = NULL, stdout = '' WHERE execution = $1",
    [body.id, second],
  )
  await kernel.jobs.send('ops.run_command', { execution: body.id, task: body.id, language: 'en' })
  expect((await finished(body.id)).result).toMatchObject({
    'web-1': { stdout: 'twice\n' },
    'web-2': { err: 'The node that ran this was stopped: whether the command ran is not known' },
  })
})

test('[A2.56] auditors read all batch commands of their organisation, with the machines, also of those that are gone', async () => {
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
