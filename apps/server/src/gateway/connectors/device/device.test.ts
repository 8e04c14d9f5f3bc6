import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTerminalFixture, type TerminalFixture } from '../../listeners/web/terminal-fixture.ts'
import { type DeviceOptions, startDevice, type TestDevice } from './device-fixture.ts'
import { QUESTION } from './dialect.ts'

const RUNS = '/api/v1/ops/command-executions/'
const DOOR = { username: 'operator', password: 'Door-7q!x' }
const SECRET = 'Enable-9w?z'

let fixture: TerminalFixture
/** The system user that logs in, from which the others are switched to. */
let door: string
let device: TestDevice
/** The device, at its higher level. */
let where: Place
const devices: TestDevice[] = []

beforeAll(async () => {
  fixture = await openTerminalFixture()
  door = await fixture.created('/api/v1/assets/system-users/', { name: 'door', ...DOOR, auto_push: false })
  for (const kind of ['cisco', 'huawei'] as const)
    await fixture.created('/api/v1/assets/platforms/', { name: kind, base: 'Other', meta: { device: kind } })
  device = await aDevice()
  where = await at(device, raised())
})
afterAll(async () => {
  await fixture?.close()
  for (const one of devices) await one.close()
})

async function aDevice(options: Partial<DeviceOptions> = {}): Promise<TestDevice> {
  const started = await startDevice({ login: DOOR, secret: SECRET, ...options })
  devices.push(started)
  return started
}

const raised = (password = SECRET) => ({ username: 'enable', password, su_enabled: true, su_from: door })
const at = ({ port }: TestDevice, login: object, platform = 'cisco') => fixture.target({ port, platform }, { ...login })
type Place = Awaited<ReturnType<typeof at>>

async function begun({ target, systemUser }: Place, command: string): Promise<string> {
  const { status, body } = await fixture.person.post(RUNS, { hosts: [target], run_as: systemUser, command })
  expect(status).toBe(201)
  return body.id
}

const stored = async (id: string) => (await fixture.person.get(`${RUNS}${id}/`)).body

async function over(id: string) {
  await expect.poll(async () => (await stored(id)).is_finished).toBe(true)
  const { result, log_url } = await stored(id)
  const log = (await fixture.person.get(log_url)).body.data as string
  return { ...(Object.values(result)[0] as { err?: string }), log }
}

const ran = async (where: Place, command: string) => over(await begun(where, command))
const CONFIGURATION = `Current configuration : 4711 bytes\n!\n${Array.from({ length: 60 }, (_, n) => ` line ${n + 1}\n`).join('')}end\n`

test('[A3.17] a batch command on network equipment runs at the level that the password opens, whole and without pages, and shows neither prompt nor password', async () => {
  const lower = await at(device, DOOR)
  const shown = 'show running-config'
  const [{ log, ...outcome }, refused] = await Promise.all([ran(where, shown), ran(lower, shown)])
  expect(outcome).toMatchObject({ stdout: CONFIGURATION, stderr: '', rc: 0 })
  expect(log).toContain('| CHANGED | rc=0 >>')
  expect(log).not.toContain(SECRET)
  // A machine where nobody raised anything runs less.
  expect(refused).toMatchObject({ stdout: expect.stringContaining('% Invalid input detected'), rc: 1 })
})

test('pages are turned where a device does not leave them out, and its own words for it are no output', async () => {
  const paging = await aDevice({ alwaysPages: true })
  expect(await ran(await at(paging, raised()), 'show running-config')).toMatchObject({ stdout: CONFIGURATION, rc: 0 })
})

