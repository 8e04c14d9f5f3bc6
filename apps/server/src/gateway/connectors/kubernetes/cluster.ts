import { X509Certificate } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Kernel } from '../../../kernel/kernel.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import type { ApiQuestion, RequestTarget } from '../../kinds/requests/streams.ts'
import { messageOf } from '../../protocols/kubernetes/status.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectionTarget } from '../../targets/connection-target.ts'
import type { NamedTls, ServerAddress } from '../server-connection.ts'
import { ClusterAgent } from './cluster-agent.ts'

/** Longest answer that is read whole. */
const MAX_ANSWER = 32 * 1024 * 1024

/** The API of a cluster, as one account of it. */
export type Cluster = RequestTarget

/**
 * The cluster that an application leads to. Nothing is sent yet. Throws SessionRefusal when its
 * address or the account's secret is none.
 */
export function clusterOf(kernel: Kernel, address: Pick<ServerAddress, 'target' | 'host' | 'port'>): Cluster {
  const { target } = address
  const url = addressOf(target)
  const secret = secretOf(target)
  const named: NamedTls = { servername: address.host, ...(secret.kind === 'certificate' ? secret : {}) }
  // A connection is made for the first that waits, and used by others.
  const over = new AbortController()
  const agent = new ClusterAgent(kernel, { ...address, signal: over.signal }, named)
  const basePath = url.pathname.replace(/\/+$/, '')
  const credentials: Record<string, string> = secret.kind === 'token' ? { authorization: `Bearer ${secret.token}` } : {}
  const cluster: Cluster = {
    agent,
    host: url.host,
    basePath,
    credentials,
    ask: (path, question = {}) => ask(cluster, path, question, target),
    pause: () => {},
    resume: () => {},
    close() {
      over.abort(new SshError('unreachable', 0, 'The session is over'))
      agent.destroy()
    },
  }
  return cluster
}

function addressOf({ application }: ConnectionTarget): URL {
  const address = String(application?.attrs.cluster ?? '')
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:') return url
  throw new SessionRefusal('The address of the cluster must begin with https://: a token is sent to no other')
}

type Secret = { kind: 'token'; token: string } | { kind: 'certificate'; cert: string; key: string }

/** A bearer token or, in PEM, a certificate with its key. */
function secretOf({ credentials }: ConnectionTarget): Secret {
  const stored = (credentials.token || credentials.password).trim()
  if (stored.includes('-----BEGIN ')) {
    const blocks = stored.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g) ?? []
    const cert = blocks.filter((one) => one.startsWith('-----BEGIN CERTIFICATE-----')).join('\n')
    const key = blocks.find((one) => /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(one))
    if (cert && key && isCertificate(cert)) return { kind: 'certificate', cert, key }
    throw new SessionRefusal('The token of the system user is neither a token nor a certificate with its key')
  }
  // Nothing that would be more than one header.
  if (/^[\x21-\x7e]+$/.test(stored)) return { kind: 'token', token: stored }
  throw new SessionRefusal(
    stored
      ? 'The token of the system user is neither a token nor a certificate with its key'
      : 'The system user has no token for this cluster',
  )
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem))
  } catch {
    return false
  }
}

async function ask(
  { agent, host, basePath, credentials }: RequestTarget,
  path: string,
  { method = 'GET', body, accept = 'application/json', signal }: ApiQuestion,
  target: ConnectionTarget,
): Promise<unknown> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = httpRequest({
    agent,
    method,
    path: basePath + path,
    headers: {
      ...credentials,
      host,
      accept,
      'user-agent': 'sallyport',
      ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
    },
    ...(signal ? { signal } : {}),
  })
  request.once('response', resolve).once('error', reject).end(sent)
  try {
    const response = await promise
    const text = await textOf(response)
    const status = response.statusCode ?? 0
    if (status < 300) return JSON.parse(text)
    throw clusterRefusal(status, messageOf(text))
  } catch (error) {
    throw clusterFailure(error, target, signal)
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > MAX_ANSWER) {
      response.destroy()
      throw new Error('the answer is too long')
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** Why a cluster does not do what it is asked for, in its own words. */
export function clusterRefusal(status: number, message = ''): SessionRefusal {
  if (status === 401) return new SessionRefusal('The cluster refused the token or certificate of the system user')
  return new SessionRefusal('The cluster answered {{status}}: {{message}}', { status, message: message.slice(0, 500) })
}

/** As `signInFailure`, for requests to a cluster. */
export function clusterFailure(
  error: unknown,
  { gateways }: Pick<ConnectionTarget, 'gateways'>,
  signal?: AbortSignal,
): unknown {
  if (signal?.aborted && signal.reason?.name !== 'TimeoutError') return signal.reason
  if (signal?.aborted) return new SshError('timeout', gateways.length ? 1 : 0, 'No answer in time')
  if (error instanceof SessionRefusal || error instanceof SshError) return error
  return new SshError('unreachable', gateways.length ? 1 : 0, 'The connection was closed', { cause: error })
}
