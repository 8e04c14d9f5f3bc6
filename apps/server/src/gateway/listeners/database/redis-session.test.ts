/**
 * Events that end, lock or hold a session of a client of Redis, its server's TLS, and strangers at
 * its port.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../../../../test/server.ts'
import { startSshd } from '../../../domains/assets/sshd-fixture.ts'
import { startRedis } from '../../connectors/redis/redis-server-fixture.ts'
import { openRedisFixture, plainClient, type RawClient, type RedisFixture } from './redis-fixture.ts'

const TICKETS = '/api/v1/tickets/tickets/'

let fixture: RedisFixture
beforeAll(async () => {
  fixture = await openRedisFixture({
    tls: true,
    database: '1',
    environment: { SALLYPORT_DATABASE_UNAUTHENTICATED: '40' },
  })
})
afterAll(() => fixture?.close())

/** Signed in, with the id of its session. */
async function connected(): Promise<RawClient & { session: string }> {
  const client = await fixture.raw()
  await expect.poll(client.received).toBe('+OK\r\n')
  return { ...client, session: await fixture.newestSession() }
}
const blocked = async () => /blocked_clients:(\d+)/.exec(await fixture.redis.ask('info', 'clients'))?.[1]

test('an application that names a database leads to that one alone', async () => {
  const client = await fixture.raw()
  client.send('SET here 1\r\nSELECT 1\r\nSELECT 0\r\nMOVE here 2\r\nCOPY here there DB 2\r\nSWAPDB 0 1\r\nQUIT\r\n')
  await client.closed
  const denied = '-NOPERM This application leads to one database alone'
  expect(client.received().split('\r\n')).toEqual(['+OK', '+OK', '+OK', denied, denied, denied, denied, '+OK', ''])
  expect(await fixture.redis.ask('-n', '1', 'get', 'here')).toBe('1')
})

test('an administrator has an account tried by a login, one without a name too, and sees when the server refuses', async () => {
  const tried = async (account: string) => {
    const path = `/api/v1/applications/applications/${fixture.target.id}/try-login/`
    const { status, body } = await fixture.server.admin.post(path, { system_user: fixture.systemUsers[account] })
    return status === 204 ? status : [status, body]
  }
  expect(await tried('app')).toBe(204)
  expect(await tried('nameless')).toBe(204)
  expect(await tried('wrong')).toEqual([400, { password: ['The server refused the login'] }])
})

test('a session that is terminated notifies waiting clients, and a blocking command at the server ends', async () => {
  const client = await connected()
  client.send('BLPOP nothing 0\r\n')
  await expect.poll(blocked).toBe('1')
  await fixture.terminate(client.session)
  await client.closed
  expect(client.received()).toMatch(/^\+OK\r\n-ERR .*(?:terminated|ended)/i)
  await expect.poll(blocked).toBe('0')
  await expect.poll(() => fixture.isFinished(client.session)).toBe(true)
})

test('a permission that is withdrawn ends the session within seconds, without a word out of turn', async () => {
  const client = await connected()
  await fixture.permit(false)
  await client.closed
  expect(client.received()).toBe('+OK\r\n')
  await fixture.permit(true)
})

test('commands of a locked session are refused one by one, and run again once it is unlocked', async () => {
  const client = await connected()
  const locker = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const asked = async () => {
    const before = client.received().length
    client.send('PING\r\n')
    await expect.poll(() => client.received().length).toBeGreaterThan(before)
    return client.received().slice(before)
  }
  expect((await locker.post(`/api/v1/terminal/sessions/${client.session}/lock/`, {})).status).toBe(200)
  await expect.poll(asked).toMatch(/^-NOPERM .*locked/)
  expect((await locker.post(`/api/v1/terminal/sessions/${client.session}/unlock/`, {})).status).toBe(200)
  await expect.poll(asked).toBe('+PONG\r\n')
  client.socket.destroy()
})

