/** Sessions to applications, by a protocol of this file's own: every entry and every rule takes them. */
import { connect, createServer, type Server } from 'node:net'
import type { Target } from '@sallyport/contract/target.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../src/domains/settings/index.ts'
import { addConnector, type Connector } from '../src/gateway/connectors/index.ts'
import { Menu } from '../src/gateway/listeners/menu/menu.ts'
import { openScreen } from '../src/gateway/listeners/menu/screen-fixture.ts'
import {
  openTerminalFixture,
  type Terminal,
  type TerminalFixture,
} from '../src/gateway/listeners/web/terminal-fixture.ts'

let fixture: TerminalFixture
let machine: Server
let target: Target
let systemUser: string
let permission: string

beforeAll(async () => {
  addConnector(plainTerminal)
  fixture = await openTerminalFixture()
  machine = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('$ ')
    socket.on('data', (bytes) => void socket.write(bytes.toString().replaceAll('\r', '\r\nheard\r\n$ ')))
  })
  await new Promise<void>((listening) => machine.listen(0, '127.0.0.1', listening))
  systemUser = await fixture.created('/api/v1/assets/system-users/', {
    name: 'keeper',
    username: 'keeper',
    password: 'word of the keeper',
    protocol: 'mysql',
    login_mode: 'auto',
    auto_push: false,
  })
  const { port } = machine.address() as { port: number }
  const application = await fixture.created('/api/v1/applications/applications/', {
    name: 'gold',
    category: 'db',
    type: 'mysql',
    attrs: { host: '127.0.0.1', port, database: 'gold' },
  })
  target = { family: 'application', id: application }
  permission = await fixture.created('/api/v1/perms/application-permissions/', {
    name: 'everyday',
    category: 'db',
    type: 'mysql',
    users: [fixture.person.id],
    applications: [application],
    system_users: [systemUser],
  })
})
afterAll(async () => {
  await fixture?.close()
  machine?.close()
})

/** A terminal that is spoken as bytes over TCP. */
const plainTerminal: Connector<'terminal'> = {
  protocol: 'mysql',
  kind: 'terminal',
  async open(_kernel, { host, port, target }) {
    const socket = connect(port, host).on('error', () => {})
    socket.write(`${target.credentials.username}:${target.credentials.password}\n`)
    return {
      start(onOutput, onEnd) {
        socket.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
        socket.once('close', () => onEnd({}))
      },
      write: (bytes) => void socket.write(bytes),
      pending: () => socket.writableLength,
      onceTaken: (then) => void socket.write('', () => then()),
      endInput: () => {},
      signal: () => {},
      resize: () => {},
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close: () => void socket.end(),
    }
  },
}

const open = (more: object = {}): Promise<Terminal> =>
  fixture.open(fixture.person, { type: 'mysql', target: target.id, systemUser, ...more })
const sessions = async () =>
  (await fixture.server.admin.get('/api/v1/terminal/sessions/')).body as Record<string, unknown>[]
const row = async ({ session }: Terminal) => (await sessions()).find(({ id }) => id === session?.id)
const isOver = (terminal: Terminal) => expect.poll(async () => (await row(terminal))?.is_finished).toBe(true)

test('the web terminal opens it, with its own secret; its row is listed and its command is stored', async () => {
  const terminal = await open()
  await terminal.see('keeper:word of the keeper')
  terminal.type('look\r')
  await terminal.see('heard')
  expect(terminal.session).toMatchObject({
    asset: 'gold',
    asset_id: target.id,
    target_family: 'application',
  })
  expect(await row(terminal)).toMatchObject({
    asset: 'gold',
    asset_id: target.id,
    protocol: 'mysql',
    is_success: true,
    is_finished: false,
  })
  terminal.close()
  await isOver(terminal)
  expect(await row(terminal)).toMatchObject({ command_amount: 1, has_replay: true })
})

test('a protocol of machines leads to no target of the family, nor one of the family to a machine', async () => {
  for (const [type, id] of [
    ['ssh', target.id],
    ['mysql', fixture.asset],
  ] as const) {
    const terminal = await open({ type, target: id })
    await terminal.closed
    expect(terminal.errors).toEqual(['You have no permission to connect to this asset'])
  }
})

test('a connection token opens it', async () => {
  const token = await fixture.person.post('/api/v1/authentication/connection-token/', {
    application: target.id,
    system_user: systemUser,
  })
  expect(token.status).toBe(201)
  const terminal = await open({ byToken: token.body.token })
  await terminal.see('keeper:')
  expect(terminal.session).toMatchObject({ asset_id: target.id, target_family: 'application' })
  terminal.close()
  await isOver(terminal)
})

