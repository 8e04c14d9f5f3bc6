import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex, Readable } from 'node:stream'
import { AppError } from '../errors/app-error.ts'
import { type Peer, Unreachable } from './peers.ts'

/** A node that has not accepted the connection by then is unreachable. */
const CONNECT_MS = 3_000

export interface LinkRequest {
  method: string | undefined
  path: string | undefined
  /** Names and values alternate. */
  headers: readonly string[]
  /** A request without one may be repeated. */
  body?: Readable
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
}

export interface LinkAnswer {
  answer: IncomingMessage
  /** Socket of an accepted upgrade; `head` holds the bytes after the answer. */
  socket?: Duplex
  head?: Buffer
}

/** The connection broke before an answer came. */
export const nodeUnreachable = (cause: unknown) =>
  new AppError(502, 'node_unreachable', 'The server that carries this session cannot be reached', { cause })

/**
 * Sends a request to another node; settles when the answer begins. Throws Unreachable if nothing was
 * sent, otherwise 502; 503 when too many requests are in progress.
 */
export async function sendOverLink(peer: Peer, request: LinkRequest): Promise<LinkAnswer> {
  if (peer.isDown) throw new Unreachable(peer.node)
  if (peer.isFull) throw new AppError(503, 'too_many_lines', 'Too much is passed on between servers: try again later')
  // A body can't be sent twice, and an upgrade uses its connection up: both get a new one.
  if (request.body || hasUpgrade(request)) return send(peer, request, false)
  try {
    return await send(peer, request, true)
  } catch (error) {
    if (!(error instanceof KeptConnectionEnded)) throw error
    return send(peer, request, false)
  }
}

/** The other end closed a kept-alive connection just as it was reused. */
class KeptConnectionEnded extends Error {}

const hasUpgrade = ({ headers }: LinkRequest) => headers.includes('Upgrade')

function send(peer: Peer, { method, path, headers, body, signal }: LinkRequest, kept: boolean): Promise<LinkAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<LinkAnswer>()
  const outgoing = httpsRequest({ ...peer.options({ kept }), method, path, headers, signal })
  const letGo = peer.hold(outgoing)
  let isConnected = false
  whenConnected(outgoing, () => {
    isConnected = true
    if (body) body.pipe(outgoing)
    else outgoing.end()
  })
  outgoing.once('response', (answer) => resolve({ answer }))
  outgoing.once('upgrade', (answer, socket, head) => {
    socket.once('close', peer.hold(socket))
    resolve({ answer, socket, head })
  })
  outgoing.on('error', (error) => {
    if (kept && outgoing.reusedSocket) return reject(new KeptConnectionEnded())
    if (isConnected || signal.aborted) return reject(nodeUnreachable(error))
    peer.noteUnreachable()
    reject(new Unreachable(peer.node, error))
  })
  outgoing.once('close', () => {
    letGo()
    // An answer may come before the whole body was sent; the rest is dropped.
    body?.unpipe(outgoing)
    body?.resume()
  })
  return promise
}

/** Gives up a request that is not connected in time. */
function whenConnected(outgoing: ClientRequest, work: () => void): void {
  const limit = setTimeout(() => outgoing.destroy(new Error('no connection in time')), CONNECT_MS)
  outgoing.once('close', () => clearTimeout(limit))
  outgoing.once('socket', (socket) => {
    const stands = () => {
      clearTimeout(limit)
      socket.setNoDelay(true)
      work()
    }
    if (outgoing.reusedSocket) stands()
    else socket.once('secureConnect', stands)
  })
}
