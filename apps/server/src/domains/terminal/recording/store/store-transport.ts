import { setTimeout as delay } from 'node:timers/promises'
import { Agent, fetch as send } from 'undici'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'

const CONNECT_MS = 5_000
/** A request fails when no byte has arrived for this long. */
const SILENCE_MS = 20_000
/** Time to send a request's body, of 8 MB at most. */
const SEND_MS = 60_000
const MAX_CONNECTIONS = 32
const TRIES = 3
const FIRST_PAUSE_MS = 200

/**
 * Sends requests to a store on the network, with limits of time and connections. They are repeated when the store
 * is busy or the connection breaks, since all of them are idempotent. Certificates are checked against
 * Node's roots (`NODE_EXTRA_CA_CERTS` adds to them). Redirects are not followed: they mean that the
 * region is wrong.
 */
export function createStoreTransport(): typeof fetch {
  const dispatcher = new Agent({
    connect: judgedConnector({ timeout: CONNECT_MS }),
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connections: MAX_CONNECTIONS,
  })
  const once = (input: unknown, init: RequestInit | undefined) =>
    send(input as string, {
      ...(init as object),
      dispatcher,
      redirect: 'manual',
      // A download may be large, and takes as long as its reader.
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
