import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import {
  checkServerKey,
  hasServerKey,
  type ServerKeyScope,
  throughGatewaysPlain,
} from '../../domains/assets/networks/index.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import { ProtocolViolation } from '../protocols/protocol-violation.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/** To reach the server, and again for TLS. */
const TIMEOUT_MS = 15_000
/** Ciphers without a certificate, which only TLS 1.2 has; OpenSSL leaves them out unless asked. */
const ANONYMOUS: ConnectionOptions = { ciphers: 'aNULL:@SECLEVEL=0', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }
const TLS_1_2: ConnectionOptions = { maxVersion: 'TLSv1.2' }
const NO_CERTIFICATE = 'The server has shown a certificate before and does not any more: nothing was sent to it'

export interface ServerAddress {
  target: ConnectionTarget
  host: string
  port: number
  signal: AbortSignal
}

/** A connection to a server that speaks a protocol of its own. */
export interface ServerConnection {
  stream: Duplex
  isEncrypted: boolean
  close(): void
}

/**
 * Whether a server goes on in TLS; `anonymous`: without a certificate, so that nobody can know it
 * again; `through`: in its own way, in TLS 1.2.
 */
export type TlsAnswer = boolean | 'anonymous' | { through: Duplex }

/** Messages before TLS: whether the server is ready for it. */
type AskForTls = (stream: Duplex) => Promise<TlsAnswer>

/** How a server is spoken to that people know by its name. */
export interface NamedTls {
  /** Its name, for servers that have several. */
  servername: string
  /** Certificate that proves the account, in PEM. */
  cert?: string | undefined
  key?: string | undefined
}

/**
 * Connects to a server, through the gateways of the target's domain where it has some, and encrypts
 * the connection where the server can. The key of its certificate is pinned at the first use; a
 * server that has shown one must show it again. With `named`, a certificate for that name that an
 * authority of this system has signed counts as well. Throws SshError, SessionRefusal, or the signal's
 * reason.
 */
export async function connectToServer(
  kernel: Kernel,
  address: ServerAddress,
  askForTls: AskForTls,
  named?: NamedTls,
): Promise<ServerConnection> {
  const { host, port, signal } = address
  const { gateways } = address.target
  const plain = await throughGatewaysPlain(kernel, gateways, { host, port }, { timeoutMs: TIMEOUT_MS, signal })
  const scope = serverKeyScope(address)
  try {
    const answer = await whileConnected(plain.stream, address, () => askForTls(plain.stream))
    if (answer === 'anonymous') {
      if (await hasServerKey(kernel, scope)) throw new SessionRefusal(NO_CERTIFICATE)
      const stream = await whileConnected(plain.stream, address, () => encrypted(plain.stream, ANONYMOUS))
      return { stream, isEncrypted: true, close: () => stream.destroy() }
    }
    if (answer) {
      const [socket, options] =
        answer === true ? [plain.stream, named && namedOptions(named)] : [answer.through, TLS_1_2]
      const stream = await whileConnected(plain.stream, address, () => encrypted(socket, options))
      if (!named || !stream.authorized) await checkKey(kernel, scope, stream)
      return { stream, isEncrypted: true, close: () => stream.destroy() }
    }
    if (await hasServerKey(kernel, scope))
      throw new SessionRefusal('The server has spoken TLS before and does not any more: nothing was sent to it')
    return { stream: plain.stream, isEncrypted: false, close: plain.close }
  } catch (error) {
    plain.close()
    throw error
  }
}

/** Scope in which the keys of a server are kept. */
export function serverKeyScope({ target, host, port }: ServerAddress): ServerKeyScope {
  return { orgId: target.orgId, target: target.target.id, host, port }
}

/** An authority alone can't vouch for its owner: its key is compared with the known one. */
function encrypted(socket: Duplex, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const stream = connectTls({ socket, rejectUnauthorized: false, ...options })
    // Stays attached: a late error must not end the process.
    stream.on('error', reject)
    stream.once('secureConnect', () => resolve(stream))
    // The end of a socket that is not of the system's is not seen otherwise.
    socket.once('close', () => stream.destroy())
  })
}

/** An address of numbers is checked, and not sent as a name. */
function namedOptions({ servername, cert, key }: NamedTls): ConnectionOptions {
  const name = isIP(servername) ? { host: servername } : { host: servername, servername }
  return { ...name, ALPNProtocols: ['http/1.1'], ...(cert && key ? { cert, key } : {}) }
}

async function checkKey(kernel: Kernel, scope: ServerKeyScope, stream: TLSSocket): Promise<void> {
  const { raw } = stream.getPeerCertificate()
  const publicKey = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' })
  const { isTrusted, fingerprint, trusted } = await checkServerKey(kernel, scope, publicKey)
  if (isTrusted) return
  throw new SessionRefusal(
    'THE KEY OF THIS SERVER HAS CHANGED. Somebody may be in between, or it was set up anew. Seen: {{seen}}. Trusted: {{trusted}}. An administrator must accept the new key first.',
    { seen: fingerprint, trusted: trusted.join(', ') },
  )
}

/**
 * A step of connecting, bounded in time, that ends with the connection. Throws SshError, or the
 * signal's reason.
 */
export async function whileConnected<T>(
  stream: Duplex,
  { target, signal }: Pick<ServerAddress, 'target' | 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const hop = target.gateways.length ? 1 : 0
  const { promise: over, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  const onClose = () => reject(new SshError('unreachable', hop, 'The connection was closed'))
  signal.addEventListener('abort', onAbort)
  stream.once('close', onClose)
  try {
    const late = () => new SshError('timeout', hop, 'No login in time')
    return await inTime(Promise.race([work(), over]), TIMEOUT_MS, late)
  } finally {
    signal.removeEventListener('abort', onAbort)
    stream.off('close', onClose)
  }
}

/**
 * Error for a sign-in at a server that went wrong: the signal's reason where nobody waits any more,
 * refusals and SshError as they are, and anything else as a server that can't be reached.
 */
export function signInFailure(error: unknown, { target, signal }: Pick<ServerAddress, 'target' | 'signal'>): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof SessionRefusal || error instanceof SshError) return error
  if (error instanceof ProtocolViolation)
    return new SessionRefusal('What answers there does not speak the protocol: {{words}}', { words: error.message })
  return new SshError('unreachable', target.gateways.length ? 1 : 0, 'The connection was closed', { cause: error })
}
