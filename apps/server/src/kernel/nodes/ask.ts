import { text } from 'node:stream/consumers'
import type { FastifyRequest } from 'fastify'
import { headersOf } from './forward.ts'
import { sendOverLink } from './link-request.ts'
import type { Peer } from './peers.ts'

/** How long an answer may take. */
const ANSWER_MS = 15_000

/**
 * Sends a request without a body to another node unchanged but for additional headers, and reads the
 * JSON answer. Throws when the node can't be reached or answers anything but 200.
 */
export async function ask(
  peer: Peer,
  request: FastifyRequest,
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const gone = new AbortController()
  const leave = () => gone.abort()
  request.raw.socket.once('close', leave)
  try {
    const { answer } = await sendOverLink(peer, {
      method: request.method,
      path: request.originalUrl,
      headers: [...headersOf(request, { 'accept-encoding': 'identity', ...more })],
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(ANSWER_MS)]),
    })
    const body = await text(answer)
    if (answer.statusCode !== 200) throw new Error(`node ${peer.node.name} answered ${answer.statusCode}`)
    return JSON.parse(body)
  } finally {
    request.raw.socket.off('close', leave)
  }
}
