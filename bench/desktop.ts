/**
 * What desktops cost: how much later than directly one opens, and a key's answer is seen, at a server
 * that paints a square for each key; how soon a recording of four hours opens and jumps
 * (`desktop-recording.ts`); and processor, memory and recorded bytes of 1, 20 and 50 sessions of a
 * desktop that moves all the time (`ico` on TigerVNC at 1280 by 800; xrdp in front of another of that
 * size), each with a viewer in another process that takes what it gets. Reports, and never fails on
 * time: sessions that have not come about within 40 seconds, or fail, are not waited for, so that all of it
 * takes less than eight minutes.
 * Debian's x11-apps has `ico`, which `npm run bench` installs.
 *
 *   node_modules/.bin/node bench/desktop.ts            # BENCH_SESSIONS=1,20,50 BENCH_SECONDS=10 BENCH_PROTOCOLS=VNC,RDP
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { WebSocket } from 'ws'
import { startXrdp } from '../apps/server/src/gateway/connectors/rdp/rdp-fixture.ts'
import { startVnc } from '../apps/server/src/gateway/connectors/vnc/vnc-fixture.ts'
import { painted, startFakeVnc } from '../apps/server/src/gateway/protocols/rfb/fake-server-fixture.ts'
import { clientStart, keyEvent, updateRequest } from '../apps/server/src/gateway/protocols/rfb/messages.ts'
import { READABLE } from '../apps/server/src/gateway/protocols/rfb/read-server.ts'
import { viewerStart } from '../apps/server/src/gateway/protocols/rfb/viewer-fixture.ts'
import { measureRecording } from './desktop-recording.ts'
import { median } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'

const SESSIONS = (process.env.BENCH_SESSIONS ?? '1,20,50').split(',').map(Number)
const PROTOCOLS = (process.env.BENCH_PROTOCOLS ?? 'VNC,RDP').split(',')
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10)
const KEYS = 200
const OPENINGS = 20
/** Version, way to sign in, its end, and the screen, whose name follows (RFC 6143 §7.1 to 7.3.2); then come pictures. */
const GREETING = 12 + 2 + 4 + 24
/** Sessions of a crowd that come about later are left out … */
const OPEN_SECONDS = 40
/** … and so long the last crowd is waited for before the next begins. */
const LEAVE_SECONDS = 15
const PASSWORD = 'pw-7q!x'
/** For both screens: a moving part takes the whole of its picture when it starts. */
const SIZE = '1280x800'

/** A page at a desktop: opens it, and asks for pictures without end. */
function openPage(address: string, token: string) {
  const began = performance.now()
  const socket = new WebSocket(address, 'JMS-KOKO', { headers: { authorization: `Bearer ${token}` } })
  const page = { bytes: 0, openMs: 0, socket, onBytes: () => {} }
  let greeting = Buffer.alloc(0)
  const { promise: isOpen, resolve, reject } = Promise.withResolvers<undefined>()
  socket.on('error', reject)
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      page.bytes += data.length
      if (greeting.length < GREETING) greeting = Buffer.concat([greeting, data]).subarray(0, GREETING)
      const greeted = greeting.length < GREETING ? Number.POSITIVE_INFINITY : greeting.readUInt32BE(GREETING - 4)
      if (page.bytes > GREETING + greeted && !page.openMs) {
        page.openMs = performance.now() - began
        resolve(undefined)
      }
      return page.onBytes()
    }
    const { id, type, data: output } = JSON.parse(data.toString())
    if (type === 'CONNECT')
      socket.send(
        JSON.stringify({
          id,
          type: 'TERMINAL_INIT',
          data: JSON.stringify({ cols: 80, rows: 24, width: 1280, height: 800 }),
        }),
      )
    if (type === 'DESKTOP_START') socket.send(viewerStart(20_000))
    if (type === 'TERMINAL_ERROR') reject(new Error(output))
  })
  return { ...{ page, isOpen } }
}

