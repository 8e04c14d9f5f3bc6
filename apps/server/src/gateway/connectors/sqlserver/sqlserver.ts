import type { Duplex } from 'node:stream'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { MESSAGE, message, nextMessage } from '../../protocols/sqlserver/packets.ts'
import { ENCRYPTION, encryptionIn, preLogin } from '../../protocols/sqlserver/pre-login.ts'
import { SqlServerWire } from '../../protocols/sqlserver/sqlserver-wire.ts'
import { WrappedHandshake } from '../../protocols/sqlserver/wrapped-handshake.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { withEitherSecret } from '../either-secret.ts'
import {
  connectToServer,
  type ServerConnection,
  signInFailure,
  type TlsAnswer,
  whileConnected,
} from '../server-connection.ts'
import { serverTarget } from '../server-target.ts'
import { signIn } from './sign-in.ts'

/** Not for clients of the database's own: what reads its answers is the terminal. */
export const sqlServerConnector: Connector<'statements'> = { protocol: 'sqlserver', kind: 'statements', open }

/**
 * A connection to a SQL Server, where it is signed in with the stored secret and in the application's
 * database. Throws SshError and SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  const { wire } = options.end
  if (!(wire instanceof SqlServerWire)) throw new SessionRefusal('This kind of connection is not supported')
  const { server, accepted } = await withEitherSecret(options, (one) => connect(kernel, one, wire.place.program))
  const target = serverTarget({
    answers: wire,
    server,
    greeting: accepted,
    cancel: () => undefined,
    // It is hung up on, as its own clients do.
    farewell: Buffer.alloc(0),
    log: kernel.app.log,
  })
  return {
    ...target,
    send(statement) {
      target.send(statement)
      target.pass(wire.sent(statement))
    },
    // In the connection itself, behind what was sent before.
    cancel: () => target.pass(wire.cancel()),
  }
}

/** Throws SshError, SessionRefusal, or the signal's reason. */
async function connect(
  kernel: Kernel,
  options: Pick<ConnectOptions<'statements'>, 'target' | 'host' | 'port' | 'signal'>,
  program: string,
): Promise<{ server: ServerConnection; accepted: Buffer }> {
  const { target, host } = options
  const { username, password } = target.credentials
  let server: ServerConnection | undefined
  try {
    server = await connectToServer(kernel, options, askForTls)
    const { stream } = server
    const database = String(target.application?.attrs.database ?? '')
    const as = { username, password, database, program, server: host, hop: target.gateways.length ? 1 : 0 }
    return { server, accepted: await whileConnected(stream, options, () => signIn(stream, as)) }
  } catch (error) {
    server?.close()
    throw signInFailure(error, options)
  }
}

/** All of it is encrypted or nothing is said: otherwise anybody on the way could read the password. */
async function askForTls(stream: Duplex): Promise<TlsAnswer> {
  stream.write(message(MESSAGE.preLogin, preLogin(ENCRYPTION.all)))
  const { body } = await nextMessage(stream)
  const encryption = encryptionIn(body)
  if (encryption !== ENCRYPTION.all && encryption !== ENCRYPTION.required)
    throw new SessionRefusal('The server asks for the password in clear without TLS: it was not sent')
  return { through: new WrappedHandshake(stream) }
}
