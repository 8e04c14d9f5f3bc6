import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { terminalSession } from '../../../domains/terminal/tables.ts'
import { type RdpServer, startXrdp } from '../../connectors/rdp/rdp-fixture.ts'
import { startVnc, type VncServer } from '../../connectors/vnc/vnc-fixture.ts'
import { clipboard, type FakeServer, painted, startFakeVnc } from '../../protocols/rfb/fake-server-fixture.ts'
import { cutText, ENCODING, FROM_CLIENT, keyEvent, pointerEvent } from '../../protocols/rfb/messages.ts'
import { seen, viewerStart } from '../../protocols/rfb/viewer-fixture.ts'
import { openTerminal, openTerminalFixture, type Terminal, type TerminalFixture } from '../web/terminal-fixture.ts'
import { openViewer, type SignedIn } from './vnc-viewer-fixture.ts'

const SECRET = 'pw-7q!x'

let folder: string
let port: number
let rdpPort: number
let fixture: TerminalFixture
let real: VncServer
let xrdp: RdpServer
let fake: FakeServer
/** On which clients are shown. */
let own: VncServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-native-'))
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 -nodes'
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 ${subject} -keyout ${key} -out ${certificate}`
  execFileSync('openssl', made.split(' '), { stdio: 'ignore' })
  port = await freePort()
  rdpPort = await freePort()
  ;[fixture, real, own, xrdp, fake] = await Promise.all([
    openTerminalFixture({
      SALLYPORT_VNC_PORT: String(port),
      SALLYPORT_RDP_PORT: String(rdpPort),
      SALLYPORT_DATABASE_CERTIFICATE: certificate,
      SALLYPORT_DATABASE_KEY: key,
    }),
    startVnc('VncAuth', SECRET),
    startVnc('None'),
    startXrdp(SECRET),
    startFakeVnc(),
  ])
})
afterAll(async () => {
  await fixture?.close()
  await Promise.all([real?.close(), own?.close(), xrdp?.close(), fake?.close()])
  await rm(folder, { recursive: true, force: true })
})

const screenAt = (at: number, password = '') =>
  fixture.target(
    { port: at, protocols: [`vnc/${at}`] },
    { username: '', protocol: 'vnc', login_mode: 'auto', ...(password ? { password } : {}) },
  )

async function tokenFor({ target, systemUser }: { target: string; systemUser: string }): Promise<string> {
  const draft = { asset: target, system_user: systemUser }
  const answer = await fixture.person.post('/api/v1/authentication/connection-token/', draft)
  expect(answer.status).toBe(201)
  return answer.body.token
}

/** A viewer of the fake screen that is in, and its session. */
async function open() {
  const screen = await screenAt(fake.port)
  const viewer = await signedIn(await tokenFor(screen))
  viewer.socket.write(viewerStart().subarray(12 + 1 + 1))
  await expect.poll(() => seen(viewer.output())).toBeTruthy()
  return { ...screen, viewer, id: await sessionAt(screen.target) }
}

async function signedIn(name: string, password?: string): Promise<SignedIn> {
  const viewer = await openViewer(port, name, password)
  if (typeof viewer === 'string') throw new Error(viewer)
  return viewer
}

async function sessionAt(target: string): Promise<string> {
  const { db } = fixture.server.kernel
  const [row] = await db.select().from(terminalSession).where(eq(terminalSession.asset_id, target))
  expect(row).toMatchObject({ is_success: true, login_from: 'NT', remote_addr: '127.0.0.1' })
  return row?.id as string
}

function encodings(...all: number[]): Buffer {
  const message = Buffer.alloc(4 + all.length * 4)
  message[0] = FROM_CLIENT.encodings
  message.writeUInt16BE(all.length, 2)
  for (const [n, one] of all.entries()) message.writeInt32BE(one, 4 + n * 4)
  return message
}

const receivedNow = () => fake.received.map((message) => message.toString('hex'))

test('a VNC viewer shows a desktop and works on it, by a token that opens one session; it is watched, recorded and ended', async () => {
  const screen = await screenAt(fake.port)
  const token = await tokenFor(screen)
  const viewer = await signedIn(token)
  viewer.socket.write(viewerStart().subarray(12 + 1 + 1))
  fake.say(painted(0, 0, 64, 48, '102030'))
  await expect.poll(() => seen(viewer.output())?.at(63, 47)).toBe('102030')
  viewer.socket.write(keyEvent(true, 0x61))
  await expect.poll(receivedNow).toContain(keyEvent(true, 0x61).toString('hex'))
  expect(await openViewer(port, token)).toBe('The connection token is unknown, has expired or is for another address')

  const id = await sessionAt(screen.target)
  const { admin, url } = fixture.server
  const watcher = await openTerminal(url, admin, { type: 'shareroom', target: id, systemUser: '' })
  await watcher.until(() => watcher.messages.some(({ type }) => type === 'DESKTOP_START'))
  watcher.type(viewerStart())
  await expect.poll(() => seen(watcher.output())?.at(20, 20)).toBe('102030')
  expect((await admin.post('/api/v1/terminal/tasks/kill-session/', [id])).status).toBeLessThan(300)
  await viewer.closed
  await watcher.closed
  await expect.poll(async () => (await admin.get(`/api/v1/terminal/sessions/${id}/replay/`)).body.type).toBe('desktop')
})

test('a person, an asset and an account with the own password open it as well; a refused client sees why', async () => {
  const { target } = await screenAt(fake.port)
  const { body: asset } = await fixture.server.admin.get(`/api/v1/assets/assets/${target}/`)
  const name = `walker#${asset.hostname}#${asset.hostname}`
  expect(await openViewer(port, name, 'not-it')).toMatch(/password/i)
  expect(await openViewer(port, 'walker', PASSWORD)).toBe(
    'Give a connection token as user name, or person#asset#account',
  )
  expect(await openViewer(port, 'walker#nowhere#root', PASSWORD)).toBe('You were granted no asset nowhere')
  const viewer = await signedIn(name, PASSWORD)
  viewer.socket.destroy()
  const id = await sessionAt(target)
  const finished = async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished
  await expect.poll(finished).toBe(true)
})

