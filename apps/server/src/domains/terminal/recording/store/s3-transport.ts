import { setTimeout as delay } from 'node:timers/promises'
import { Agent, fetch as send } from 'undici'

const CONNECT_MS = 5_000
/** Without a byte of an answer for so long it is given up. */
const SILENCE_MS = 20_000
/** What is sent, 8 MB at most at a time, must be through in this time. */
const SEND_MS = 60_000
const MAX_CONNECTIONS = 32
const TRIES = 3
const FIRST_PAUSE_MS = 200

/**
 * How requests reach an S3 store: with limits of time and of connections, and sent again when the
 * store was busy or the line broke. All that is asked of a store may be asked twice. Certificates
 * are checked against what Node trusts (`NODE_EXTRA_CA_CERTS` adds to it); redirects are not
 * followed, they mean another region.
 */
export function createS3Transport(): typeof fetch {
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connections: MAX_CONNECTIONS,
  })
  const once = (input: unknown, init: RequestInit | undefined) =>
    send(input as string, {
      ...(init as object),
      dispatcher,
      redirect: 'manual',
      // What is read may be long, and is read at the pace of who reads.
      ...(init?.method === 'GET' ? {} : { signal: AbortSignal.timeout(SEND_MS) }),
    }) as unknown as Promise<Response>
  return async (input, init) => {
    for (let n = 1; ; n++) {
      try {
        const response = await once(input, init)
        if (n === TRIES || (response.status < 500 && response.status !== 429)) return response
        await response.body?.cancel()
      } catch (error) {
        if (n === TRIES) throw error
      }
      await delay(FIRST_PAUSE_MS * 2 ** (n - 1), undefined, { ref: false })
    }
  }
}