test('[A2.52] a command that must be confirmed waits, and what follows behind it', async () => {
  const reviewer = await fixture.server.aPerson('decider')
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'asked', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'doubtful',
    action: 2,
    reviewers: [reviewer.id],
  })
  const client = await connected()
  const open = async () =>
    (await reviewer.get(`${TICKETS}?limit=10&type=command_confirm&status=open`)).body.results as { id: string }[]
  for (const [verdict, answer] of [
    ['approve', '$-1\r\n+PONG\r\n'],
    ['reject', /^-NOPERM .*\r\n\+PONG\r\n$/],
  ] as const) {
    const before = client.received().length
    client.send('GET doubtful\r\nPING\r\n')
    await expect.poll(open).toHaveLength(1)
    expect(client.received()).toHaveLength(before)
    expect((await reviewer.put(`${TICKETS}${(await open())[0]?.id}/${verdict}/`)).status).toBe(200)
    await expect.poll(() => client.received().slice(before)).toMatch(answer)
  }
  client.socket.destroy()
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a client that does not begin with TLS is asked to, and sends no password in clear', async () => {
  const client = await plainClient(fixture.port)
  client.send('PING\r\n')
  await client.closed
  expect(client.received()).toContain('-ERR This server speaks TLS alone')
})

test.for([
  ['a length that is none', '*2\r\n$x\r\n'],
  ['more than there can be', '*99999999\r\n'],
  ['a longer text than a stranger may send', `*1\r\n$20000\r\n${'x'.repeat(20_000)}\r\n`],
  ['quotes without an end', '"GET\r\n'],
  ['a line without an end', 'x'.repeat(100_000)],
] as const)('a stranger who sends %s is refused', async ([, text]) => {
  const client = await fixture.raw(text)
  await client.closed
  expect(client.received()).toMatch(/^-ERR Protocol error/)
})

test.for([
  ['a text longer than Redis takes', '*2\r\n$3\r\nGET\r\n$999999999\r\n'],
  ['no text where one belongs', '*2\r\n$3\r\nGET\r\n:1\r\n'],
] as const)('after the sign-in, %s ends the session', async ([, text]) => {
  const client = await connected()
  client.send(text)
  await client.closed
  await expect.poll(() => fixture.isFinished(client.session)).toBe(true)
})

test('1,000 strangers who never sign in do not keep people out', async () => {
  const strangers = await Promise.all(Array.from({ length: 1000 }, () => plainClient(fixture.port)))
  const client = await fixture.raw(`AUTH walker#gold#app ${PASSWORD}\r\nPING\r\nQUIT\r\n`)
  await client.closed
  expect(client.received()).toBe('+OK\r\n+PONG\r\n+OK\r\n')
  for (const { socket } of strangers) socket.destroy()
})

test('a server that was moved behind a gateway is reached through it, once a system administrator has confirmed that', async () => {
  const { admin } = fixture.server
  const sshd = await startSshd()
  const application = `/api/v1/applications/applications/${fixture.target.id}/`
  const domain = await fixture.created('/api/v1/assets/domains/', { name: 'far away' })
  await fixture.created('/api/v1/assets/gateways/', {
    name: 'the way there',
    ip: '127.0.0.1',
    port: sshd.port,
    domain,
    username: sshd.username,
    private_key: sshd.privateKey,
  })
  const moveTo = async (network: string | null) => {
    expect((await admin.patch(application, { domain: network })).status).toBe(200)
    const { unconfirmed } = (await admin.get(`${application}destinations/`)).body
    const confirm = () => admin.post(`${application}destinations/confirm/`, { destinations: unconfirmed })
    return { unconfirmed, confirm }
  }
  const { unconfirmed, confirm } = await moveTo(domain)
  expect(unconfirmed).toHaveLength(1)
  const refused = await fixture.raw()
  await refused.closed
  expect(refused.received()).toMatch(/system administrator/)
  expect(sshd.logins()).toBe(0)
  expect((await confirm()).status).toBe(200)
  const client = await connected()
  client.send('PING\r\nQUIT\r\n')
  await client.closed
  expect(client.received()).toBe('+OK\r\n+PONG\r\n+OK\r\n')
  expect(sshd.logins()).toBeGreaterThan(0)
  await (await moveTo(null)).confirm()
  await sshd.close()
})

test('a server that shows another key, or speaks no TLS any more, gets no secret', async () => {
  const { port } = fixture.redis
  await (await connected()).socket.destroy()
  await fixture.redis.close()
  const refused = async () => {
    const client = await fixture.raw()
    await client.closed
    return client.received()
  }
  const other = await startRedis({ tls: true, port })
  expect(await refused()).toContain('THE KEY OF THIS SERVER HAS CHANGED')
  await other.close()
  const plain = await startRedis({ port })
  expect(await refused()).toMatch(/^-NOAUTH /)
  expect(await plain.ask('info', 'commandstats')).not.toContain('cmdstat_auth:calls=1,')
  fixture.redis = plain
})