test('where a second factor is due its code stands right behind the password; alone, or twice, that lets nobody in', async () => {
  const { target } = await screenAt(fake.port)
  const { body: asset } = await fixture.server.admin.get(`/api/v1/assets/assets/${target}/`)
  const name = `walker#${asset.hostname}#${asset.hostname}`
  const { pool, secrets } = fixture.server.kernel
  const secret = new Secret({ size: 20 })
  const set = (level: number, sealed: unknown) =>
    pool.query('UPDATE users_user SET mfa_level = $2, otp_secret_sealed = $3, otp_last_step = NULL WHERE id = $1', [
      ...[fixture.person.id, level, sealed],
    ])
  await set(1, secrets.seal(secret.base32))
  onTestFinished(async () => {
    await set(0, null)
    await pool.query('DELETE FROM authentication_failure')
  })
  expect(await openViewer(port, name, PASSWORD)).toBeTypeOf('string')
  const withCode = PASSWORD + new TOTP({ secret }).generate()
  const viewer = await signedIn(name, withCode)
  expect(await openViewer(port, name, withCode)).toBeTypeOf('string')
  viewer.socket.destroy()
})

test('[A3.19] a session that must be confirmed first keeps its viewer waiting, and comes about once it is', async () => {
  const { server } = fixture
  const screen = await screenAt(fake.port)
  const { body: asset } = await server.admin.get(`/api/v1/assets/assets/${screen.target}/`)
  const reviewer = await server.aPerson('desktop-reviewer')
  await fixture.created('/api/v1/acls/login-asset-acls/', {
    ...{ name: 'desktops are confirmed', users: {}, system_users: {}, reviewers: [reviewer.id] },
    assets: { hostname_group: [asset.hostname] },
  })
  const coming = openViewer(port, await tokenFor(screen))
  const tickets = async () =>
    (await reviewer.get('/api/v1/tickets/tickets/?limit=10&type=login_asset_confirm')).body.results
  await expect.poll(async () => (await tickets()).length).toBe(1)
  const { rows } = await server.kernel.pool.query('SELECT 1 FROM terminal_session WHERE asset_id = $1', [screen.target])
  expect(rows).toEqual([])
  const [{ id }] = await tickets()
  expect((await reviewer.put(`/api/v1/tickets/tickets/${id}/approve/`)).status).toBe(200)
  const viewer = await coming
  if (typeof viewer === 'string') throw new Error(viewer)
  viewer.socket.destroy()
})

