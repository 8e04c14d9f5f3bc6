/** Forwarded connections by OpenSSH's own client, from a real sshd. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { freePort, isListening } from '../../../../../test/free-port.ts'
import { openSshFixture, type Ran, type SshFixture } from '../ssh-fixture.ts'

const SOON = { timeout: 15_000 }

let fixture: SshFixture
/** On the machine's loopback: sends back what it gets, a page, and bytes without an end. */
let echo: Server
let page: HttpServer
let endless: Server
let sentEndlessly = 0
beforeAll(async () => {
  fixture = await openSshFixture()
  echo = await listening(createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)))
  page = await listening(createHttpServer((_, answer) => answer.end('the page')))
  endless = await listening(
    createServer((socket) => {
      const piece = Buffer.alloc(64 * 1024)
      const more = () => {
        if (socket.destroyed) return
        sentEndlessly += piece.length
        // Others have their turn in between, also where each piece is taken at once.
        socket.write(piece, () => setImmediate(more))
      }
      socket.on('error', () => {})
      more()
    }),
  )
})
afterAll(async () => {
  for (const server of [echo, page, endless]) server?.close()
  await fixture?.close()
})

async function listening<S extends Server>(server: S, on: number | string = 0): Promise<S> {
  if (typeof on === 'string') server.listen(on)
  else server.listen(on, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

const url = () => `/api/v1/perms/asset-permissions/${fixture.permission}/`
async function grant(forwarding: string, destinations: string[] = []): Promise<void> {
  const answer = await fixture.server.admin.patch(url(), { forwarding, forwarding_destinations: destinations })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const children: ChildProcess[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

const options = (...more: string[]) => ['-o', 'LogLevel=INFO', ...fixture.clientOptions().options, ...more]
/** `ssh -W`: its input and output are the connection. */
const through = (to: string, input: Buffer | string = ''): Promise<Ran> =>
  fixture.run('ssh', options('-W', to, fixture.direct), { input })

/** A client that stays, once it listens; `errors` answers its words so far. */
const staying = (port: number, ...more: string[]) => stayingAt(fixture.direct, port, ...more)

async function stayingAt(
  destination: string,
  port: number,
  ...more: string[]
): Promise<{ child: ChildProcess; errors: () => string }> {
  const child = spawn('ssh', options('-o', 'ExitOnForwardFailure=yes', ...more, destination), {
    env: { ...process.env, LC_ALL: 'C', HOME: fixture.folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.push(child)
  let errors = ''
  child.stderr.on('data', (bytes) => {
    errors += bytes
  })
  await expect.poll(() => isListening(port), { timeout: 20_000 }).toBe(true)
  return { child, errors: () => errors }
}

const connected = async (port: number, allowHalfOpen = false): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()).resume())

const rowsOf = async (query = '') =>
  (await fixture.server.admin.get(`/api/v1/terminal/forwarded-connections/?limit=100&${query}`)).body.results as Record<
    string,
    unknown
  >[]

test('without the right nothing is forwarded, in words that the client shows, and with a row', async () => {
  const ran = await through(`127.0.0.1:${portOf(echo)}`, 'hello')
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toContain(
    'administratively prohibited: Your permission for this asset does not include port forwarding',
  )
  expect(ran.stdout.toString()).toBe('')
  const [row] = await rowsOf()
  expect(row).toMatchObject({
    user: 'walker of test(walker)',
    asset: 'web-1(127.0.0.1)',
    destination: `127.0.0.1:${portOf(echo)}`,
    outcome: 'refused',
    reason: 'Your permission for this asset does not include port forwarding',
    session_id: null,
    remote_addr: '127.0.0.1',
  })
  expect(row?.date_end).not.toBe(null)
})

test('a client that does not send the right changes nothing of it, and all actions are no forwarding', async () => {
  await grant('listed', ['db.example.com:5432'])
  const { admin } = fixture.server
  const { body } = await admin.get(url())
  const { forwarding: _, forwarding_destinations: __, ...known } = body
  const put = await admin.put(url(), { ...known, actions: ['all'], comment: 'by an old client' })
  expect(put.body).toMatchObject({ forwarding: 'listed', forwarding_destinations: ['db.example.com:5432'] })
  const refused = await admin.patch(url(), { forwarding_destinations: ['10.0.0.0/99'] })
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['forwarding_destinations']])
  expect((await admin.patch(url(), { forwarding_destinations: [] })).body.forwarding_destinations).toHaveLength(1)
  await grant('none')
})

test('bytes pass both ways exactly, each direction ends by itself, and the row counts them', async () => {
  await grant('machine')
  const bytes = randomBytes(100 * 1024 * 1024)
  const ran = await through(`localhost:${portOf(echo)}`, bytes)
  expect([ran.code, ran.stdout.length]).toEqual([0, bytes.length])
  const digest = (of: Buffer) => createHash('sha256').update(of).digest('hex')
  expect(digest(ran.stdout)).toBe(digest(bytes))
  await expect
    .poll(async () => (await rowsOf('outcome=closed'))[0], SOON)
    .toMatchObject({
      destination: `localhost:${portOf(echo)}`,
      bytes_sent: bytes.length,
      bytes_received: bytes.length,
    })
  const [row] = await rowsOf('outcome=closed')
  const session = (await fixture.server.admin.get(`/api/v1/terminal/sessions/${row?.session_id}/`)).body
  expect(session).toMatchObject({ user: 'walker of test(walker)', login_from: 'ST', protocol: 'ssh', is_success: true })
  const { body: events } = await fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${row?.session_id}`)
  expect(events[0]).toMatchObject({ event: 'forwarded', user: 'walker of test(walker)' })
})

test('the far end may end first: the rest of the request still arrives', async () => {
  let got = 0
  const early = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.end('enough')
      socket.on('data', (bytes) => {
        got += bytes.length
      })
    }),
  )
  const local = await freePort()
  await staying(local, '-N', '-L', `127.0.0.1:${local}:127.0.0.1:${portOf(early)}`)
  const socket = await connected(local, true)
  const [answer] = await once(socket, 'data')
  await once(socket, 'end')
  expect(String(answer)).toBe('enough')
  const bytes = randomBytes(20 * 1024 * 1024)
  socket.end(bytes)
  await expect.poll(() => got, SOON).toBe(bytes.length)
  early.close()
})

test('-N -L: a slow reader holds back its own connection alone', async () => {
  const [slow, quick] = [await freePort(), await freePort()]
  await staying(
    slow,
    '-N',
    '-L',
    `127.0.0.1:${slow}:127.0.0.1:${portOf(endless)}`,
    '-L',
    `127.0.0.1:${quick}:127.0.0.1:${portOf(page)}`,
  )
  const held = await connected(slow)
  held.pause()
  let before = -1
  await expect
    .poll(
      () => {
        const same = before === sentEndlessly
        before = sentEndlessly
        return same && before > 0
      },
      { interval: 500, timeout: 30_000 },
    )
    .toBe(true)
  expect(before).toBeLessThan(40 * 1024 * 1024)
  for (let n = 0; n < 20; n++) expect(await (await fetch(`http://127.0.0.1:${quick}/`)).text()).toBe('the page')
})

test('a client that stands still costs little memory, however many connections it has', async () => {
  await grant('machine')
  const local = await freePort()
  const { child } = await staying(local, '-N', '-L', `127.0.0.1:${local}:127.0.0.1:${portOf(endless)}`)
  const readers: Socket[] = []
  for (let n = 0; n < 12; n++) readers.push(await connected(local))
  await Promise.all(readers.map((socket) => once(socket, 'data')))
  for (const socket of readers) socket.resume()
  child.kill('SIGSTOP')
  let before = -1
  const isStill = () => {
    const same = before === sentEndlessly
    before = sentEndlessly
    return same
  }
  await expect.poll(isStill, { interval: 500, timeout: 30_000 }).toBe(true)
  const handles = (process as unknown as { _getActiveHandles(): Partial<Socket>[] })._getActiveHandles()
  const unsent = Math.max(...handles.map(({ writableLength = 0 }) => writableLength))
  expect(unsent).toBeLessThan(4 * 1024 * 1024)
  child.kill('SIGKILL')
  await expect.poll(async () => (await rowsOf('outcome=open')).length, SOON).toBe(0)
})

test('as editors do it: a shell on the input starts a server there, reached through -D over a shared connection', async () => {
  const control = join(fixture.folder, 'control')
  const [socks, there] = [await freePort(), await freePort()]
  const { child } = await staying(socks, '-T', '-M', '-S', control, '-D', `127.0.0.1:${socks}`)
  let output = ''
  child.stdout?.on('data', (bytes) => {
    output += bytes
  })
  // It goes with its input, as no terminal hangs it up.
  const server = `require('node:http').createServer((q, a) => a.end('from ' + q.url)).listen(${there}, '127.0.0.1', () => console.log('listening')); process.stdin.resume().on('end', () => process.exit())`
  child.stdin?.write(`exec ${process.execPath} -e "${server}"\n`)
  await expect.poll(() => output, { timeout: 20_000 }).toContain('listening')
  const asked = await fixture.run('curl', [
    '-sS',
    '--socks5-hostname',
    `127.0.0.1:${socks}`,
    `http://localhost:${there}/a`,
  ])
  expect([asked.stdout.toString(), asked.stderr]).toEqual(['from /a', ''])
  // A second window of the editor, over the same connection.
  const second = await fixture.run('ssh', options('-S', control, fixture.direct, 'echo second'))
  expect([second.code, second.stdout.toString()]).toEqual([0, 'second\n'])
  const another = await freePort()
  await fixture.run(
    'ssh',
    options('-S', control, '-O', 'forward', '-L', `127.0.0.1:${another}:127.0.0.1:${there}`, fixture.direct),
  )
  expect(await (await fetch(`http://127.0.0.1:${another}/b`)).text()).toBe('from /b')
  const outside = await fixture.run('curl', ['-sS', '--socks5-hostname', `127.0.0.1:${socks}`, 'http://example.com/'])
  expect(outside.code).not.toBe(0)
})

test('ProxyJump and sockets of the machine', async () => {
  await grant('listed', [`localhost:${fixture.sshd.port}`, `${fixture.folder}/*`])
  const proxy = ['ssh', ...options('-W', '%h:%p', fixture.direct)].join(' ')
  const jumped = await fixture.run('ssh', [
    ...['-o', `Port=${fixture.sshd.port}`, '-o', `ProxyCommand=${proxy}`, '-o', 'HostKeyAlias=deep'],
    ...options(),
    ...[`${fixture.sshd.username}@127.0.0.1`, 'true'],
  ])
  // It got as far as the other server, which does not know this key.
  expect(jumped.stderr).toContain('Permission denied')
  const path = join(fixture.folder, 'app.sock')
  const there = await listening(
    createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)),
    path,
  )
  const local = await freePort()
  const { errors } = await staying(
    local,
    '-N',
    '-L',
    `127.0.0.1:${local}:${path}`,
    '-L',
    `127.0.0.1:${local + 1}:/etc/no.sock`,
  )
  const socket = await connected(local)
  socket.end('by a socket')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toBe('by a socket')
  await closed(await connected(local + 1))
  expect(errors()).toContain('Your permission does not lead to this destination')
  there.close()
})

test('an unreachable place fails in the words of the machine; one that is not granted is refused in ours', async () => {
  await grant('listed', ['localhost', '*.invalid', '169.254.0.0/16'])
  const nobody = await through(`127.0.0.1:${await freePort()}`)
  expect(nobody.stderr).toContain('connect failed: Connection refused')
  await expect
    .poll(async () => (await rowsOf('outcome=failed'))[0], SOON)
    .toMatchObject({ reason: 'Connection refused' })
  const unknown = await through('nobody.invalid:80')
  expect(unknown.stderr).toMatch(/open failed: connect failed/)
  for (const to of ['169.254.169.254:80', '[::ffff:169.254.169.254]:80'])
    expect((await through(to)).stderr).toContain('administratively prohibited: Nothing is forwarded to this address')
  for (const to of ['127.1:80', '2130706433:80', '0x7f.1:80'])
    expect((await through(to)).stderr).toContain('administratively prohibited: This is no destination')
  expect((await through('10.0.0.1:80')).stderr).toContain('Your permission does not lead to this destination')
})

test.each(['right', 'destination', 'session', 'lock', 'person'] as const)(
  'a connection ends within seconds with its %s',
  async (what) => {
    await grant('listed', ['localhost'])
    const { admin } = fixture.server
    const local = await freePort()
    const { child, errors } = await staying(local, '-N', '-L', `127.0.0.1:${local}:127.0.0.1:${portOf(echo)}`)
    const socket = await connected(local)
    socket.write('held')
    await once(socket, 'data')
    // The one that looked whether the port was open has gone.
    await expect.poll(async () => (await rowsOf('outcome=open')).length, SOON).toBe(1)
    const [open] = await rowsOf('outcome=open')
    const ended = closed(socket)
    const began = performance.now()
    if (what === 'right') await grant('none')
    if (what === 'destination') await grant('listed', ['localhost:1'])
    if (what === 'session') await admin.post('/api/v1/terminal/tasks/kill-session/', [open?.session_id])
    if (what === 'lock') await admin.post(`/api/v1/terminal/sessions/${open?.session_id}/lock/`, {})
    if (what === 'person') await admin.patch(`/api/v1/users/users/${fixture.person.id}/`, { is_active: false })
    try {
      await ended
      expect(performance.now() - began).toBeLessThan(9_000)
      await expect
        .poll(async () => (await rowsOf(`search=${portOf(echo)}`)).find(({ id }) => id === open?.id), SOON)
        .toMatchObject({ outcome: 'ended', bytes_sent: 4, bytes_received: 4 })
      // A further one over the same connection is refused.
      if (what !== 'person') {
        await closed(await connected(local))
        expect(errors()).toMatch(
          /administratively prohibited: (Your permission|The session was terminated|The input of)/,
        )
      } else await expect.poll(() => child.exitCode, SOON).not.toBe(null)
    } finally {
      await admin.patch(`/api/v1/users/users/${fixture.person.id}/`, { is_active: true })
    }
  },
)

test('a system user of another protocol forwards nothing, and opens nothing', async () => {
  await fixture.target(
    { port: 23, hostname: 'by-telnet', protocols: ['telnet/23'] },
    { protocol: 'telnet', username: 'old', login_mode: 'auto', password: 'x' },
  )
  const permission = (await fixture.server.admin.get('/api/v1/perms/asset-permissions/?search=target-')).body[0]
  await fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${permission.id}/`, { forwarding: 'machine' })
  const ran = await fixture.run(
    'ssh',
    options('-W', `127.0.0.1:${portOf(echo)}`, `${fixture.person.username}@old@by-telnet@127.0.0.1`),
  )
  expect(ran.stderr).toContain('Connections are forwarded over SSH alone')
})

test('a lock that comes while a connection is being logged is not missed, and holds while nothing is forwarded', async () => {
  await grant('listed', ['localhost'])
  const { admin, kernel } = fixture.server
  const local = await freePort()
  const { errors } = await staying(local, '-N', '-L', `127.0.0.1:${local}:127.0.0.1:${portOf(echo)}`)
  const first = await connected(local)
  first.write('held')
  await once(first, 'data')
  await expect.poll(async () => (await rowsOf('outcome=open')).length, SOON).toBe(1)
  const [open] = await rowsOf('outcome=open')
  const blocker = await kernel.pool.connect()
  await blocker.query('BEGIN; LOCK TABLE terminal_forwarded_connection IN SHARE MODE')
  const second = await connected(local)
  const waiting = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted
    AND l.relation = 'terminal_forwarded_connection'::regclass AND a.query ILIKE 'insert%'`
  await expect.poll(async () => (await kernel.pool.query(waiting)).rowCount, SOON).toBe(1)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const isCut = closed(first)
  await admin.post(`/api/v1/terminal/sessions/${open?.session_id}/lock/`, {})
  await isCut
  await blocker.query('COMMIT')
  blocker.release()
  await closed(second)
  expect(errors()).toContain('administratively prohibited: The input of the session is locked')
  await expect.poll(async () => (await rowsOf('outcome=open')).length, SOON).toBe(0)
  // The minute is over.
  const rests = timers.mock.calls.flatMap(([then, ms], n) => {
    const timer = timers.mock.results[n]?.value as NodeJS.Timeout & { _destroyed: boolean }
    return ms === 60_000 && !timer.hasRef() && !timer._destroyed ? [then] : []
  })
  timers.mockRestore()
  expect(rests.length).toBeGreaterThan(0)
  for (const then of rests) then()
  await closed(await connected(local))
  expect(errors().match(/The input of the session is locked/g)).toHaveLength(2)
  expect((await admin.get(`/api/v1/terminal/sessions/${open?.session_id}/`)).body.is_finished).toBe(false)
})

test('where others must confirm, all connections wait for one decision, and a rejection is not asked for again', async () => {
  await grant('listed', ['localhost'])
  const { aPerson, admin, kernel } = fixture.server
  const reviewer = await aPerson('reviewer')
  const tickets = async () =>
    (await reviewer.get('/api/v1/tickets/tickets/?limit=10&type=login_asset_confirm')).body.results as {
      id: string
      state: string
    }[]
  const decide = async (verdict: string) => {
    const ticket = (await tickets()).find(({ state }) => state === 'open')
    expect((await reviewer.put(`/api/v1/tickets/tickets/${ticket?.id}/${verdict}/`)).status).toBe(200)
  }
  const rule = { name: 'forwarding', users: {}, system_users: {}, assets: {}, reviewers: [reviewer.id] }
  expect((await admin.post('/api/v1/acls/login-asset-acls/', rule)).status).toBe(201)
  try {
    const local = await freePort()
    const forwarded = ['-N', '-L', `127.0.0.1:${local}:127.0.0.1:${portOf(echo)}`]
    await staying(local, ...forwarded)
    const waiting = [await connected(local), await connected(local)]
    for (const socket of waiting) socket.write('a')
    await expect.poll(async () => (await tickets()).length, SOON).toBe(1)
    const answers = Promise.all(waiting.map((socket) => once(socket, 'data')))
    await decide('approve')
    expect(String(await answers)).toBe('a,a')
    expect(await tickets()).toHaveLength(1)

    const another = await freePort()
    const { errors } = await staying(another, '-N', '-L', `127.0.0.1:${another}:127.0.0.1:${portOf(echo)}`)
    await expect.poll(async () => (await tickets()).length, SOON).toBe(2)
    await decide('reject')
    await expect.poll(errors, SOON).toContain('rejected the connection')
    await closed(await connected(another))
    expect(errors().match(/rejected the connection/g)?.length).toBeGreaterThan(1)
    expect(await tickets()).toHaveLength(2)
  } finally {
    await kernel.pool.query('DELETE FROM acls_login_asset_acl')
  }
})

test('the machine’s own address is the one that its asset has now', async () => {
  await grant('machine')
  const { admin } = fixture.server
  const asset = `/api/v1/assets/assets/${fixture.asset}/`
  await admin.patch(asset, { ip: '10.99.0.1' })
  try {
    const socks = await freePort()
    const destination = fixture.direct.replace('@127.0.0.1@', '@web-1@')
    const { errors } = await stayingAt(destination, socks, '-N', '-D', `127.0.0.1:${socks}`)
    const ask = (host: string) =>
      fixture.run('curl', ['-s', '--max-time', '20', '--socks5-hostname', `127.0.0.1:${socks}`, `http://${host}/`])
    await ask('10.99.0.2:80')
    expect((await rowsOf('outcome=refused'))[0]).toMatchObject({ asset: 'web-1(10.99.0.1)' })
    await admin.patch(asset, { ip: '127.0.0.1' })
    await ask('10.99.0.1:80')
    expect(errors().match(/Your permission does not lead to this destination/g)).toHaveLength(2)
    expect((await rowsOf('outcome=refused'))[0]).toMatchObject({
      asset: 'web-1(127.0.0.1)',
      destination: '10.99.0.1:80',
    })
  } finally {
    await admin.patch(asset, { ip: '127.0.0.1' })
  }
})

test('an attempt at a machine that was not granted is logged where its organization is one of the person’s', async () => {
  const to = fixture.direct.replace(`@${fixture.sshd.username}@127.0.0.1@`, '@nobody@web-1@')
  const ran = await fixture.run('ssh', options('-W', 'localhost:80', to))
  expect(ran.stderr).toContain('administratively prohibited: You were granted no system user nobody on web-1')
  expect((await rowsOf('outcome=refused'))[0]).toMatchObject({
    asset: 'web-1(127.0.0.1)',
    system_user: 'nobody',
    destination: 'localhost:80',
    reason: 'No permission leads to this machine as this account',
  })
})

test('a program that tries every port is held back, and nothing else with it', async () => {
  await grant('listed', ['localhost:1', `localhost:${portOf(page)}`])
  const before = (await rowsOf('outcome=refused')).length
  const socks = await freePort()
  const { errors } = await staying(socks, '-N', '-D', `127.0.0.1:${socks}`)
  for (let port = 2000; port < 2060; port++)
    await fixture.run('curl', [
      '-s',
      '--max-time',
      '5',
      '--socks5-hostname',
      `127.0.0.1:${socks}`,
      `http://127.0.0.1:${port}/`,
    ])
  expect(errors()).toContain('Too many connections were refused: wait a minute')
  expect((await rowsOf('outcome=refused')).length - before).toBeLessThan(60)
  const granted = ['-sS', '--socks5-hostname', `127.0.0.1:${socks}`, `http://127.0.0.1:${portOf(page)}/`]
  expect((await fixture.run('curl', granted)).stdout.toString()).toBe('the page')
})

test('forwarding the other way, and the agent, are refused', async () => {
  const ran = await fixture.run(
    'ssh',
    options('-o', 'ExitOnForwardFailure=yes', '-N', '-R', '0:localhost:1', fixture.direct),
  )
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toContain('remote port forwarding failed')
})