/** The other process: opens pages, and says what each took and got. */
async function servePages(): Promise<void> {
  const pages: ReturnType<typeof openPage>['page'][] = []
  process.on('message', async ({ open, address, token }: { open?: number; address: string; token: string }) => {
    const late = setTimeout(OPEN_SECONDS * 1000, `the others took longer than ${OPEN_SECONDS} s`, { ref: false })
    let why: string | undefined
    for (let n = 0; n < (open ?? 0); n++) {
      const { page, isOpen } = openPage(address, token)
      // A refused one is reported, or the caller that waits for this process would do so for ever.
      why = await Promise.race([isOpen.catch((error: Error) => `the next one failed: ${error.message}`), late])
      if (why) {
        page.socket.close()
        break
      }
      pages.push(page)
    }
    if (!open) for (const { socket } of pages) socket.close()
    process.send?.({
      openMs: pages.map(({ openMs }) => openMs),
      bytes: pages.reduce((all, { bytes }) => all + bytes, 0),
      why,
    })
    if (!open) process.disconnect?.()
  })
}

async function main(): Promise<void> {
  const installation = await openInstallation({ SALLYPORT_SETTING_SECURITY_MAX_SESSIONS_PER_USER: '0' })
  const { server, directory } = installation
  const token = await administratorToken(server.kernel.pool)
  const call = async (path: string, body?: unknown) => {
    const answer = await fetch(`${server.url}/api/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const me = (await call('users/profile/')).id
  const addressOf = async (protocol: string, port: number, login: object) => {
    const name = `${protocol}-${port}`
    const place = { hostname: name, ip: '127.0.0.1', platform: 'Linux', protocols: [`${protocol}/${port}`] }
    const asset = (await call('assets/assets/', place)).id
    const account = { name, protocol, username: '', login_mode: 'auto', auto_push: false, ...login }
    const systemUser = (await call('assets/system-users/', account)).id
    const users = { users: [me], assets: [asset], system_users: [systemUser] }
    await call('perms/asset-permissions/', { name, ...users })
    const query = new URLSearchParams({ type: protocol, target_id: asset, system_user_id: systemUser })
    return `${server.url.replace('http', 'ws')}/koko/ws/terminal/?${query}`
  }

  const fake = await startFakeVnc(320, 240, ([type, isDown]) =>
    type === 4 && isDown ? painted(0, 0, 32, 32, Math.random().toString(16).slice(2, 8).padEnd(6, '0')) : undefined,
  )
  await compareWithDirect(fake.port, await addressOf('vnc', fake.port, {}), token)
  await fake.close()
  console.log(await measureRecording(server, token))

  const screen = await startVnc('VncAuth', PASSWORD, 0, SIZE)
  const xrdp = await startXrdp(PASSWORD, 32, SIZE)
  const moving = [screen, xrdp].map((one) => one.run('ico', '-r', '-faces', '-sleep', '0.04'))
  const targets = [
    ['VNC', await addressOf('vnc', screen.port, { password: PASSWORD })],
    ['RDP', await addressOf('rdp', xrdp.port, { username: 'ann', password: PASSWORD })],
  ] as const
  for (const [name, address] of targets.filter(([one]) => PROTOCOLS.includes(one)))
    for (const count of SESSIONS) {
      console.log(`${name.padEnd(4)} ${await crowd(count, address, token, directory)}`)
      await everybodyLeft(server.kernel.pool)
    }
  for (const one of moving) one.kill()
  await Promise.all([screen.close(), xrdp.close()])
  await installation.close()
}

/** So many sessions, of a moving desktop each. */
async function crowd(count: number, address: string, token: string, directory: string): Promise<string> {
  const pages = fork(import.meta.filename, ['pages'])
  const order = async (message: object) => {
    pages.send(message)
    return (await once(pages, 'message'))[0] as { openMs: number[]; bytes: number; why?: string }
  }
  const rssBefore = process.memoryUsage().rss
  const { openMs, bytes: bytesBefore, why } = await order({ open: count, address, token })
  const [cpu, at, recorded] = [process.cpuUsage(), performance.now(), await recordedBytes(directory)]
  await setTimeout(SECONDS * 1000)
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - at) / 1000
  const perMinute = (((await recordedBytes(directory)) - recorded) / seconds / openMs.length) * 60
  const rss = process.memoryUsage().rss
  const { bytes } = await order({ address, token })
  const percent = ((user + system) / 1e6 / seconds) * 100
  return [
    `${String(openMs.length).padStart(3)} sessions${why ? ` (of ${count}: ${why})` : ''}: opened in ${Math.round(median(openMs))} ms`,
    `${(percent / openMs.length).toFixed(1)} % of a core each (${percent.toFixed(0)} % in all)`,
    `${((rss - rssBefore) / openMs.length / 1e6).toFixed(1)} MB each (${Math.round(rss / 1e6)} MB in all)`,
    `${((bytes - bytesBefore) / seconds / openMs.length / 1000).toFixed(0)} kB/s shown`,
    `${(perMinute / 1e6).toFixed(1)} MB a minute recorded before packing`,
  ].join(', ')
}

async function recordedBytes(directory: string): Promise<number> {
  const files = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.desktop'))
  const sizes = await Promise.all(
    files.map((name) =>
      stat(join(directory, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((all, size) => all + size, 0)
}

/** Milliseconds until each key is answered. */
async function answers(send: (bytes: Buffer) => void, next: () => Promise<void>): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < KEYS; n++) {
    await setTimeout(20 + Math.random() * 20)
    const came = next()
    const began = performance.now()
    send(keyEvent(true, 0x61))
    await came
    all.push(performance.now() - began)
    send(keyEvent(false, 0x61))
  }
  return all
}

/** Until their sessions are over, and packed; what they leave behind must not be measured with the next. */
async function everybodyLeft(pool: pg.Pool): Promise<void> {
  for (const until = performance.now() + LEAVE_SECONDS * 1000; performance.now() < until; await setTimeout(200)) {
    const { rows } = await pool.query(
      'SELECT 1 FROM terminal_session WHERE NOT is_finished OR (is_success AND NOT has_replay) LIMIT 1',
    )
    if (!rows.length) return
  }
}

/** How much longer it takes through Sallyport to open a desktop, and to see what a key does. */
async function compareWithDirect(port: number, address: string, token: string): Promise<void> {
  const [direct, through]: [number[], number[]] = [[], []]
  for (let n = 0; n < OPENINGS; n++) {
    const began = performance.now()
    const { socket } = await openDirect(port)
    direct.push(performance.now() - began)
    socket.destroy()
    const { page, isOpen } = openPage(address, token)
    await isOpen
    through.push(page.openMs)
    page.socket.close()
  }
  console.log(`opened: directly ${words(direct)}, through Sallyport ${words(through)}`)
  const keys = [await answersDirect(port), await answersThrough(address, token)] as const
  console.log(`a key's answer: directly ${words(keys[0])}, through Sallyport ${words(keys[1])}`)
}

/** Until the screen is known. */
async function openDirect(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let onBytes = () => {}
  socket.on('data', () => onBytes())
  const next = () =>
    new Promise<void>((resolve) => {
      onBytes = resolve
    })
  await next()
  for (const step of [Buffer.from('RFB 003.008\n'), Buffer.of(1), Buffer.of(1)]) {
    const came = next()
    socket.write(step)
    await came
  }
  return { socket, next }
}

async function answersDirect(port: number): Promise<number[]> {
  const { socket, next } = await openDirect(port)
  socket.write(Buffer.concat([clientStart(READABLE), updateRequest({ width: 320, height: 240 }, true)]))
  await setTimeout(200)
  const all = await answers((bytes) => socket.write(bytes), next)
  socket.destroy()
  return all
}

async function answersThrough(address: string, token: string): Promise<number[]> {
  const { page, isOpen } = openPage(address, token)
  await isOpen
  await setTimeout(500)
  const next = () =>
    new Promise<void>((resolve) => {
      page.onBytes = resolve
    })
  const all = await answers((bytes) => page.socket.send(bytes), next)
  page.socket.close()
  return all
}

function words(values: number[]): string {
  const p95 = values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] as number
  return `median ${median(values).toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`
}

await (process.argv[2] === 'pages' ? servePages() : main())