test('[A2.64] the clipboard of a viewer goes each way only where the permission has its bit, and every script with it', async () => {
  const { viewer, target } = await open()
  const [permission] = (await fixture.server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}`)).body
  const allow = async (actions: string[]) => {
    const answer = await fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${permission.id}/`, { actions })
    expect(answer.status).toBe(200)
  }
  const got = () => viewer.output().toString('latin1')
  await allow(['connect', 'clipboard_copy'])
  fake.say(clipboard('from the screen'))
  await expect.poll(got).toContain('from the screen')
  viewer.socket.write(Buffer.concat([cutText('not this'), keyEvent(true, 0x76)]))
  await expect.poll(() => receivedNow().at(-1)).toBe(keyEvent(true, 0x76).toString('hex'))
  expect(receivedNow()).not.toContain(cutText('not this').toString('hex'))
  // Its title says what is refused.
  viewer.socket.write(encodings(ENCODING.tight, ENCODING.extendedDesktopSize, ENCODING.desktopName))
  await allow(['connect', 'clipboard_paste'])
  fake.say(clipboard('kept there'))
  await expect.poll(got).toContain('You have no permission to copy from this desktop')
  viewer.socket.write(cutText('this one'))
  await expect.poll(receivedNow).toContain(cutText('this one').toString('hex'))
  expect(got()).not.toContain('kept there')
  viewer.socket.destroy()
})

