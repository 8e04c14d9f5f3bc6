import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { RunningRequest } from '../../kinds/requests/request-session.ts'
import type { RequestTarget } from '../../kinds/requests/streams.ts'
import { BadRequest, type ClusterRequest } from '../../protocols/kubernetes/read-request.ts'
import { messageOf } from '../../protocols/kubernetes/status.ts'
import { answerFailure } from './answer.ts'

/** Limit of a failed answer that is read for its message, in bytes. */
const READ_MAX = 4096
/** Between two neighbors alone (RFC 9110 §7.6.1), and what Sallyport says in their place. */
const OWN = new Set([
  'authorization',
  'connection',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Sends a request on with the account's credentials, and its answer back as it comes. Settles when
 * the answer has gone out, or can't; never rejected.
 */
export function passRequest(
  { method, path, query }: ClusterRequest & { method: string },
  target: RequestTarget,
  running: RunningRequest,
  request: IncomingMessage,
  response: ServerResponse,
  failed: (error: Error) => Parameters<typeof answerFailure>[2],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const search = query.toString()
  const upstream = httpRequest({
    agent: target.agent,
    method,
    path: `${target.basePath}${path}${search && `?${search}`}`,
    headers: { ...passedOn(request.headers), ...lengthOf(request.headers), ...target.credentials, host: target.host },
    signal: running.signal,
  })
  let answer: IncomingMessage | undefined
  let read = ''
  const over = (error?: Error) => {
    const status = answer?.statusCode
    const words = status !== undefined && status >= 400 ? messageOf(read) : error?.message
    running.end({ status, error: words })
    resolve()
  }
  upstream.once('error', (error) => {
    if (response.destroyed || running.signal.aborted) response.destroy()
    else answerFailure(request, response, failed(error))
    over(error)
  })
  upstream.once('response', (given) => {
    answer = given
    const status = given.statusCode ?? 502
    response.writeHead(status, given.statusMessage ?? '', passedOn(given.headers))
    // A watch may have nothing to tell for long.
    response.flushHeaders()
    given.on('data', (piece: Buffer) => {
      running.passed()
      if (status >= 400 && read.length < READ_MAX) read += piece.toString('utf8', 0, READ_MAX)
    })
    given.once('error', () => response.destroy())
    given.pipe(response)
  })
  // A client that leaves takes its request along.
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
    over()
  })
  request.once('error', () => upstream.destroy())
  request.pipe(upstream)
  return promise
}

/** Throws BadRequest for a body whose end two readers could find in two places. */
export function checkBody({ 'transfer-encoding': coding }: IncomingHttpHeaders): void {
  if (coding !== undefined && !/^chunked$/i.test(coding)) throw new BadRequest('The body of the request is encoded')
}

/**
 * Length of the body, whatever the method, and whatever the client names as meant for its neighbor:
 * a body without an end would be the next request to the cluster, which nobody has judged.
 */
function lengthOf({ 'transfer-encoding': coding, 'content-length': length }: IncomingHttpHeaders): IncomingHttpHeaders {
  if (coding !== undefined) return { 'transfer-encoding': 'chunked' }
  return length === undefined ? {} : { 'content-length': length }
}

/** Headers that are meant for the other end. */
function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set(
    String(headers.connection ?? '')
      .split(',')
      .map((one) => one.trim().toLowerCase()),
  )
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OWN.has(name) && !named.has(name) && !name.startsWith('x-forwarded-')),
  )
}
