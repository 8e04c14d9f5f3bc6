import type { IncomingMessage } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendOverLink } from './link-request.ts'
import type { Peer } from './peers.ts'

/** Headers of one connection (RFC 9110 §7.6.1), and those that this node sets for the next one. */
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

/** Prefix of headers that nodes send each other and nobody else may send. */
const OWN_PREFIX = 'x-sallyport-'

/**
 * Passes a request on to another node and its answer back, byte for byte, upgraded sockets included.
 * Settles when the answer has begun; the reply is hijacked by then. Throws Unreachable if nothing was
 * passed on, 502 if the connection broke before an answer.
 */
export async function forward(peer: Peer, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { raw, ws } = request
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const { answer, socket, head } = await sendOverLink(peer, {
    method: raw.method,
    path: request.originalUrl, // which the client may have signed
    headers: [...headersOf(request), ...(ws ? ['Connection', 'Upgrade', 'Upgrade', 'websocket'] : [])],
    ...(mayRepeat(request) ? {} : { body: raw }),
    signal: gone.signal,
  })
  reply.hijack()
  if (socket) return join(raw.socket, answer, socket, head)
  reply.raw.writeHead(answer.statusCode ?? 502, answer.statusMessage, betweenEnds(answer.rawHeaders))
  // Errors reach the client as a broken connection: half an answer must not look whole.
  pipeline(answer, reply.raw, () => ws && raw.socket.destroy())
}

function mayRepeat({ method, headers }: FastifyRequest): boolean {
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers
  return !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
}

/**
 * The client's headers as they came, those in `instead` (lower-case names) replaced, with forwarding
 * headers that say where they came from. Names and values alternate.
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

/** Without the headers of one connection and those in `except`. */
function betweenEnds(raw: readonly string[], except: Readonly<Record<string, string>> = {}): string[] {
  const kept: string[] = []
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const name = String(raw[n]).toLowerCase()
    if (!OWN_HEADERS.has(name) && !name.startsWith(OWN_PREFIX) && !(name in except))
      kept.push(String(raw[n]), String(raw[n + 1]))
  }
  return kept
}

/** Connects a client's socket with that of the other node, both ways, until either closes. */
function join(client: Duplex, answer: IncomingMessage, socket: Duplex, head?: Buffer): void {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let n = 0; n + 1 < answer.rawHeaders.length; n += 2)
    lines.push(`${answer.rawHeaders[n]}: ${answer.rawHeaders[n + 1]}`)
  client.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (head?.length) client.write(head)
  pipeline(socket, client, () => {})
  pipeline(client, socket, () => {})
}
