import type { IncomingMessage } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOverLink } from './link-request.ts'
import type { Peer } from './peers.ts'

/** Of one connection alone (RFC 9110 §7.6.1), and what the next node is told afresh. */
const OWN_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
])

/** Of headers that nodes send each other, and that nobody else may send. */
const OWN_PREFIX = 'x-sallyport-'

/**
 * Passes a request on to another node, and its answer back, bytes as they are: also a socket that is
 * upgraded. Settles when the answer has begun; the reply is hijacked then. Throws Unreachable as long
 * as nothing was passed on; 502 when the line broke before an answer.
 */
export async function forward(peer: Peer, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { raw, ws } = request
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const { answer, socket, head } = await sendOverLink(peer, {
    method: raw.method,
    path: raw.url,
    headers: [...headersOf(request), ...(ws ? ['Connection', 'Upgrade', 'Upgrade', 'websocket'] : [])],
    ...(mayRepeat(request) ? {} : { body: raw }),
    signal: gone.signal,
  })
  reply.hijack()
  if (socket) return join(raw.socket, answer, socket, head)
  reply.raw.writeHead(answer.statusCode ?? 502, answer.statusMessage, betweenEnds(answer.rawHeaders))
  // What breaks breaks for the client as well: half an answer must not look whole.
  pipeline(answer, reply.raw, () => ws && raw.socket.destroy())
}

function mayRepeat({ method, headers }: FastifyRequest): boolean {
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers
  return !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
}

/**
 * The client's headers as they came, but for those that `instead` names in small letters, and where
 * they came from. Names and values in turn.
 */
export function headersOf(request: FastifyRequest, instead: Readonly<Record<string, string>> = {}): string[] {
  const { rawHeaders, headers } = request.raw
  return [
    ...betweenEnds(rawHeaders, instead),
    ...Object.entries(instead).flat(),
    ...(headers['transfer-encoding'] ? ['Transfer-Encoding', 'chunked'] : []),
    ...['X-Forwarded-For', request.ip, 'X-Forwarded-Proto', request.protocol],
    ...(request.host ? ['X-Forwarded-Host', request.host] : []),
  ]
}

/** Without what is said for one connection, and `except`. */
function betweenEnds(raw: readonly string[], except: Readonly<Record<string, string>> = {}): string[] {
  const kept: string[] = []
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const name = String(raw[n]).toLowerCase()
    if (!OWN_HEADERS.has(name) && !name.startsWith(OWN_PREFIX) && !(name in except))
      kept.push(String(raw[n]), String(raw[n + 1]))
  }
  return kept
}

/** Joins a client's socket with that of the other node, both ways, for as long as both stand. */
function join(client: Duplex, answer: IncomingMessage, socket: Duplex, head?: Buffer): void {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let n = 0; n + 1 < answer.rawHeaders.length; n += 2)
    lines.push(`${answer.rawHeaders[n]}: ${answer.rawHeaders[n + 1]}`)
  client.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (head?.length) client.write(head)
  pipeline(socket, client, () => {})
  pipeline(client, socket, () => {})
}
