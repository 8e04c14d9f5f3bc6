import type { Duplex } from 'node:stream'
import { hasServerKey } from '../../../domains/assets/networks/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { commandBytes } from '../../protocols/redis/command-walker.ts'
import { RedisWire } from '../../protocols/redis/redis-wire.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import {
  connectToServer,
  type ServerAddress,
  type ServerConnection,
  serverKeyScope,
  signInFailure,
  whileConnected,
} from '../server-connection.ts'
import { serverTarget } from '../server-target.ts'
import { signIn } from './sign-in.ts'

/** Databases of Redis have numbers. */
const NUMBER = /^\d{1,9}$/
/** How an answer in clear begins. */
const ANSWERS = new Set(['+', '-'].map((one) => one.charCodeAt(0)))

export const redisConnector: Connector<'statements'> = { protocol: 'redis', kind: 'statements', open }

/**
 * A connection of a client of Redis to its server, where it is signed in with the stored secret and
 * in the application's database. Throws SshError and SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  const { target, end } = options
  const { wire } = end
  if (!(wire instanceof RedisWire)) throw new SessionRefusal('This kind of connection is not supported')
  const database = String(target.application?.attrs.database ?? '').trim()
  if (database && !NUMBER.test(database))
    throw new SessionRefusal('The application names the database {{database}}: databases of Redis have numbers', {
      database,
    })
  const server = await connect(kernel, options)
  const hop = target.gateways.length ? 1 : 0
  try {
    const { username, password } = target.credentials
    const login = { username, password, database, opening: wire.opening, hop }
    const greeting = await whileConnected(server.stream, options, () => signIn(server.stream, login))
    wire.onlyDatabase = database
    wire.place.database = database || '0'
    return serverTarget({
      answers: wire,
      server,
      greeting,
      // The running command ends with its connection.
      cancel: () => undefined,
      farewell: Buffer.alloc(0),
      log: kernel.app.log,
    })
  } catch (error) {
    server.close()
    throw signInFailure(error, options)
  }
}

/** The server did not answer in clear. */
class NotInClear extends Error {}

/**
 * A port of Redis speaks either TLS or none. One that has spoken TLS is spoken to in that alone;
 * any other is asked in clear first, with nothing that is secret.
 */
async function connect(kernel: Kernel, address: ServerAddress): Promise<ServerConnection> {
  const encrypted = () => connectToServer(kernel, address, async () => true)
  if (await hasServerKey(kernel, serverKeyScope(address))) return encrypted()
  try {
    return await connectToServer(kernel, address, async (stream) => {
      if (await answersInClear(stream)) return false
      throw new NotInClear()
    })
  } catch (error) {
    if (!(error instanceof NotInClear)) throw error
    return encrypted()
  }
}

async function answersInClear(stream: Duplex): Promise<boolean> {
  stream.write(commandBytes(['PING']))
  return new StreamReader(stream)
    .until((bytes) => {
      if (!ANSWERS.has(bytes[0] as number)) return { value: false, end: bytes.length }
      const end = bytes.indexOf('\r\n')
      return end < 0 ? undefined : { value: true, end: end + 2 }
    })
    .catch(() => false)
}