test('a permission that is gone ends it, so does a sign-in that is taken back, and what is no viewer is left', async () => {
  const { viewer, target } = await open()
  const { body: asset } = await fixture.server.admin.get(`/api/v1/assets/assets/${(await screenAt(fake.port)).target}/`)
  const byPassword = await signedIn(`walker#${asset.hostname}#${asset.hostname}`, PASSWORD)
  const own = '/api/v1/authentication/sessions/'
  const signIns = async () => (await fixture.person.get(`${own}?kind=desktop`)).body as { id: string }[]
  await expect.poll(async () => (await signIns()).length).toBe(1)
  expect((await fixture.person.delete(`${own}${(await signIns())[0]?.id}/`)).status).toBe(204)
  const [permission] = (await fixture.server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}`)).body
  expect((await fixture.server.admin.delete(`/api/v1/perms/asset-permissions/${permission.id}/`)).status).toBe(204)
  await Promise.all([viewer.closed, byPassword.closed])
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'RFB 003.003\n', 'RFB 003.008\n\x02', 'RFB 003.008\n\x13\x00\x01']) {
    const socket = connect(port, '127.0.0.1')
    // It may be reset instead, which `once` of events would take for a failure.
    const closed = new Promise((done) => socket.once('close', done))
    socket.on('error', () => {}).resume()
    socket.write(bytes)
    await closed
  }
})

test('a client that keeps sending while its machine does not answer is dropped', async () => {
  const clients = new Set<Socket>()
  const silent = createServer((client) => void clients.add(client.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const screen = await screenAt((silent.address() as AddressInfo).port)
  await expect(openViewer(port, await tokenFor(screen), '', Buffer.alloc(80 * 1024))).rejects.toThrow()
  for (const client of clients) client.destroy()
  silent.close()
})

/**
 * Runs a client on a screen of its own, and waits until that shows what a watcher of its session
 * sees of a real machine. A click must arrive there.
 */
async function showsTheSame(machine: Pick<VncServer, 'run'>, { target }: { target: string }, program: string[]) {
  const client = own.run('env', `HOME=${folder}`, ...program)
  try {
    const dialog = machine.run(
      'xmessage',
      '-default',
      'okay',
      '-buttons',
      'okay:7',
      '-geometry',
      '+0+0',
      'pay the bill',
    )
    const here = await lookAt(await screenAt(own.port))
    const lit = (line: typeof here) => expect.poll(() => seen(line.output())?.lit)
    await lit(here).toBeGreaterThan(500)
    const watched = { type: 'shareroom', target: await sessionAt(target), systemUser: '' }
    const there = await shown(await openTerminal(fixture.server.url, fixture.server.admin, watched))
    await lit(there).toBeGreaterThan(500)
    const pixels = (line: typeof here) => seen(line.output())?.pixels
    await expect.poll(() => isDeepStrictEqual(pixels(here), pixels(there))).toBe(true)
    // The button of the dialog is as far down as the fonts of the machine have it.
    for (let y = 30; y < 66; y += 6)
      here.type(Buffer.concat([pointerEvent(0, 30, y), pointerEvent(1, 30, y), pointerEvent(0, 30, y)]))
    expect(await once(dialog, 'exit')).toEqual([7, null])
  } finally {
    client.kill('SIGKILL')
  }
}

test('TigerVNC’s own viewer shows what a real machine shows, and its clicks arrive there', async () => {
  const screen = await screenAt(real.port, SECRET)
  const secrets = [`VNC_USERNAME=${await tokenFor(screen)}`, 'VNC_PASSWORD=any']
  const trust = `-X509CA=${join(folder, 'cert.pem')}`
  const viewer = ['xtigervncviewer', '-FullScreen', '-AutoSelect=0', '-FullColor=1', trust, `localhost::${port}`]
  await showsTheSame(real, screen, [...secrets, ...viewer])
})

/** As the console gives it to people. */
const rdpFileOf = ({ target, systemUser }: { target: string; systemUser: string }) =>
  fixture.person
    .post('/api/v1/authentication/connection-token/rdp/file/', { asset: target, system_user: systemUser })
    .then(({ body }) => String(body))

const WINDOW = ['/p:any', '/cert:ignore', '/size:320x240', '-decorations']
const freerdp = (name: string) => ['xfreerdp', `/v:127.0.0.1:${rdpPort}`, `/u:${name}`, '/sec:tls', ...WINDOW]

test('FreeRDP’s client opens the file of a machine with RDP, shows what that shows, and its clicks arrive there', async () => {
  const screen = await fixture.target(
    { port: xrdp.port, protocols: [`rdp/${xrdp.port}`] },
    { username: 'ann', protocol: 'rdp', login_mode: 'auto', password: SECRET },
  )
  const file = join(folder, 'machine.rdp')
  await writeFile(file, await rdpFileOf(screen))
  await showsTheSame(xrdp, screen, ['xfreerdp', file, ...WINDOW])
})

test('a client of RDP sees that it is refused, and that an administrator has ended its session', async () => {
  const ran = (name: string) => once(own.run('env', `HOME=${folder}`, ...freerdp(name)), 'exit')
  // FreeRDP ends with the number of the reason.
  expect(await ran('walker|unknown')).toEqual([7, null])
  const screen = await screenAt(fake.port)
  const over = ran(`walker|${await tokenFor(screen)}`)
  const here = await lookAt(await screenAt(own.port))
  const isShown = () => {
    fake.say(painted(0, 0, 64, 48, '405060'))
    return seen(here.output())?.at(5, 5)
  }
  await expect.poll(isShown).toBe('405060')
  const id = await sessionAt(screen.target)
  expect((await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])).status).toBeLessThan(300)
  expect(await over).toEqual([1, null])
})

const lookAt = async ({ target, systemUser }: { target: string; systemUser: string }) =>
  shown(await fixture.open(fixture.person, { type: 'vnc', target, systemUser }))

async function shown(line: Terminal) {
  await line.until(() => line.messages.some(({ type }) => type === 'DESKTOP_START'))
  line.type(viewerStart())
  return line
}
