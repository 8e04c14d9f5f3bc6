import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { languageFor, refusalBody } from '../errors/error-handler.ts'

/** Bytes that a body must bring in each span of time, so that it counts as being sent. */
const LEAST_BYTES = 1024
/** How often that is looked after, at most. */
const CHECK_MS = 5_000

/** A request whose body has not come whole yet. */
interface Sending {
  request: FastifyRequest
  reply: FastifyReply
  /** Bytes of the connection, and when they were counted, in milliseconds. */
  bytes: number
  since: number
}

/**
 * Drops requests whose body stops coming, with 408. Node's own limit is on the whole request, which
 * would cut every upload that takes longer, however well it goes on.
 * A known caller must send at least a kilobyte in each span; a stranger must send the whole body by
 * the end of the first: slow clients must not hold connections.
 */
export function endStalledBodies(app: FastifyInstance, stallSeconds: number): void {
  const stallMs = stallSeconds * 1000
  const checkMs = Math.min(CHECK_MS, stallMs / 4)
  const all = new Set<Sending>()
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request
    if (Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined) {
      const sending = { request, reply, bytes: raw.socket.bytesRead, since: Date.now() }
      all.add(sending)
      // It has been read to its end, or the connection is gone.
      for (const event of ['end', 'close']) raw.once(event, () => all.delete(sending))
    }
    done()
  })
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    // A process that did not come to reading cannot tell who has sent nothing.
    const paused = now - last - checkMs
    last = now
    for (const sending of all) {
      if (paused > 0) sending.since += paused
      if (sending.request.raw.complete) all.delete(sending)
      else if (hasStalled(sending, now, stallMs)) {
        all.delete(sending)
        drop(sending)
      }
    }
  }, checkMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

function hasStalled(sending: Sending, now: number, stallMs: number): boolean {
  const { raw, call } = sending.request
  const hasCome = raw.socket.bytesRead - sending.bytes
  // Unread bytes mean that the client waits for us.
  if (call?.user && (hasCome >= LEAST_BYTES || raw.readableLength > 0)) {
    sending.bytes += hasCome
    sending.since = now
  }
  return now - sending.since > stallMs
}

/** Answers the client, unless an answer was begun, and breaks the body off for its reader. */
function drop({ request, reply }: Sending): void {
  const { raw } = request
  const end = () => raw.destroy(new AppError(408, 'request_timeout', STALLED))
  if (reply.raw.headersSent || reply.raw.destroyed) return void end()
  request.log.info({ code: 'request_timeout', status: 408 }, 'refused')
  // The handler waits for a body that will not come, and gets the error once this answer is sent.
  reply.hijack()
  const answer = JSON.stringify(refusalBody(new AppError(408, 'request_timeout', STALLED), languageFor(request)))
  reply.raw
    .writeHead(408, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(answer),
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(answer, end)
}

const STALLED = 'Nothing more of the request has come for too long, so it was given up.'
