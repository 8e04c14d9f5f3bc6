import type { RequestTarget } from '../../kinds/requests/streams.ts'
import { readStream } from './read-stream.ts'

/** A longer line ends it. */
const LINE_MAX = 1024 * 1024

/**
 * Events of a cluster, a line of JSON each, until it ends them; nothing is read before it is taken.
 * Throws SessionRefusal where it refuses, and what the connection and `signal` throw.
 */
export async function* followJson(
  target: RequestTarget,
  path: string,
  options: { accept: string; signal: AbortSignal },
): AsyncGenerator<unknown> {
  const response = await readStream(target, path, options)
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
