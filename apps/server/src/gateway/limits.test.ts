import { open } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { signed } from '../../test/signed.ts'
import { authenticationBearerToken, authenticationSession } from '../domains/authentication/tables.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { finishSession } from '../domains/terminal/index.ts'
import { terminalSession } from '../domains/terminal/tables.ts'
import { hashKey } from '../kernel/access/random-secret.ts'
import { type Gateway, openGateway } from './gateway.ts'
import type { SessionRequest } from './kinds/index.ts'
import { TerminalDialogue } from './kinds/terminal/terminal-dialogue.ts'
import type { TerminalSession } from './kinds/terminal/terminal-session.ts'
import { openTerminalFixture, type TerminalFixture } from './listeners/web/terminal-fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let fixture: TerminalFixture
let gateway: Gateway
/** The gateway's clock, which tests turn forward. */
let clock: number
/** How far the system's clock was set ahead. */
let wallAhead: number

beforeAll(async () => {
  fixture = await openTerminalFixture()
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  clock = Date.now()
  wallAhead = 0
  gateway = await openGateway(fixture.server.kernel, {
    now: () => clock,
    elapsed: () => clock - wallAhead,
    maxSessions: 3,
    maxOfPerson: 3,
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await gateway.close()
})

interface Opened {
  live: Promise<TerminalSession>
  /** The person's screen. */
  shown: () => string
  session: () => string
  created: Promise<string>
  leave: () => void
}

function connect(where: Partial<SessionRequest<'terminal'>> = {}): Opened {
  const chunks: Buffer[] = []
  const { promise: created, resolve } = Promise.withResolvers<string>()
  let id = ''
  const gone = new AbortController()
  const { person } = fixture
  const live = gateway.open(
    {
      person: { ...person, name: person.username, language: 'en', remoteAddress: '127.0.0.1', loginFrom: 'WT' },
      kind: 'terminal',
      target: { family: 'asset', id: fixture.asset },
      systemUserId: fixture.systemUser,
      program: { terminal: { type: 'xterm', size: { cols: 80, rows: 24 } } },
      dialogue: new TerminalDialogue(() => {}),
      owner: {
        write: (bytes) => {
          chunks.push(bytes)
          return true
        },
        close: () => {},
      },
      onCreated: (session) => {
        id = session.id
        resolve(id)
      },
      ...where,
    },
    gone.signal,
  )
  live.catch(() => {})
  return { live, created, session: () => id, shown: () => Buffer.concat(chunks).toString(), leave: () => gone.abort() }
}

async function row(id: string) {
  const [found] = await fixture.server.kernel.db.select().from(terminalSession).where(eq(terminalSession.id, id))
  return found
}

async function endedWith(opened: Opened, text: string): Promise<void> {
  await (await opened.live).ended
  expect(opened.shown()).toContain(text)
  expect(await row(opened.session())).toMatchObject({ is_finished: true, is_success: true, has_replay: true })
}

/** The person does something, so that the session is not idle. */
function touch(live: TerminalSession, cols: number): void {
  live.resize({ cols, rows: 24 })
}

test('without traffic a session ends after the idle time, and not before', async () => {
  const opened = connect()
  const live = await opened.live
  await expect.poll(opened.shown).toMatch(/[#$] /)
  clock += 29 * MINUTE
  await gateway.check()
  expect(gateway.find(live.id)).toBe(live)
  clock += 2 * MINUTE
  await gateway.check()
  await endedWith(opened, 'No activity for 30 minutes')
  expect(gateway.find(live.id)).toBeUndefined()
})

test('a system clock that is set ahead ends nobody', async () => {
  const opened = connect()
  const live = await opened.live
  live.waitingSince = live.startedAt
  clock += 48 * HOUR
  wallAhead += 48 * HOUR
  // The permission of the test ends by the system's clock.
  live.permittedUntil = Number.POSITIVE_INFINITY
  await gateway.check()
  expect(gateway.find(live.id)).toBe(live)
  await live.end('left')
})

test('a session ends at its longest lifetime, however busy it is', async () => {
  const opened = connect()
  const live = await opened.live
  clock += 24 * HOUR + 1
  touch(live, 90)
  await gateway.check()
  await endedWith(opened, 'A session may last at most 24 hours')
})

test('[A6.15] a permission that is withdrawn ends the session at the next check, within seconds', async () => {
  const opened = connect()
  const live = await opened.live
  await gateway.check()
  expect(gateway.find(live.id)).toBe(live)
  const permission = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  await fixture.server.admin.patch(permission, { is_active: false })
  try {
    await gateway.check()
    await endedWith(opened, 'Your permission for this asset has ended')
  } finally {
    await fixture.server.admin.patch(permission, { is_active: true })
  }
})

test('beyond the permission’s end nobody goes on because the database can’t be asked', async () => {
  const opened = connect()
  const live = await opened.live
  const { kernel } = fixture.server
  const execute = vi.spyOn(kernel.db, 'execute').mockRejectedValue(new Error('database is away'))
  await gateway.check()
  expect(gateway.find(live.id)).toBe(live)
  live.permittedUntil = clock - 1
  await gateway.check()
  execute.mockRestore()
  await endedWith(opened, 'Your permission for this asset has ended')
})

test('a session whose person does not come back ends after the configured time, and not before; a changed time holds at once', async () => {
  const opened = connect()
  const live = await opened.live
  live.waitingSince = clock
  clock += 5 * MINUTE
  await gateway.check()
  expect(gateway.find(live.id)).toBe(live)
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('TERMINAL_SESSION_REATTACH_TIME', 4)
  try {
    await gateway.check()
    await endedWith(opened, 'Nobody came back within 4 minutes')
  } finally {
    await settings.set('TERMINAL_SESSION_REATTACH_TIME', 5)
  }
  await expect
    .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${live.id}`)).body)
    .toMatchObject([{ event: 'ended', reason: 'waited' }])
})

test('[A6.15] the limit of an asset’s sessions holds for sessions opened at the same moment', async () => {
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('SECURITY_MAX_SESSIONS_PER_ASSET', 1)
  try {
    const all = await Promise.allSettled([connect().live, connect().live, connect().live])
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(all.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))).toEqual([
      'This asset has {{limit}} live sessions, which is the limit: try again later',
      'This asset has {{limit}} live sessions, which is the limit: try again later',
    ])
  } finally {
    await settings.set('SECURITY_MAX_SESSIONS_PER_ASSET', 0)
  }
})

test('[A6.15] the limit of a person’s sessions holds for sessions opened at the same moment', async () => {
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('SECURITY_MAX_SESSIONS_PER_USER', 2)
  const all = await Promise.allSettled([connect().live, connect().live, connect().live])
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(all.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))).toEqual([
    'You have {{limit}} live sessions, which is the limit: close one first',
  ])
  await settings.set('SECURITY_MAX_SESSIONS_PER_USER', 0)
})

test('a node takes no more sessions than it can carry, and counts those that still connect', async () => {
  const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => connect().live))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

test('one person leaves a quarter of what a node can carry to others', async () => {
  await gateway.close()
  gateway = await openGateway(fixture.server.kernel, { maxSessions: 4 })
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => connect().live))
  expect(all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toMatchObject([
    { message: 'You have {{limit}} live sessions, which is the limit: close one first', values: { limit: 3 } },
  ])
})

/** A machine that takes the connection and says nothing. */
async function silentMachine(): Promise<{
  where: Partial<SessionRequest<'terminal'>>
  met: Promise<Socket>
  server: Server
}> {
  const { promise: met, resolve } = Promise.withResolvers<Socket>()
  const server = createServer((socket) => resolve(socket.on('error', () => {})))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const { target, systemUser } = await fixture.target({ port }, { username: 'root', password: 'secret' })
  return { where: { target: { family: 'asset', id: target }, systemUserId: systemUser }, met, server }
}

test.each(['left', 'terminated', 'stopped'] as const)(
  'a connection that does not come about is given up at once: %s',
  async (how) => {
    const { where, met, server } = await silentMachine()
    const opened = connect(where)
    // Or it is refused, and says why.
    const socket = await Promise.race([met, opened.live.then(() => met)])
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    const id = await opened.created
    if (how === 'left') opened.leave()
    if (how === 'terminated')
      expect((await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])).body).toEqual({ ok: [id] })
    if (how === 'stopped') await gateway.close()
    await expect(opened.live).rejects.toThrow(
      {
        left: 'Cancelled',
        terminated: 'The session was terminated by {{by}}',
        stopped: 'The server is being stopped: the session is closed',
      }[how],
    )
    await closed
    expect(await row(id)).toMatchObject({ is_finished: true, is_success: false, has_replay: false })
    server.close()
  },
)

test('a session that was finished from elsewhere ends here with the next beat', async () => {
  const opened = connect()
  const live = await opened.live
  await finishSession(fixture.server.kernel.db, live.id)
  await gateway.beat()
  await endedWith(opened, 'The session was terminated')
})

test('a lock that was reported while the news were away holds with the next beat, and so does its end', async () => {
  const { kernel, admin } = fixture.server
  const opened = connect()
  const live = await opened.live
  const news = vi.spyOn(kernel.events, 'publish').mockResolvedValue()
  const tell = (word: string) => admin.post(`/api/v1/terminal/sessions/${live.id}/${word}/`)
  try {
    expect((await tell('lock')).status).toBe(200)
    expect(live.isLocked).toBe(false)
    await gateway.beat()
    expect(live.isLocked).toBe(true)
    await tell('unlock')
    await gateway.beat()
    expect(live.isLocked).toBe(false)
  } finally {
    news.mockRestore()
  }
  await live.end('left')
})

test('the lease is renewed while the node lives, also while it still connects; what nobody renews is swept', async () => {
  const { db } = fixture.server.kernel
  const { where, met, server } = await silentMachine()
  const connecting = connect(where)
  const opened = connect()
  const live = await opened.live
  await met
  const orphan = await opened.created
  const age = () => db.update(terminalSession).set({ date_last_active: sql`now() - interval '2 minutes'` })
  await age()
  await gateway.beat()
  await gateway.endLost()
  expect([(await row(orphan))?.is_finished, (await row(live.id))?.is_finished]).toEqual([false, false])
  const [lost] = await db
    .insert(terminalSession)
    .values({ ...((await row(orphan)) as typeof terminalSession.$inferInsert), id: crypto.randomUUID() })
    .returning()
  await age()
  await gateway.beat()
  expect((await row(orphan))?.is_finished).toBe(false)
  expect(await row(lost?.id ?? '')).toMatchObject({ is_finished: true, date_end: expect.any(Date) })
  await live.end('left')
  connecting.leave()
  await expect(connecting.live).rejects.toThrow('Cancelled')
  server.close()
})

test('a database that is away for a moment while a session ends costs neither its commands nor its replay nor its end', async () => {
  const opened = connect()
  const live = await opened.live
  await expect.poll(opened.shown).toMatch(/[#$] /)
  live.input(Buffer.from('echo last command\r'))
  await expect.poll(opened.shown).toContain('last command\r\n')
  const { db } = fixture.server.kernel
  const fails = () => {
    throw new Error('database is away')
  }
  const writes = [vi.spyOn(db, 'insert'), vi.spyOn(db, 'update')]
  for (const write of writes) write.mockImplementation(fails)
  live.input(Buffer.from('exit\r'))
  await expect.poll(() => writes[0]?.mock.calls.length).toBeGreaterThan(0)
  writes[0]?.mockRestore()
  await expect.poll(() => writes[1]?.mock.calls.length).toBeGreaterThan(0)
  writes[1]?.mockRestore()
  await live.ended
  expect(await row(live.id)).toMatchObject({ is_finished: true, has_replay: true })
  const { body } = await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${live.id}&order=timestamp`)
  expect(body.map(({ input }: { input: string }) => input)).toEqual(['echo last command', 'exit'])
})

test('a disk that fails ends the session, with a word to the person and its row closed', async () => {
  const opened = connect()
  const live = await opened.live
  await expect.poll(opened.shown).toMatch(/[#$] /)
  const probe = await open(join(tmpdir(), `probe-${process.pid}`), 'w')
  const handle = Object.getPrototypeOf(probe)
  await probe.close()
  vi.spyOn(handle, 'writeFile').mockRejectedValue(
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
  )
  live.input(Buffer.from('echo on\r'))
  await live.ended
  expect(opened.shown()).toContain('The recording cannot be written')
  expect(await row(live.id)).toMatchObject({ is_finished: true })
})

test('where the setting says so, a session goes on when its disk fails: everybody in it is notified, and its history says so', async () => {
  const { kernel } = fixture.server
  await settingsOf(kernel).set('TERMINAL_RECORDING_FAILURE', 'alarm')
  try {
    const opened = connect()
    const live = await opened.live
    await expect.poll(opened.shown).toMatch(/[#$] /)
    const probe = await open(join(tmpdir(), `probe-${process.pid}`), 'w')
    const handle = Object.getPrototypeOf(probe)
    await probe.close()
    vi.spyOn(handle, 'writeFile').mockRejectedValue(
      Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
    )
    live.input(Buffer.from('echo on\r'))
    await expect.poll(opened.shown).toContain('goes on without it')
    live.input(Buffer.from('echo still-$((40 + 2))\r'))
    await expect.poll(opened.shown).toContain('still-42')
    vi.restoreAllMocks()
    live.input(Buffer.from('exit\r'))
    await live.ended
    await expect
      .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${live.id}`)).body)
      .toMatchObject([{ event: 'unrecorded' }, { event: 'ended' }])
  } finally {
    await settingsOf(kernel).set('TERMINAL_RECORDING_FAILURE', 'stop')
  }
})

test('[A6.15] signing out closes the person’s terminal and what they watch, within seconds', async () => {
  const { server, person } = fixture
  const key = 'a browser session of tests'
  const auditor = await server.aPerson('auditing', { orgRoles: ['Auditor'] })
  const signedIn = async (userId: string, name: string) => {
    await server.kernel.db
      .insert(authenticationSession)
      .values({ key_hash: hashKey(`${key} ${name}`), user_id: userId, date_expired: new Date(Date.now() + HOUR) })
    return { signIn: () => ({ cookie: `sessionid=${encodeURIComponent(`${key} ${name}`)}` }) }
  }
  const other = await fixture.open(person)
  await other.see(/[#$] /)
  const own = await fixture.open(person, await signedIn(person.id, 'own'))
  await own.see(/[#$] /)
  const watching = await fixture.open(auditor, {
    type: 'shareroom',
    target: other.session?.id ?? '',
    ...(await signedIn(auditor.id, 'watching')),
  })
  await watching.see(/[#$] /)
  for (const name of ['own', 'watching']) {
    const headers = { cookie: `sessionid=${encodeURIComponent(`${key} ${name}`)}` }
    expect((await server.call('GET', '/core/auth/logout/', { headers })).status).toBeLessThan(400)
  }
  await Promise.all([
    own.see('Your sign-in has ended'),
    watching.see('Your sign-in has ended'),
    own.closed,
    watching.closed,
  ])
  // A person who stays signed in stays.
  other.type('echo still-here\r')
  await other.see('still-here\r\n')
  other.close()
  await other.closed
})

test('[A4.04 B7.18] a withdrawn access key or bearer token closes its terminals within seconds, and no others', async () => {
  const { server } = fixture
  const carrier = await server.aPerson('carrier')
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'carry',
    users: [carrier.id],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
  const [key, otherKey] = [
    (await carrier.post('/api/v1/authentication/access-keys/')).body,
    (await carrier.post('/api/v1/authentication/access-keys/')).body,
  ]
  const byKey = await fixture.open(carrier, { signIn: (path) => signed(path, key) })
  const byToken = await fixture.open(carrier)
  const other = await fixture.open(carrier, { signIn: (path) => signed(path, otherKey) })
  for (const terminal of [byKey, byToken, other]) await terminal.see(/[#$] /)
  expect((await carrier.patch(`/api/v1/authentication/access-keys/${key.id}/`, { is_active: false })).status).toBe(200)
  await server.kernel.db
    .delete(authenticationBearerToken)
    .where(eq(authenticationBearerToken.token_hash, hashKey(carrier.token)))
  await Promise.all([
    byKey.see('Your sign-in has ended'),
    byToken.see('Your sign-in has ended'),
    byKey.closed,
    byToken.closed,
  ])
  other.type('echo still-here\r')
  await other.see('still-here\r\n')
  other.close()
  await other.closed
})

test('a person who leaves while sign-ins are looked through, and ends their own by that, is not sent away any more', async () => {
  const dismiss = vi.fn()
  const gone = () =>
    gateway.presence.enter({
      userId: fixture.person.id,
      signIn: { source: 'connection', key: '00000000-0000-4000-8000-000000000000' },
      atWork: true,
      allowed: async () => true,
      dismiss,
    })
  const leave = gone()
  const looked = gateway.presence.checkSignIns()
  leave()
  await looked
  expect(dismiss).not.toHaveBeenCalled()
  gone()
  await gateway.presence.checkSignIns()
  expect(dismiss).toHaveBeenCalledOnce()
})
