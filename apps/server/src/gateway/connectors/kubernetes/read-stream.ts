import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { RequestTarget } from '../../kinds/requests/streams.ts'
import { messageOf } from '../../protocols/kubernetes/status.ts'
import { clusterRefusal } from './cluster.ts'

/** Limit of a failed answer that is read for its message, in bytes. */
const READ_MAX = 4096

/**
 * Answer of a cluster as it comes: nothing is read before it is taken. `path`: below the cluster's
 * own. Throws SessionRefusal where it refuses, and what the connection and `signal` throw.
 */
export async function readStream(
  { agent, host, basePath, credentials }: RequestTarget,
  path: string,
  { signal, accept }: { signal: AbortSignal; accept?: string },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  httpRequest({
    ...{ agent, signal, path: basePath + path },
    headers: { ...credentials, host, ...(accept ? { accept } : {}), 'user-agent': 'sallyport' },
  })
    .once('response', resolve)
    .once('error', reject)
    .end()
  const response = await promise
  const status = response.statusCode ?? 0
  if (status >= 300) throw clusterRefusal(status, await wordsOf(response))
  return response
}

async function wordsOf(response: IncomingMessage): Promise<string | undefined> {
  let text = ''
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += piece.toString()
    if (text.length > READ_MAX) break
  }
  return messageOf(text) ?? text.slice(0, READ_MAX)
}
