import type { Credentials } from './credentials.ts'
import { ApiError, ConnectionError, TimeoutError } from './errors.ts'

/** Values of a query; those that are undefined, null or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface CallOptions {
  query?: Query | undefined
  /** Sent as JSON; bytes and texts are sent as they are, with the content type among `headers`. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** Milliseconds that the answer may take, with what is in it; those of the client otherwise. */
  timeout?: number | undefined
}

export interface Transport {
  /** Sends a call until an answer begins. @throws ApiError for a refusal, ConnectionError, TimeoutError */
  send(method: string, path: string, options?: CallOptions): Promise<Response>
  /** The same with all that is in the answer: a line that breaks within it is a try that failed. */
  read(method: string, path: string, options?: CallOptions): Promise<Read>
}

export interface Read {
  answer: Response
  text: string
}

export interface TransportOptions {
  url: string | URL
  credentials?: Credentials | undefined
  /** In each call. */
  headers: Readonly<Record<string, string>>
  timeout: number
  retries: number
  fetch: typeof globalThis.fetch
}

/** Calls that change nothing: they may be sent again when nobody knows what became of them. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Answers after which another try may succeed. */
const PASSING = new Set([429, 502, 503, 504])
const FIRST_PAUSE_MS = 200
/** However long a server asks for. */
const LONGEST_PAUSE_MS = 30_000

export function createTransport({ url, credentials, headers, timeout, retries, fetch }: TransportOptions): Transport {
  const base = new URL(url)
  async function tried<T>(
    take: (answer: Response) => T | Promise<T>,
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<T> {
    const address = withQuery(new URL(path, base), options.query)
    const call = `${method} ${address.pathname}`
    const limit = options.timeout ?? timeout
    for (let tries = 0; ; tries++) {
      const late = AbortSignal.timeout(limit)
      const signals = options.signal ? [late, options.signal] : [late]
      const sent = await requestOf(method, address, options, headers, credentials)
      try {
        const answer = await fetch(address, { ...sent, signal: AbortSignal.any(signals) })
        if (!answer.ok) throw await refusalOf(call, answer)
        return await take(answer)
      } catch (failed) {
        options.signal?.throwIfAborted()
        const error = faultOf(failed, call, late.aborted ? limit : undefined)
        if (tries >= retries || !SAFE.has(method) || !mayPass(error)) throw error
        await pause(pauseAfter(error, tries), options.signal)
      }
    }
  }
  return {
    send: (method, path, options = {}) => tried((answer) => answer, method, path, options),
    read: (method, path, options = {}) =>
      tried(async (answer) => ({ answer, text: await answer.text() }), method, path, options),
  }
}

/** `late`: milliseconds that were over. */
function faultOf(failed: unknown, call: string, late: number | undefined): Error {
  if (failed instanceof ApiError) return failed
  return late === undefined ? new ConnectionError(call, failed) : new TimeoutError(call, late)
}

const mayPass = (error: Error) =>
  error instanceof ConnectionError || (error instanceof ApiError && PASSING.has(error.status))

function pauseAfter(error: Error, tried: number): number {
  const asked = error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined
  // Clients that met the same fault do not come back at the same moment.
  return Math.min(asked ?? FIRST_PAUSE_MS * 2 ** tried * (0.5 + Math.random()), LONGEST_PAUSE_MS)
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(signal?.reason)
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', stop)
    resolve()
  }, milliseconds)
  signal?.addEventListener('abort', stop, { once: true })
  return promise.finally(() => clearTimeout(timer))
}

function withQuery(address: URL, query: Query = {}): URL {
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') address.searchParams.append(name, String(value))
  return address
}

/** Signed again for each try: a signature counts for its moment, and once. */
async function requestOf(
  method: string,
  address: URL,
  { body, headers }: CallOptions,
  everywhere: Readonly<Record<string, string>>,
  credentials: Credentials | undefined,
): Promise<RequestInit> {
  const all = new Headers({ ...everywhere, ...headers })
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  if (body !== undefined && !isRaw) all.set('content-type', 'application/json')
  await credentials?.sign(all, method, address.pathname + address.search)
  return {
    method,
    headers: all,
    // A refusal says more than the page that it would lead to.
    redirect: credentials?.ofPage ? 'follow' : 'manual',
    credentials: credentials?.ofPage ? 'same-origin' : 'omit',
    ...(body === undefined ? {} : { body: isRaw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  }
}

/** A refusal with its body, which may be of a proxy and say nothing that we know. */
async function refusalOf(call: string, answer: Response): Promise<ApiError> {
  const text = await answer.text().catch(() => '')
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(call, answer.status, parsed(text), Number.isNaN(seconds) ? undefined : seconds)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
