import { hasServerKey } from '../../../domains/assets/networks/index.ts'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import type { StatementTarget } from '../../kinds/statements/streams.ts'
import { OracleWire } from '../../protocols/oracle/oracle-wire.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { withEitherSecret } from '../either-secret.ts'
import { connectToServer, serverKeyScope, signInFailure } from '../server-connection.ts'
import { NotInClear, OracleDriver, type SignedIn } from './driver.ts'

/** For a thread with the driver in it to start, */
const START_MS = 60_000
/** and then for the server. */
const SIGN_IN_MS = 15_000
/** Characters that end nothing in a connect descriptor; longer names are none. */
const SERVICE = /^[\w.$#-]{1,128}$/

/** Not for clients of the database's own: what reads its answers is the terminal. */
export const oracleConnector: Connector<'statements'> = { protocol: 'oracle', kind: 'statements', open }

/**
 * A connection to an Oracle database, where it is signed in with the stored secret and at the
 * application's service. Throws SshError and SessionRefusal.
 */
async function open(kernel: Kernel, options: ConnectOptions<'statements'>): Promise<StatementTarget> {
  const { wire } = options.end
  if (!(wire instanceof OracleWire)) throw new SessionRefusal('This kind of connection is not supported')
  const service = String(options.target.application?.attrs.database ?? '').trim()
  if (!SERVICE.test(service))
    throw new SessionRefusal(
      'The application names the database {{database}}: Oracle needs the name of a service, of letters, digits and . _ - $ #',
      { database: service || '-' },
    )
  const { driver, signedIn } = await withEitherSecret(options, (one) => connect(kernel, one, service, wire))
  wire.version = signedIn.version
  wire.place.database = signedIn.service
  wire.changePassword = (old, changed) => driver.changePassword(old, changed)
  return {
    start(listener) {
      wire.onOutcome((statement, outcome) => listener.outcome(statement, outcome))
      driver.hear(
        (answer) => wire.heard(answer),
        () => listener.end({}),
      )
      wire.heard({ event: 'ready', isInTransaction: false })
    },
    send(statement) {
      wire.sent(statement)
      driver.run(statement.text)
    },
    // There are no bytes between its statements.
    pass() {},
    cancel: () => driver.cancel(),
    pending: () => 0,
    onceTaken: (then) => queueMicrotask(then),
    pause: () => driver.pause(),
    resume: () => driver.resume(),
    close: () => driver.close(),
  }
}

type Address = Pick<ConnectOptions<'statements'>, 'target' | 'host' | 'port' | 'signal'>

/**
 * A port of Oracle speaks either TLS or none. One that has spoken TLS is spoken to in that alone; any
 * other is asked in clear first, with nothing that is secret: the password is never sent, but proven.
 * Throws SshError, SessionRefusal, or the signal's reason.
 */
async function connect(kernel: Kernel, address: Address, service: string, wire: OracleWire) {
  const signIn = (isEncrypted: boolean) => signInAt(kernel, address, { isEncrypted, service, wire })
  try {
    if (await hasServerKey(kernel, serverKeyScope(address))) return await signIn(true)
    return await signIn(false).catch((error) => {
      if (!(error instanceof NotInClear)) throw error
      return signIn(true)
    })
  } catch (error) {
    throw signInFailure(error, address)
  }
}

async function signInAt(
  kernel: Kernel,
  address: Address,
  { isEncrypted, service, wire }: { isEncrypted: boolean; service: string; wire: OracleWire },
): Promise<{ driver: OracleDriver; signedIn: SignedIn }> {
  const { target, signal } = address
  const hop = target.gateways.length ? 1 : 0
  const server = await connectToServer(kernel, address, async () => isEncrypted)
  const { username, password } = target.credentials
  const start = { username, password, service, program: wire.place.program }
  const driver = new OracleDriver({ server, start, hop, log: kernel.app.log })
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    const late = () => new SshError('timeout', hop, 'No login in time')
    const signedIn = Promise.race([driver.signedIn, aborted])
    await inTime(Promise.race([driver.begun, signedIn]), START_MS, late)
    return { driver, signedIn: await inTime(signedIn, SIGN_IN_MS, late) }
  } catch (error) {
    driver.end()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
