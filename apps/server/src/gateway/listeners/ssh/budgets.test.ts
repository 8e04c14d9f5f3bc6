import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import type { Gateway } from '../../gateway.ts'
import { openSshListener } from './server.ts'
import { openSshFixture, PASSWORD, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture({
    SALLYPORT_SSH_CONNECTIONS_PER_PERSON: '2',
    SALLYPORT_SSH_UNAUTHENTICATED_PER_ADDRESS: '10',
  })
})
afterAll(() => fixture?.close())

/** Connects and says nothing, or no more than its name. */
async function halfOpen(greeting: string): Promise<Socket> {
  const socket = connect(fixture.port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(greeting)
  socket.resume()
  return socket
}

test.each([
  ['that say nothing', ''],
  ['that exchange no keys', 'SSH-2.0-Loris\r\n'],
])('250 connections %s keep no newcomer out, be it from their own address', async (_what, greeting) => {
  const held = await Promise.all(Array.from({ length: 250 }, () => halfOpen(greeting)))
  try {
    const ran = await fixture.ssh(fixture.direct, 'echo in', { password: PASSWORD })
    expect(ran).toMatchObject({ code: 0, stdout: Buffer.from('in\n') })
    expect(held.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(11)
  } finally {
    for (const socket of held) socket.destroy()
  }
})

test('one connection more than the node takes gets a message, and is hung up; when one ends there is room again', async () => {
  const { kernel } = fixture.server
  const config = { ...kernel.config, sshPort: 0, sshConnections: 2 }
  const gateway = undefined as unknown as Gateway // Nobody signs in.
  const listener = await openSshListener({ ...kernel, config }, gateway)
  const connected = async () => {
    const socket = connect(listener.port, '127.0.0.1')
    const [greeting] = await once(socket, 'data')
    return { socket, greeting: String(greeting) }
  }
  const [first, second, third] = [await connected(), await connected(), await connected()]
  expect([first.greeting, second.greeting]).toEqual([
    expect.stringMatching(/^SSH-2.0-/),
    expect.stringMatching(/^SSH-2.0-/),
  ])
  expect(third.greeting).toBe('Too many connections\r\n')
  third.socket.resume()
  await once(third.socket, 'close')
  first.socket.destroy()
  await expect.poll(async () => (await connected()).greeting).toMatch(/^SSH-2.0-/)
  listener.close()
})

test('one connection more than a person may hold is refused in words; when one ends there is room again', async () => {
  const control = `${fixture.folder}/control`
  const masters = [1, 2].map((n) => ({
    n,
    options: ['-o', 'ControlMaster=yes', '-o', `ControlPath=${control}${n}`, '-fN'],
  }))
  for (const { options } of masters)
    expect(await fixture.ssh(fixture.direct, undefined, { options })).toMatchObject({ code: 0 })
  expect(await fixture.ssh(fixture.direct, 'echo in')).toMatchObject({
    code: 255,
    stderr: expect.stringMatching(/You have 2 connections|您已有 2 个连接/),
  })
  for (const {
    n,
    options: [, , , path = ''],
  } of masters)
    expect(await fixture.run('ssh', ['-O', 'exit', '-o', path, `master${n}`])).toMatchObject({ code: 0 })
  await expect.poll(async () => (await fixture.ssh(fixture.direct, 'echo in')).stdout.toString()).toBe('in\n')
})

/** As if something took a long time for the first of many commands. */
const LASTING = {
  'are asked about': 'LOCK TABLE perms_permission IN ACCESS EXCLUSIVE MODE',
  'are admitted': 'LOCK TABLE terminal_session IN SHARE MODE',
}

/**
 * Uses pg_locks alone: a transaction sees pg_stat_activity as it was when it first looked, without
 * later sessions.
 */
const WAITING = `
  SELECT count(DISTINCT pid)::int AS n FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
  WHERE NOT granted AND datname = current_database()`

test.each([
  ['are asked about', 4],
  ['are admitted', 1],
] as const)('many commands of one person that %s leave the database to everybody else', async (what, most) => {
  const { server } = fixture
  const holder = await server.kernel.pool.connect()
  const client = new Client()
  try {
    client.connect({
      host: '127.0.0.1',
      port: fixture.port,
      username: fixture.direct.slice(0, fixture.direct.lastIndexOf('@')),
      privateKey: readFileSync(`${fixture.folder}/id`),
    })
    await once(client, 'ready')
    // The ends of earlier sessions would wait, too.
    const running = async () => (await holder.query('SELECT 1 FROM terminal_session WHERE NOT is_finished')).rowCount
    await expect.poll(running).toBe(0)
    await holder.query('BEGIN')
    await holder.query(LASTING[what])
    // Twice as many as the pool has connections.
    const channels = await Promise.all(
      Array.from(
        { length: 40 },
        () =>
          new Promise<ssh2.ClientChannel>((resolve, reject) =>
            client.exec('true', (error, channel) => (error ? reject(error) : resolve(channel))),
          ),
      ),
    )
    const ends = channels.map((channel) => once(channel.resume(), 'exit'))
    const waiting = async () => (await holder.query(WAITING)).rows[0].n
    await expect.poll(waiting).toBeGreaterThanOrEqual(most)
    expect((await server.admin.get('/api/v1/users/users/?limit=1')).status).toBe(200)
    // Other work of the server may wait as well; most of the twenty connections do not.
    expect(await waiting()).toBeLessThanOrEqual(most + 2)
    await holder.query('COMMIT')
    expect((await Promise.all(ends)).map((end) => (end as [number])[0])).toEqual(Array(40).fill(0))
  } finally {
    client.end()
    holder.release(true)
  }
})
