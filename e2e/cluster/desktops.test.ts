/**
 * Desktops on two nodes: what one of them carries is seen and dealt with at the other, and what is
 * left of it when its node is killed. Real servers of VNC and RDP, and a real VNC viewer's sign-in.
 */
import { once } from 'node:events'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RdpServer, startXrdp } from '../../apps/server/src/gateway/connectors/rdp/rdp-fixture.ts'
import { startVnc, type VncServer } from '../../apps/server/src/gateway/connectors/vnc/vnc-fixture.ts'
import { openViewer } from '../../apps/server/src/gateway/listeners/desktop/vnc-viewer-fixture.ts'
import {
  openTerminal,
  type Terminal,
  type TerminalOptions,
} from '../../apps/server/src/gateway/listeners/web/terminal-fixture.ts'
import { keyEvent, pointerEvent } from '../../apps/server/src/gateway/protocols/rfb/messages.ts'
import { drawn, type Seen, seen, viewerStart } from '../../apps/server/src/gateway/protocols/rfb/viewer-fixture.ts'
import { type Administrator, signInAsAdministrator, withToken } from './administrator.ts'
import { type Cluster, type Node, startCluster } from './cluster.ts'

const PASSWORD = 'Guarded-door-1'
const SECRET = 'pw-7q!x'
const RETURN = 0xff0d
/** A withdrawn permission ends a session within this time. */
const REVOKED_MS = 5_000
/** A recording ends at most so long before its node was killed. */
const LOST_MS = 1_000

type Screen = Pick<VncServer, 'port' | 'run'>

/** A machine with a screen, as the nodes know it. */
interface Machine {
  type: 'vnc' | 'rdp'
  target: string
  systemUser: string
  permission: string
}

let cluster: Cluster
/** Carries what is opened unless a test says otherwise. */
let first: Node
let second: Node
let vnc: VncServer
let xrdp: RdpServer
/** The administrator at each node. */
let atFirst: Administrator
let atSecond: Administrator

