import type { Duplex } from 'node:stream'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { CLIENT, message } from '../../protocols/postgresql/messages.ts'
import { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { cancelRequest, tlsRequest } from '../../protocols/postgresql/startup.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { StreamReader } from '../../protocols/read-stream.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { withEitherSecret } from '../either-secret.ts'
import { permittedDatabase } from '../permitted-database.ts'
import { connectToServer, type ServerAddress, signInFailure, whileConnected } from '../server-connection.ts'
import { serverTarget } from '../server-target.ts'
import { signIn } from './sign-in.ts'

/** Database of a login that names none; every server has it. */
const DEFAULT_DATABASE = 'postgres'
/** Parameters of the client's start that the server is not to hear as the client sends them. */
const OWN = new Set(['user', 'database', 'replication'])
/** A cancel that takes longer is of no use. */
const CANCEL_MS = 10_000
const ACCEPTS_TLS = 'S'.charCodeAt(0)

export const postgresqlConnector: Connector<'statements'> = { protocol: 'postgresql', kind: 'statements', open }

/**
 * A connection of a client of PostgreSQL to its server, where it is signed in with the stored
 * secret; what the client says at its start (time zone, encoding, its name) goes through. Throws
 * SshError and SessionRefusal.
 */
function open(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  return withEitherSecret(options, (one) => logIn(kernel, one))
}

async function logIn(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  const { target, end } = options
  const { wire } = end
  if (!(wire instanceof PostgresqlWire)) throw new SessionRefusal('This kind of connection is not supported')
  const { username, password } = target.credentials
  const asked = databaseOf(wire.parameters, String(target.application?.attrs.database ?? ''))
  const database = permittedDatabase(asked, target.databases?.(), DEFAULT_DATABASE)
  const others = [...wire.parameters].filter(([name]) => !OWN.has(name))
  const parameters = [['user', username] as const, ['database', database] as const, ...others]
  const server = await connectToServer(kernel, options, askForTls).catch((error) => {
    throw signInFailure(error, options)
  })
  const hop = target.gateways.length ? 1 : 0
  try {
    const login = { parameters, username, password, isEncrypted: server.isEncrypted, hop }
    const { greeting, cancel, isPasswordAsked } = await whileConnected(server.stream, options, () =>
      signIn(server.stream, login),
    )
    wire.place.database = database
    wire.isPasswordAsked = isPasswordAsked
    return serverTarget({
      answers: wire.server,
      server,
      greeting,
      cancel: () => cancel && cancelAt(kernel, options, cancelRequest(cancel.process, cancel.key)),
      farewell: message(CLIENT.terminate),
      log: kernel.app.log,
    })
  } catch (error) {
    server.close()
    throw signInFailure(error, options)
  }
}

/**
 * The application's database is the only one where it names one. Clients ask for one of the user's
 * name when nobody has named any.
 */
function databaseOf(parameters: ReadonlyMap<string, string>, own: string): string {
  const asked = parameters.get('database') ?? ''
  const isNamed = asked !== '' && asked !== parameters.get('user')
  if (own && isNamed && asked !== own)
    throw new SessionRefusal('This application leads to the database {{own}} alone', { own })
  return own || (isNamed ? asked : '')
}

async function askForTls(stream: Duplex): Promise<boolean> {
  stream.write(tlsRequest())
  const answer = await new StreamReader(stream).next()
  // Bytes behind the answer could not be told apart from encrypted ones.
  if (answer.length !== 1) throw new ProtocolViolation('data before TLS')
  return answer[0] === ACCEPTS_TLS
}

/** Over a connection of its own, as the protocol has it. */
async function cancelAt(kernel: Kernel, options: ServerAddress, request: Buffer): Promise<void> {
  const address = { ...options, signal: AbortSignal.timeout(CANCEL_MS) }
  const { stream, close } = await connectToServer(kernel, address, askForTls)
  stream.resume().once('close', close)
  stream.end(request)
}
