import type { Duplex } from 'node:stream'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { type Greeting, readGreeting } from '../../protocols/mysql/greeting.ts'
import { loginStart } from '../../protocols/mysql/login.ts'
import { MysqlWire } from '../../protocols/mysql/mysql-wire.ts'
import { PacketStream } from '../../protocols/mysql/packet-stream.ts'
import { ANSWER, CAPABILITY, COMMAND, OF_MARIADB, packet, readError } from '../../protocols/mysql/packets.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { withEitherSecret } from '../either-secret.ts'
import { permittedDatabase } from '../permitted-database.ts'
import { connectToServer, type ServerConnection, signInFailure, whileConnected } from '../server-connection.ts'
import { serverTarget } from '../server-target.ts'
import { capabilitiesFor, ofMariaDbFor, refusal, signIn } from './sign-in.ts'

/** A cancel that takes longer is of no use. */
const CANCEL_MS = 10_000
const QUIT = packet(0, Buffer.of(COMMAND.quit))

export const mysqlConnector: Connector<'statements'> = { protocol: 'mysql', kind: 'statements', open }
export const mariadbConnector: Connector<'statements'> = { protocol: 'mariadb', kind: 'statements', open }

/**
 * A connection of a client of MySQL or MariaDB to its server, where it is signed in with the stored
 * secret; what the client can and what it says of itself goes through. Throws SshError and
 * SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  const { target, end } = options
  const { wire } = end
  if (!(wire instanceof MysqlWire)) throw new SessionRefusal('This kind of connection is not supported')
  const asked = databaseOf(wire.login.database, String(target.application?.attrs.database ?? ''))
  const database = permittedDatabase(asked, target.databases?.(), '')
  const { server, greeting, accepted } = await withEitherSecret(options, (one) =>
    connect(kernel, one, { ...wire.login, database }),
  )
  wire.place.database = database
  wire.thread = greeting.thread
  wire.version = greeting.version
  wire.takesBulk = (ofMariaDbFor(wire.login, greeting) & OF_MARIADB.bulk) !== 0
  wire.isEncrypted = server.isEncrypted
  return serverTarget({
    answers: wire.server,
    server,
    greeting: packet(wire.sequence, accepted),
    farewell: QUIT,
    cancel: () => cancelAt(kernel, options, wire, greeting.thread),
    log: kernel.app.log,
  })
}

/** The application's database is where the session begins, and the only one to begin in. */
function databaseOf(asked: string, own: string): string {
  if (own && asked && asked !== own)
    throw new SessionRefusal('This application leads to the database {{own}} alone', { own })
  return own || asked
}

interface Connected {
  server: ServerConnection
  greeting: Greeting
  /** The body of the packet with which the server let the client in. */
  accepted: Buffer
}

/** Throws SshError, SessionRefusal, or the signal's reason. */
async function connect(
  kernel: Kernel,
  options: Pick<ConnectOptions<'statements'>, 'target' | 'host' | 'port' | 'signal'>,
  login: MysqlWire['login'],
): Promise<Connected> {
  const { target } = options
  const { username, password } = target.credentials
  const hop = target.gateways.length ? 1 : 0
  let greeting: Greeting | undefined
  let server: ServerConnection | undefined
  try {
    server = await connectToServer(kernel, options, async (stream) => {
      greeting = await greetingOf(stream)
      return askForTls(stream, greeting, login)
    })
    const { stream, isEncrypted } = server
    if (!greeting) throw new ProtocolViolation('no greeting')
    const parts = { greeting, login: { ...login, username }, password, isEncrypted, hop }
    return { server, greeting, accepted: await whileConnected(stream, options, () => signIn(stream, parts)) }
  } catch (error) {
    server?.close()
    throw signInFailure(error, options)
  }
}

async function greetingOf(stream: Duplex): Promise<Greeting> {
  const { body } = await new PacketStream(stream).next()
  if (body[0] === ANSWER.error) throw refusal(readError(body))
  return readGreeting(body)
}

async function askForTls(stream: Duplex, greeting: Greeting, login: MysqlWire['login']): Promise<boolean> {
  if (!(greeting.capabilities & CAPABILITY.tls)) return false
  const capabilities = capabilitiesFor(login, greeting, true)
  stream.write(packet(1, loginStart({ ...login, capabilities, ofMariaDb: ofMariaDbFor(login, greeting) })))
  return true
}

/** Over a connection of its own, as the protocol has it. */
async function cancelAt(
  kernel: Kernel,
  options: ConnectOptions<'statements'>,
  { login }: MysqlWire,
  thread: number,
): Promise<void> {
  const address = { ...options, signal: AbortSignal.timeout(CANCEL_MS) }
  const { server } = await connect(kernel, address, { ...login, database: '' })
  const { stream, close } = server
  try {
    stream.write(packet(0, Buffer.of(COMMAND.query), Buffer.from(`KILL QUERY ${thread}`)))
    await whileConnected(stream, address, () => new PacketStream(stream).next())
    stream.resume().end(QUIT)
  } finally {
    setTimeout(close, CANCEL_MS).unref()
  }
}
