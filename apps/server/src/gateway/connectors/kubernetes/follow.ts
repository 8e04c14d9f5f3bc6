import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { RequestTarget } from '../../kinds/requests/streams.ts'
import { messageOf } from '../../protocols/kubernetes/status.ts'
import { clusterRefusal } from './cluster.ts'

/** A longer line ends it. */
const LINE_MAX = 1024 * 1024
/** Of a failure's answer so much is read for its words. */
const READ_MAX = 4096

/**
 * What a cluster tells line by line, each of them JSON, until it ends that; nothing is read before it
 * is taken. Throws SessionRefusal where it refuses, and what the connection and `signal` throw.
 */
export async function* followJson(
  { agent, host, basePath, credentials }: RequestTarget,
  path: string,
  { accept, signal }: { accept: string; signal: AbortSignal },
): AsyncGenerator<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  httpRequest({
    ...{ agent, signal, path: basePath + path },
    headers: { ...credentials, host, accept, 'user-agent': 'sallyport' },
  })
    .once('response', resolve)
    .once('error', reject)
    .end()
  const response = await promise
  const status = response.statusCode ?? 0
  if (status >= 300) throw clusterRefusal(status, messageOf(await beginningOf(response)))
  let pieces: Buffer[] = []
  let length = 0
  for await (const bytes of response as AsyncIterable<Buffer>) {
    let rest = bytes
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield JSON.parse(Buffer.concat([...pieces, rest.subarray(0, end)]).toString() || 'null')
      ;[pieces, length, rest] = [[], 0, rest.subarray(end + 1)]
    }
    length += rest.length
    if (length > LINE_MAX) throw new Error('a line of the cluster is too long')
    if (rest.length) pieces.push(rest)
  }
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += piece.toString()
    if (text.length > READ_MAX) break
  }
  return text
}
