/** A whole server with its port for clients of Redis, and an application on a real one. */
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TestDatabase } from '../../../../test/database.ts'
import { type Ran, runToEnd } from '../../../../test/run-to-end.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { type RedisServer, SECRET, startRedis } from '../../connectors/redis/redis-server-fixture.ts'
import { type ApplicationFixture, openApplicationFixture } from './application-fixture.ts'

/** A connection of bytes. */
export interface RawClient {
  socket: Socket
  /** Everything that it received. */
  received(): string
  send(text: string | Buffer): void
  closed: Promise<unknown>
}

export interface RedisFixture extends ApplicationFixture {
  redis: RedisServer
  /** Runs `redis-cli`, straight to the server or through Sallyport. */
  cli(
    parameters: string[],
    options?: { direct?: boolean; user?: string; password?: string; input?: string | Buffer },
  ): Promise<Ran>
  /** A connection over TLS, signed in unless `login` is empty. */
  raw(login?: string): Promise<RawClient>
  close(): Promise<void>
}

export const NAME = 'walker#gold#app'

export async function openRedisFixture({
  tls = false,
  database = '',
  environment = {},
  own,
}: {
  tls?: boolean
  database?: string
  environment?: Record<string, string>
  /** Database of Sallyport itself. */
  own?: TestDatabase
} = {}): Promise<RedisFixture> {
  const redis = await startRedis({ tls })
  const application = {
    type: 'redis',
    setting: 'SALLYPORT_REDIS_PORT',
    attrs: { host: '127.0.0.1', port: redis.port, database },
    accounts: {
      app: { username: 'app', password: SECRET },
      nameless: { username: '', password: SECRET },
      wrong: { username: 'stranger', password: 'wrong' },
    },
  }
  const opened = await openApplicationFixture(application, environment, own)
  const { server, port } = opened
  const raw = (login = `AUTH ${NAME} ${PASSWORD}\r\n`) =>
    new Promise<RawClient>((resolve, reject) => {
      const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }).once('error', reject)
      let received = ''
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1')
      })
      const closed = new Promise((gone) => socket.once('close', gone))
      const send = (text: string | Buffer) => void socket.write(text)
      socket.once('secureConnect', () => {
        send(login)
        resolve({ socket, received: () => received, send, closed })
      })
    })
  const fixture: RedisFixture = {
    ...opened,
    redis,
    raw,
    cli(parameters, { direct = false, user = NAME, password = PASSWORD, input = '' } = {}) {
      const way = direct
        ? ['-p', String(redis.port), '--user', 'app', '--pass', SECRET, ...(tls ? ['--tls', '--insecure'] : [])]
        : ['-p', String(port), '--tls', '--insecure', '--user', user, '--pass', password]
      return runToEnd('redis-cli', ['--no-auth-warning', ...way, ...parameters], { input })
    },
    async close() {
      await server.close()
      // A test may have put another in its place.
      await fixture.redis.close()
    },
  }
  return fixture
}

/** A connection without TLS. */
export function plainClient(port: number): Promise<RawClient> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1').once('error', reject)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    const closed = new Promise((gone) => socket.once('close', gone))
    const send = (text: string | Buffer) => void socket.write(text)
    socket.once('connect', () => resolve({ socket, received: () => received, send, closed }))
  })
}