test('lines run one after the other, each under its prompt, also of a device that is renamed; none after one that is refused', async () => {
  const before = device.typed.length
  const [renamed, refused, ended] = await Promise.all(
    ['configure terminal\nhostname core-1\nend\nshow clock\n', 'show nonsense\nreload', 'exit'].map((command) =>
      ran(where, command),
    ),
  )
  expect(renamed).toMatchObject({
    stdout:
      'edge-1#configure terminal\nEnter configuration commands, one per line.  End with CNTL/Z.\nedge-1(config)#hostname core-1\ncore-1(config)#end\ncore-1#show clock\n12:00:00.000 UTC Tue Nov 24 2026\n',
    rc: 0,
  })
  expect(refused).toMatchObject({ rc: 1 })
  expect(device.typed.slice(before)).not.toContain('reload')
  // The end of the shell is no failure.
  expect(ended).toMatchObject({ rc: 0 })
})

test('a piece of output that ends at a word such as password ends no command', async () => {
  expect(await ran(where, 'show users\nshow clock')).toMatchObject({
    stdout: expect.stringMatching(/username bob password 7 09\nLast password: never\nedge-1#show clock\n12:00/),
    rc: 0,
  })
})

test.each([
  'Proceed with reload? [confirm]',
  'Continue? [yes/no]: ',
  'Destination filename [startup-config]? ',
  'Do you want to overwrite? [Y/N]:',
  'Proceed with erase (y/n)',
  'Write over (y/n)[n]: ',
  'This will delete all (y/n)?[n]',
  'Are you sure to format? [Y/N] [N]:',
  'Save the configuration? [Y(yes)/N(no)/C(cancel)]:',
  'Enter basic management setup? [no]:',
  '(To leave the existing filename unchanged, press the enter key):',
  'Enter old password:',
])('"%s" is a question', (row) => {
  expect(row).toMatch(QUESTION)
})

test.each(['username bob password', 'edge-1(config)#', 'vlan (name) [no] spanning-tree', 'a [y/n] b'])(
  '"%s" is none',
  (row) => {
    expect(row).not.toMatch(QUESTION)
  },
)

test('nobody answers the question of a command: it is given up and shown; a command that does not end is cancelled', async () => {
  expect(await ran(where, 'reload')).toMatchObject({ stdout: 'Proceed with reload? [confirm]\n', rc: 1 })
  const id = await begun(where, 'ping 192.0.2.1')
  await expect.poll(() => device.typed).toContain('ping 192.0.2.1')
  expect((await fixture.person.post(`${RUNS}${id}/cancel/`)).status).toBeLessThan(300)
  expect(await over(id)).toMatchObject({ err: 'Cancelled' })
})

test('keys that complete or explain a line are not typed, so that no rule is got around by them', async () => {
  const before = device.typed.length
  const commands = ['rel\toad', 'reload?', 'show clock\nrel\x1b[A', `show ${'x'.repeat(250)}`]
  const results = await Promise.all(commands.map((command) => ran(where, command)))
  const keys = 'A device takes ? and control characters for keys: leave them out'
  expect(results.map(({ err }) => err)).toEqual([keys, keys, keys, 'A line for a device has at most 250 characters'])
  expect(device.typed.slice(before)).toEqual([])
})

test('a device runs each line: no quote and no backslash makes several of them one word for the rules', async () => {
  const FILTERS = '/api/v1/assets/cmd-filters/'
  const ruled = await at(device, raised())
  const filter = await fixture.created(FILTERS, { name: 'show alone', is_active: true, assets: [ruled.target] })
  const rules = [
    { type: 'regex', content: '^(configure|reload)\\b', action: 0, priority: 1 },
    { type: 'regex', content: '^show\\b', action: 9, priority: 10 },
    { type: 'regex', content: '.*', action: 0, priority: 100 },
  ]
  for (const rule of rules) await fixture.created(`${FILTERS}${filter}/rules/`, { filter, ...rule })
  const before = device.typed.length
  const answerTo = async (command: string) => {
    const id = await begun(ruled, command)
    await expect.poll(async () => (await stored(id)).is_finished).toBe(true)
    return (await stored(id)).result
  }
  const quoted = "show ip route vrf '\nconfigure terminal\nshow ip route vrf '"
  expect(await answerTo(quoted)).toEqual({ error: 'Command `configure` is forbidden' })
  expect(await answerTo('show clock \\\n reload')).toEqual({ error: 'Command `reload` is forbidden' })
  expect(await answerTo('show clock; write erase')).toEqual({ error: 'Command `write erase` is forbidden' })
  expect(device.typed.slice(before)).toEqual([])
  expect(await ran(ruled, 'show clock\nshow running-config')).toMatchObject({ rc: 0 })
})

test('[A3.17] a wrong password of the level is reported as such, whichever way the device refuses it, and nothing runs', async () => {
  const central = await aDevice({ isCentral: true })
  const local = await aDevice()
  await Promise.all(
    [local, central].map(async (one) => {
      const { err, log } = await ran(await at(one, raised('not this one')), 'show clock')
      expect(err).toBe('The machine did not let operator switch to enable')
      expect(log).not.toContain('not this one')
      expect(one.typed).toEqual(['enable'])
    }),
  )
  // None is stored where the login itself has a key.
  const keyed = { username: 'enable', private_key: fixture.sshd.privateKey, su_enabled: true, su_from: door }
  const { err } = await ran(await at(local, keyed), 'show clock')
  expect(err).toBe('The device asks for the password of enable, and none is stored')
})

test('another maker’s words: super, its prompt in brackets, and pages by its own command', async () => {
  const huawei = await aDevice({ kind: 'huawei' })
  const where = await at(huawei, raised(), 'huawei')
  expect(await ran(where, 'display current-configuration')).toMatchObject({ stdout: CONFIGURATION, rc: 0 })
  expect(huawei.typed).toEqual(['super', 'screen-length 0 temporary', 'display current-configuration'])
})

test('[A3.17] a terminal begins at the higher level, whose password nobody sees; a wrong one is reported as such', async () => {
  const terminal = await fixture.open(fixture.person, where)
  expect(await terminal.see('edge-1#')).toContain('# Authorized use only #')
  terminal.type('show clock\rexit\r')
  await terminal.see('12:00:00.000')
  await terminal.closed
  expect(terminal.output().toString()).not.toMatch(/password|Enable-9w/i)
  const wrong = await fixture.open(fixture.person, await at(device, raised('not this one')))
  await wrong.closed
  expect(wrong.errors.join()).toBe('The machine did not let operator switch to enable')
})

test('[A2.45] steps of a runbook are lines there, and a script where a shell reads them', async () => {
  const { target, systemUser } = where
  const runbook = await fixture.created('/api/v1/ops/runbooks/', {
    name: 'clock of devices',
    steps: [
      { name: 'open', command: 'configure terminal' },
      { name: 'close', command: 'end' },
      { name: 'clock', command: 'show {{what}}' },
    ],
    variables: [{ name: 'what' }],
  })
  const run = { hosts: [target], run_as: systemUser, values: { what: 'clock' } }
  const { body } = await fixture.person.post(`/api/v1/ops/runbooks/${runbook}/preview/`, run)
  expect(body.commands.map(({ command }: { command: string }) => command)).toEqual([
    'configure terminal\nend\nshow clock',
  ])
  const { id } = (await fixture.person.post(`/api/v1/ops/runbooks/${runbook}/run/`, run)).body
  expect(await over(id)).toMatchObject({ stdout: expect.stringMatching(/edge-1#show clock\n12:00/), rc: 0 })
})

test('[A2.19] a platform is a device that there is, and no other kind of machine is one', async () => {
  const { admin } = fixture.server
  const make = (draft: object) => admin.post('/api/v1/assets/platforms/', { name: 'odd', ...draft })
  for (const draft of [
    { base: 'Other', meta: { device: 'toaster' } },
    { base: 'Other', meta: { device: 'constructor' } },
    { base: 'Linux', meta: { device: 'cisco' } },
  ])
    expect(Object.keys((await make(draft)).body)).toEqual(['meta'])
})
