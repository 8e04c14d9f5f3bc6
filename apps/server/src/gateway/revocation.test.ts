/** Two nodes on one database: what is taken away on one ends on the other what hangs on it. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openTestBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { ADMIN_PASSWORD, type Caller, openTestServer, PASSWORD, type TestServer } from '../../test/server.ts'
import { signed } from '../../test/signed.ts'
import { openSshFixture, type SshFixture } from './listeners/ssh/ssh-fixture.ts'
import type { Terminal } from './listeners/web/terminal-fixture.ts'

const PROFILE = '/api/v1/users/profile/'
const USERS = '/api/v1/users/users/'
const KEYS = '/api/v1/authentication/access-keys/'

let database: TestDatabase
/** Carries what people do. */
let fixture: SshFixture
/** Server on which they lose it. */
let elsewhere: TestServer
/** Somebody's session, which others watch and join. */
let watched: Terminal

beforeAll(async () => {
  database = await createTestDatabase()
  const [environment, kept] = [{ SALLYPORT_SECRET_KEY: 'k'.repeat(64) }, { ...database, drop: async () => {} }]
  fixture = await openSshFixture(environment, kept)
  elsewhere = await openTestServer(environment, kept)
  watched = await fixture.open(fixture.person, { client: 'page' })
  await watched.see(/[#$] /)
})
afterAll(async () => {
  watched?.cut()
  await elsewhere?.close()
  await fixture?.close()
  await database?.drop()
})

interface Line {
  /** Settles when the server has closed it. */
  closed: Promise<unknown>
  end(): void
}
type Lines = Record<keyof typeof OPENING, Line>

/**
 * Somebody who may connect, audits the organization, and holds a browser session, a bearer token
 * and an access key.
 */
interface Someone extends Caller {
  cookie: string
  key: { id: string; secret: string }
  /** Status of each way to call, 401 or 200. */
  known(): Promise<Record<'session' | 'token' | 'key', number>>
}

async function someone(username: string): Promise<Someone> {
  const { server } = fixture
  const person = await server.aPerson(username, { orgRoles: ['User', 'Auditor'] })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: username,
    users: [person.id],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
  const browser = openTestBrowser(server)
  await browser.call('GET', '/core/auth/login/')
  expect((await browser.call('POST', '/core/auth/login/', { username, password: PASSWORD })).status).toBe(200)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const { body: key } = await person.post(KEYS)
  const status = async (headers: Record<string, string>) => (await server.call('GET', PROFILE, { headers })).status
  return {
    ...person,
    cookie,
    key,
    known: async () => ({
      session: await status({ cookie }),
      token: await status({ authorization: `Bearer ${person.token}` }),
      key: await status(signed(PROFILE, key)),
    }),
  }
}

const lineOf = (terminal: Terminal): Line => ({ closed: terminal.closed, end: () => terminal.cut() })

const OPENING = {
  async 'terminal of a browser'(one: Someone) {
    const terminal = await fixture.open(one, { signIn: () => ({ cookie: one.cookie }) })
    await terminal.see(/[#$] /)
    return lineOf(terminal)
  },
  async 'terminal of a key'(one: Someone) {
    const terminal = await fixture.open(one, { signIn: (path) => signed(path, one.key) })
    await terminal.see(/[#$] /)
    return lineOf(terminal)
  },
  async 'session of an SSH client'(one: Someone) {
    const destination = `${one.username}@${fixture.direct.split('@').slice(1).join('@')}`
    const stop = `/tmp/revoked-${one.id}`
    const closed = fixture.ssh(destination, `until [ -e ${stop} ]; do sleep 0.2; done; rm ${stop}`, {
      password: PASSWORD,
    })
    const live = async () =>
      (await fixture.server.admin.get(`/api/v1/terminal/sessions/?is_finished=false&login_from=ST&user_id=${one.id}`))
        .body.length
    await expect.poll(live).toBe(1)
    return { closed, end: () => void fixture.run('touch', [stop]) }
  },
  async 'session watched with a token'(one: Someone) {
    const terminal = await fixture.open(one, { type: 'shareroom', target: watched.session?.id ?? '' })
    await terminal.see(/[#$] /)
    return lineOf(terminal)
  },
  async 'session joined with a token'(one: Someone) {
    watched.say('TERMINAL_SHARE', { session_id: watched.session?.id, expired: 10, action_permission: 'writable' })
    const shares = () => watched.messages.filter(({ type }) => type === 'TERMINAL_SHARE')
    const before = shares().length
    await expect.poll(() => shares().length).toBe(before + 1)
    const { share_id, code } = JSON.parse(shares().at(-1)?.data ?? '{}')
    const terminal = await fixture.open(one, { type: 'share', target: share_id, code })
    await terminal.see(/[#$] /)
    return lineOf(terminal)
  },
  async 'unread messages of a browser'(one: Someone) {
    const socket = new WebSocket(`${fixture.server.url.replace('http', 'ws')}/ws/notifications/site-msg/`, {
      headers: { cookie: one.cookie },
    })
    await once(socket, 'message')
    return { closed: once(socket, 'close'), end: () => socket.terminate() }
  },
} as const

const ALL = Object.keys(OPENING) as (keyof Lines)[]
const BY_SIGN_IN = ALL.filter((name) => name !== 'terminal of a key')
const NOBODY = { session: 401, token: 401, key: 401 }
const STILL = { session: 200, token: 200, key: 200 }

const CASES: readonly [
  what: string,
  act: (one: Someone, admin: Caller) => Promise<{ status: number }>,
  ends: readonly (keyof Lines)[],
  known: Record<string, number>,
][] = [
  ['disabled', (one, admin) => admin.patch(`${USERS}${one.id}/`, { is_active: false }), ALL, NOBODY],
  ['expired', (one, admin) => admin.patch(`${USERS}${one.id}/`, { date_expired: '2020-01-01T00:00:00Z' }), ALL, NOBODY],
  ['deleted', (one, admin) => admin.delete(`${USERS}${one.id}/`), ALL, NOBODY],
  [
    'given another password',
    (one, admin) => admin.put(`${USERS}${one.id}/password/`, { password: 'Other-person-2' }),
    ALL,
    NOBODY,
  ],
  [
    'without their second factor',
    (one, admin) => admin.get(`${USERS}${one.id}/mfa/reset/`),
    BY_SIGN_IN,
    { ...NOBODY, key: 200 },
  ],
  [
    'signed out everywhere',
    (one, admin) => admin.delete(`${USERS}${one.id}/sessions/`),
    BY_SIGN_IN,
    { ...NOBODY, key: 200 },
  ],
  [
    'out of one SSH connection',
    async (one, admin) => {
      const path = `${USERS}${one.id}/sessions/`
      const [row] = (await admin.get(`${path}?kind=ssh`)).body
      expect(row).toMatchObject({ remote_addr: '127.0.0.1', user_agent: expect.stringMatching(/^OpenSSH_/) })
      return admin.delete(`${path}${row.id}/`)
    },
    ['session of an SSH client'],
    STILL,
  ],
  [
    'without their SSH key',
    (one, admin) => admin.put(`${USERS}${one.id}/pubkey/reset/`),
    ['session of an SSH client'],
    STILL,
  ],
  [
    'out of the organization',
    (one, admin) => admin.post(`${USERS}${one.id}/remove/`),
    [
      'terminal of a browser',
      'terminal of a key',
      'session of an SSH client',
      'session watched with a token',
      'session joined with a token',
    ],
    STILL,
  ],
  [
    'no auditor any more',
    (one, admin) => admin.patch(`${USERS}${one.id}/`, { org_roles: ['User'] }),
    ['session watched with a token'],
    STILL,
  ],
  [
    'without an API key that was disabled',
    (one) => one.patch(`${KEYS}${one.key.id}/`, { is_active: false }),
    ['terminal of a key'],
    { ...STILL, key: 401 },
  ],
  [
    'without an API key that was deleted',
    (one) => one.delete(`${KEYS}${one.key.id}/`),
    ['terminal of a key'],
    { ...STILL, key: 401 },
  ],
]

test.each(CASES)(
  '[A6.15 B7.24] a user who is %s on another node loses at once all that depends on it, and nothing else',
  async (what, act, ends, known) => {
    const one = await someone(`person-${CASES.findIndex(([name]) => name === what)}`)
    const lines: [keyof Lines, Line][] = []
    for (const name of ALL) lines.push([name, await OPENING[name](one)])
    const closed = new Set<string>()
    for (const [name, line] of lines) void line.closed.then(() => closed.add(name))
    expect(await one.known()).toEqual(STILL)
    const admin = await elsewhere.signIn('admin', ADMIN_PASSWORD)
    const self = { ...one, ...callerAt(elsewhere, one) }
    expect((await act(self, admin)).status).toBeLessThan(300)
    expect(await one.known()).toEqual(known)
    await expect.poll(() => [...closed].sort()).toEqual([...ends].sort())
    for (const [, line] of lines) line.end()
  },
)

/** The same person, calling that node. */
function callerAt(node: TestServer, { token }: Caller): Pick<Caller, 'patch' | 'delete'> {
  const headers = { authorization: `Bearer ${token}` }
  return {
    patch: (path, body) => node.call('PATCH', path, { body, headers }),
    delete: (path) => node.call('DELETE', path, { headers }),
  }
}