test('the menu lists it and connects to it', async () => {
  const screen = openScreen()
  const chosen: object[] = []
  const menu = new Menu(fixture.server.kernel, {
    person: { ...fixture.person, name: 'Walker', language: 'en', remoteAddress: '127.0.0.1', loginFrom: 'ST' },
    terminal: screen,
    connect: async (choice) => void chosen.push(choice),
  })
  const over = menu.run()
  menu.input(Buffer.from('d\r'))
  await screen.see('total count: 1')
  menu.input(Buffer.from('1\r'))
  await expect.poll(() => chosen.length).toBe(1)
  menu.input(Buffer.from('q\r'))
  await over
  expect((await screen.lines()).join('\n')).toMatch(
    /ID \| Name.*\| Comment\n[-+]+\n1 +\| gold +\| 127\.0\.0\.1 \| MySQL/,
  )
  expect(chosen).toEqual([{ target, systemUserId: systemUser }])
})

test('a rule of commands that is bound to it marks what is typed there, and nothing elsewhere', async () => {
  const { kernel, admin } = fixture.server
  await settingsOf(kernel).set('SECURITY_INSECURE_COMMAND', true)
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'guarded', applications: [target.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'drop' })
  const asked = (family: string, id: string) => admin.get(`/api/v1/assets/cmd-filter-rules/?${family}_id=${id}`)
  expect((await asked('application', target.id)).body).toMatchObject([{ content: 'drop' }])
  expect((await asked('asset', fixture.asset)).body).toEqual([])
  const risks = async (terminal: Terminal) => {
    terminal.close()
    await isOver(terminal)
    const stored = await admin.get(`/api/v1/terminal/commands/?session_id=${terminal.session?.id}`)
    return stored.body.map(({ input, risk_level }: { input: string; risk_level: number }) => [input, risk_level])
  }
  const terminal = await open()
  await terminal.see('keeper:')
  terminal.type('drop it\r')
  await terminal.see('`drop`')
  expect(await risks(terminal)).toEqual([['drop it', 5]])
  const elsewhere = await fixture.open(fixture.person)
  await elsewhere.see(/[#$] /)
  elsewhere.type('echo drop-$((1))\r')
  await elsewhere.see('drop-1')
  expect(await risks(elsewhere)).toEqual([['echo drop-$((1))', 0]])
})

test('it is re-attached while its own permission holds, counts for its limit, and is ended by order', async () => {
  const { kernel, admin } = fixture.server
  await settingsOf(kernel).set('TERMINAL_SESSION_REATTACH_TIME', 5)
  await settingsOf(kernel).set('SECURITY_MAX_SESSIONS_PER_ASSET', 1)
  const terminal = await open({ client: 'page-1' })
  await terminal.see('keeper:')
  const another = await open()
  await another.closed
  expect(another.errors).toEqual(['This asset has 1 live sessions, which is the limit: try again later'])
  terminal.cut()
  const resume = () => open({ type: 'resume', target: terminal.session?.id, client: 'page-1' })
  const again = await resume()
  await again.see('keeper:')
  again.type('still\r')
  await again.see('heard')
  again.cut()
  await admin.patch(`/api/v1/perms/application-permissions/${permission}/`, { is_active: false })
  const refused = await resume()
  await refused.closed
  expect(refused.errors).toEqual(['Your permission for this asset has ended'])
  await admin.patch(`/api/v1/perms/application-permissions/${permission}/`, { is_active: true })
  const last = await resume()
  await last.see('heard')
  const id = terminal.session?.id
  expect((await admin.post('/api/v1/terminal/tasks/kill-session/', [id])).body).toEqual({ ok: [id] })
  await last.closed
  await isOver(terminal)
  await settingsOf(kernel).set('SECURITY_MAX_SESSIONS_PER_ASSET', 0)
})

test('a rule of review holds a connection until its reviewer approves', async () => {
  const reviewer = await fixture.server.aPerson('reviewer')
  await fixture.created('/api/v1/acls/login-asset-acls/', {
    name: 'gold',
    users: { username_group: ['walker'] },
    assets: { hostname_group: ['gold'], ip_group: ['*'] },
    system_users: { name_group: ['*'], username_group: ['*'], protocol_group: ['*'] },
    reviewers: [reviewer.id],
  })
  const terminal = await open()
  await terminal.see('must be confirmed by: reviewer of test (reviewer)')
  expect(terminal.session).toBeUndefined()
  const TICKETS = '/api/v1/tickets/tickets/'
  const [ticket] = (await reviewer.get(`${TICKETS}?limit=10&type=login_asset_confirm`)).body.results
  expect(ticket.meta).toMatchObject({ apply_login_asset: 'gold(127.0.0.1)' })
  expect((await reviewer.put(`${TICKETS}${ticket.id}/approve/`)).status).toBe(200)
  await terminal.see('keeper:')
  terminal.close()
  await isOver(terminal)
})