beforeAll(async () => {
  ;[cluster, vnc, xrdp] = await Promise.all([
    startCluster({ nodes: 2, settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startVnc('VncAuth', SECRET),
    startXrdp(SECRET, 32, '640x480'),
  ])
  ;[first, second] = cluster.nodes as [Node, Node]
  atFirst = await signInAsAdministrator(first.url, PASSWORD)
  atSecond = withToken(second.url, atFirst.token)
})
afterAll(async () => {
  await cluster?.stop()
  await Promise.all([vnc?.close(), xrdp?.close()])
})

let count = 0
async function machineAt(type: Machine['type'], { port }: Screen): Promise<Machine> {
  const name = `screen-${++count}`
  const { id: target } = await atFirst.call('POST', '/api/v1/assets/assets/', {
    ...{ hostname: name, ip: '127.0.0.1', platform: 'Linux', protocols: [`${type}/${port}`] },
  })
  const { id: systemUser } = await atFirst.call('POST', '/api/v1/assets/system-users/', {
    ...{ name, protocol: type, login_mode: 'auto', auto_push: false, password: SECRET },
    username: type === 'rdp' ? 'ann' : '',
  })
  const { id: me } = await atFirst.call('GET', '/api/v1/users/profile/')
  const { id: permission } = await atFirst.call('POST', '/api/v1/perms/asset-permissions/', {
    ...{ name, users: [me], assets: [target], system_users: [systemUser] },
  })
  return { type, target, systemUser, permission }
}

/** A page at a desktop. */
async function pageAt(node: Node, options: TerminalOptions): Promise<Terminal> {
  const page = await openTerminal(node.url, atFirst, options)
  await page.until(() => page.messages.some(({ type }) => type === 'DESKTOP_START'))
  page.type(viewerStart())
  return page
}
const watchAt = (node: Node, target: string) => pageAt(node, { type: 'shareroom', target, systemUser: '' })

async function openAt(node: Node, machine: Machine, client?: string) {
  const page = await pageAt(node, { ...machine, ...(client ? { client } : {}) })
  return { page, id: page.session?.id as string }
}

/** A window with a button that Return presses. It ends with 7 then. */
const asks = (screen: Screen) =>
  screen.run('xmessage', '-default', 'okay', '-buttons', 'okay:7', '-geometry', '+0+0', 'pay the bill')

const shown = (page: { output(): Buffer }) => expect.poll(() => seen(page.output())?.lit ?? 0)
const pixels = (page: { output(): Buffer }) => seen(page.output())?.pixels
const hasSamePicture = (a: { output(): Buffer }, b: { output(): Buffer }) =>
  expect.poll(() => Buffer.compare(bytesOf(pixels(a)), bytesOf(pixels(b)))).toBe(0)
const bytesOf = (picture?: Uint32Array) =>
  picture ? Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength) : Buffer.alloc(0)

/** In the window under the pointer; answers once its node has dealt with it. */
async function pressReturn(page: Terminal): Promise<void> {
  const answers = () => page.messages.filter(({ type }) => type === 'PONG').length
  const before = answers()
  page.type(Buffer.concat([pointerEvent(0, 10, 10), keyEvent(true, RETURN), keyEvent(false, RETURN)]))
  page.say('PING')
  await page.until(() => answers() > before)
}
const openSessions = async (at: Administrator): Promise<{ id: string; protocol: string; terminal: string }[]> =>
  at.call('GET', '/api/v1/terminal/sessions/?is_finished=false')
const sessionOf = (id: string) => atSecond.call('GET', `/api/v1/terminal/sessions/${id}/`)

async function terminalOf({ name }: Node): Promise<string | undefined> {
  const all: { id: string; name: string }[] = await atSecond.call('GET', '/api/v1/terminal/terminals/')
  return all.find((terminal) => terminal.name === `[KoKo]-${name}`)?.id
}

test.each(['vnc', 'rdp'] as const)(
  'a desktop by %s that one node carries is listed, watched with its whole picture at once, locked and ended at the other',
  async (type) => {
    const screen: Screen = type === 'vnc' ? vnc : xrdp
    const dialog = asks(screen)
    const { page, id } = await openAt(first, await machineAt(type, screen))
    await shown(page).toBeGreaterThan(500)
    expect(await openSessions(atSecond)).toMatchObject([{ id, protocol: type, terminal: await terminalOf(first) }])

    const watcher = await watchAt(second, id)
    await hasSamePicture(watcher, page)
    await pressReturn(watcher)
    await atSecond.call('POST', `/api/v1/terminal/sessions/${id}/lock/`, {})
    const locks = () => page.messages.filter((message) => message.type === 'TERMINAL_LOCK').length
    await page.until(() => locks() === 1)
    await pressReturn(page)
    await atSecond.call('POST', `/api/v1/terminal/sessions/${id}/unlock/`, {})
    await page.until(() => locks() === 2)
    // Only the last of the three arrives.
    expect(dialog.exitCode).toBe(null)
    const pressed = once(dialog, 'exit')
    await pressReturn(page)
    expect(await pressed).toEqual([7, null])
    await hasSamePicture(watcher, page)

    await atSecond.call('POST', '/api/v1/terminal/tasks/kill-session/', [id])
    await Promise.all([page.closed, watcher.closed])
    await expect.poll(() => sessionOf(id)).toMatchObject({ is_finished: true, can_replay: true })
    expect((await recordingOf(id)).last.lit).toBeGreaterThan(0)
  },
)

test('a VNC viewer that came to the other node is watched from the first, and ends there', async () => {
  const dialog = asks(vnc)
  const { target, systemUser } = await machineAt('vnc', vnc)
  const { token } = await atFirst.call('POST', '/api/v1/authentication/connection-token/', {
    asset: target,
    system_user: systemUser,
  })
  const viewer = await openViewer(second.viewerPort, token)
  if (typeof viewer === 'string') throw new Error(viewer)
  viewer.socket.write(viewerStart().subarray(12 + 1 + 1))
  await shown(viewer).toBeGreaterThan(500)
  const [session] = await openSessions(atFirst)
  expect(session).toMatchObject({ terminal: await terminalOf(second) })
  const watcher = await watchAt(first, session?.id as string)
  await hasSamePicture(watcher, viewer)
  await atFirst.call('POST', '/api/v1/terminal/tasks/kill-session/', [session?.id])
  await Promise.all([viewer.closed, watcher.closed])
  dialog.kill()
})

test('a page that is loaded again comes back through the other node, with the picture and its keys', async () => {
  const dialog = asks(xrdp)
  const { page, id } = await openAt(first, await machineAt('rdp', xrdp), 'page-1')
  await shown(page).toBeGreaterThan(500)
  const before = bytesOf(pixels(page))
  page.cut()
  const own = () => atSecond.call('GET', '/koko/sessions/')
  await expect.poll(own).toMatchObject([{ id, protocol: 'rdp', is_waiting: true }])
  const back = await pageAt(second, { type: 'resume', target: id, systemUser: '', client: 'page-1' })
  await expect.poll(() => Buffer.compare(bytesOf(pixels(back)), before)).toBe(0)
  const pressed = once(dialog, 'exit')
  await pressReturn(back)
  expect(await pressed).toEqual([7, null])
  back.say('CLOSE')
  await back.closed
  await expect.poll(own).toEqual([])
})

test('a permission that is withdrawn at the other node ends a desktop, and who watches it, within five seconds', async () => {
  const machine = await machineAt('vnc', vnc)
  const { page, id } = await openAt(first, machine)
  const watcher = await watchAt(second, id)
  const began = Date.now()
  await atSecond.call('DELETE', `/api/v1/perms/asset-permissions/${machine.permission}/`)
  await Promise.all([page.closed, watcher.closed])
  expect(Date.now() - began).toBeLessThan(REVOKED_MS)
  await expect.poll(() => sessionOf(id)).toMatchObject({ is_finished: true })
})

test('a desktop whose node is killed is over in the list of the other, and its recording lacks a second at most', async () => {
  const moving = vnc.run('ico', '-sleep', '0.1', '-geometry', '200x200+0+0')
  const { page, id } = await openAt(first, await machineAt('vnc', vnc))
  await shown(page).toBeGreaterThan(500)
  const watcher = await watchAt(second, id)
  // So that there is something to lose.
  const began = page.output().length
  await expect.poll(() => page.output().length - began).toBeGreaterThan(20_000)
  const died = Date.now()
  await first.kill()
  await Promise.all([page.closed, watcher.closed])
  moving.kill()
  const start = await agedInDatabase(id)
  await expect.poll(() => sessionOf(id)).toMatchObject({ is_finished: true })
  expect(await openSessions(atSecond)).toEqual([])

  await first.startAgain()
  await expect.poll(() => sessionOf(id)).toMatchObject({ can_replay: true })
  const { duration, last } = await recordingOf(id)
  expect(start.getTime() + duration * 1000).toBeGreaterThan(died - LOST_MS)
  expect(last.lit).toBeGreaterThan(500)
})

/** The recording on the other node: its length in seconds, and its last picture. */
async function recordingOf(id: string): Promise<{ duration: number; last: Seen }> {
  const base = `/api/v1/terminal/sessions/${id}/replay/`
  expect(await atSecond.call('GET', `${base}integrity/`)).toEqual({ intact: true })
  const { duration, cols, rows, parts } = await atSecond.call('GET', `${base}index/`)
  const answer = await fetch(`${second.url}${base}part/${parts.length - 1}/`, {
    headers: { authorization: `Bearer ${atSecond.token}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const updates = events.filter((event) => event[1] === 'o').map(([, , data]) => Buffer.from(data, 'base64'))
  return { duration, last: drawn(cols, rows, Buffer.concat(updates)) }
}

/** As if the killed node had said nothing to the database for a minute. Answers when the session began. */
async function agedInDatabase(session: string): Promise<Date> {
  const client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  await client.query("UPDATE kernel_node SET date_seen = now() - interval '1 minute' WHERE name = $1", [first.name])
  const { rows } = await client.query(
    "UPDATE terminal_session SET date_last_active = now() - interval '1 minute' WHERE id = $1 RETURNING date_start",
    [session],
  )
  await client.end()
  return rows[0].date_start
}
