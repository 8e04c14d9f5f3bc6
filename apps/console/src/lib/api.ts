/**
 * Calls to the server of the same origin (B7.01), and what happens to their failures (B8.01 to
 * B8.08).
 */
import { CHANGE_HEADER } from '@sallyport/contract/resources/audits/undo.ts'
import { callHeaders, earlyAnswer } from './early.ts'
import { msg, t } from './i18n.ts'

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
const TIMEOUT_MS = 60_000
/** A file of everything takes the server longer than an answer to read. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000
const PROFILE_PATH = '/api/v1/users/profile/'
/** Where the second factor is proven (B7.16 B7.17). */
export const MFA_PATH = '/api/v1/authentication/otp/verify/'
export const LOGIN_PATH = '/core/auth/login/'

/** Values of a query; empty ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface RequestOptions {
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
  /** The caller shows the failure itself; 401 is handled all the same. */
  quiet?: boolean
  /** Already translated; what failed, told before the reason. */
  failed?: string
  /** Milliseconds to wait for the answer, where the usual minute is too short (B9.01). */
  timeout?: number
}

/** The server says itself what is too large for it; what is before it says nothing that we can read. */
const TOO_LARGE_FOR_PROXY = msg(
  'The proxy before this site refuses requests of this size. Its administrator can raise the limit (nginx: client_max_body_size).',
)

/** A refusal or fault of the server, or a network failure (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /**
   * The body of a 400 that names fields: values are texts, lists of texts, nested objects, or
   * index-aligned lists of those.
   */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  readonly body: unknown
  constructor(status: number, body: unknown, fallback: string) {
    super(messageOf(body) ?? (status === 413 ? t(TOO_LARGE_FOR_PROXY) : fallback))
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.code = isRecord(body) && typeof body.code === 'string' ? body.code : ''
    this.fields =
      status === 400 && isRecord(body) && !('code' in body) && !('detail' in body) && !('error' in body)
        ? body
        : undefined
  }
}

/** Why no call succeeds now: no server answers, or the database does not. */
export type Outage = 'server' | 'database'

/** The code of the server's 503 while its database is away, and our own where nothing answers. */
const OUTAGES: Readonly<Record<string, Outage>> = { unavailable: 'database', unreachable: 'server' }

/** Whether something failed as everything would now; undefined for a refusal or fault of its own. */
export function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof ApiError)) return undefined
  // A proxy before a server that is gone answers in words of its own.
  const isProxy = error.code === '' && error.status >= 502 && error.status <= 504
  return isProxy ? 'server' : OUTAGES[error.code]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Some answers name a code as their error and say it in words beside. */
const CODE = /^[a-z0-9]+(_[a-z0-9]+)+$/

/** Server texts are looked for under `error`, `msg`, `detail`, in this order (B8.08). */
function messageOf(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined
  const messages = ['error', 'msg', 'detail'].flatMap((key) => {
    const text = body[key]
    return typeof text === 'string' && text !== '' ? [text] : []
  })
  return messages.find((text) => !CODE.test(text)) ?? messages[0]
}

/** The page's reactions to failures; set once by the entry. */
interface Reactions {
  /** Nobody is signed in any more. */
  signedOut: () => void
  /** Shows an error for five seconds. */
  showError: (text: string) => void
  /** Called after every answer that is not the profile's (keep-alive, B4.14). */
  answered: () => void
  /** Called after every answer of a server, whatever it says. */
  reached: () => void
  /** After every call that may change something: the id by which its change is taken back, if it can be. */
  changed: (id: string | null) => void
  /** A call failed as every other would now. */
  away: (outage: Outage) => void
  /**
   * The server wants the second factor first: true when the person has proven it, and the call is
   * made again.
   */
  proveSecondFactor: () => Promise<boolean>
}
const reactions: Reactions = {
  signedOut: () => {},
  showError: () => {},
  answered: () => {},
  reached: () => {},
  changed: () => {},
  away: () => {},
  proveSecondFactor: async () => false,
}

/** Tells the client how to react; the entry calls it once. */
export function onApi(chosen: Partial<Reactions>): void {
  Object.assign(reactions, chosen)
}

let currentOrg: string | undefined

/** The organization every later call is made in. */
export function setRequestOrg(id: string | undefined): void {
  currentOrg = id
}

function requestOrg(): string | undefined {
  return new URLSearchParams(location.search).get('oid') ?? currentOrg
}

/** `path?key=value`, without empty values. */
export function withQuery(path: string, query?: Query): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') search.append(key, String(value))
  const text = search.toString()
  return text ? `${path}${path.includes('?') ? '&' : '?'}${text}` : path
}

/**
 * Sends one call and returns its body; asks for the second factor where the server does, and sends
 * it again then. @throws ApiError
 */
export function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  return withReactions(method, path, options, async () => {
    const response = await send(method, path, options, options.timeout ?? TIMEOUT_MS)
    return (await readBody(response)) as T
  })
}

export interface DownloadOptions extends Pick<RequestOptions, 'query' | 'signal' | 'quiet'> {
  /** Told the number of bytes that have come so far. */
  onBytes?: (bytes: number) => void
}

/** GETs a file, with the name that the server gave it. @throws ApiError */
export function download(
  path: string,
  { onBytes, ...options }: DownloadOptions = {},
): Promise<{ blob: Blob; name: string }> {
  return withReactions('GET', path, options, async () => {
    const response = await send('GET', path, options, DOWNLOAD_TIMEOUT_MS)
    if (!response.ok) await readBody(response)
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let bytes = 0
    const reader = response.body?.getReader()
    try {
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        pieces.push(piece.value)
        bytes += piece.value.length
        onBytes?.(bytes)
      }
    } catch (cause) {
      throw lostOnTheWay(cause, options.signal)
    }
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file'
    return { blob: new Blob(pieces, { type: response.headers.get('content-type') ?? '' }), name }
  })
}

/** What every call has in common when it fails (B8.02 to B8.07). */
async function withReactions<T>(
  method: string,
  path: string,
  options: Pick<RequestOptions, 'quiet' | 'failed'>,
  call: () => Promise<T>,
): Promise<T> {
  try {
    try {
      return await call()
    } catch (error) {
      const wanted = error instanceof ApiError && error.code === 'mfa_verify_required' && path !== MFA_PATH
      if (!wanted || !(await reactions.proveSecondFactor())) throw error
      return await call()
    }
  } catch (error) {
    if (error instanceof ApiError) react(error, method, path, options)
    throw error
  }
}

async function send(method: string, path: string, options: RequestOptions, timeoutMs: number): Promise<Response> {
  const headers = { ...callHeaders(requestOrg()), ...options.headers }
  let body: BodyInit | undefined
  if (options.body instanceof FormData || options.body instanceof URLSearchParams || options.body instanceof Blob)
    body = options.body
  else if (options.body !== undefined) {
    body = JSON.stringify(options.body)
    headers['Content-Type'] = 'application/json'
  }
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    const address = withQuery(path, options.query)
    response = await ((method === 'GET' && earlyAnswer(address, headers)) ||
      fetch(address, {
        method,
        headers,
        credentials: 'same-origin',
        signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
        ...(body === undefined ? {} : { body }),
      }))
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    if (timeout.aborted) throw new ApiError(0, undefined, t('The server did not answer in time'))
    throw lostOnTheWay(cause, options.signal)
  }
  if (response.status < 500) reactions.reached()
  if (!READING.has(method)) reactions.changed(response.ok ? response.headers.get(CHANGE_HEADER) : null)
  if (!path.startsWith(PROFILE_PATH)) reactions.answered()
  return response
}

function lostOnTheWay(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return cause
  return new ApiError(0, { code: 'unreachable' }, t('The server cannot be reached'))
}

/**
 * The body: JSON where the server says so, else text. @throws ApiError for a refusal, a fault, or
 * JSON that cannot be read
 */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  let answer: unknown = text
  if (response.headers.get('content-type')?.includes('json') && text !== '') {
    try {
      answer = JSON.parse(text)
    } catch {
      throw new ApiError(response.status, undefined, t('The answer of the server cannot be read'))
    }
  }
  if (!response.ok) throw new ApiError(response.status, answer, `${response.status} ${response.statusText}`)
  return answer
}

function react(
  error: ApiError,
  method: string,
  path: string,
  { quiet, failed }: Pick<RequestOptions, 'quiet' | 'failed'>,
): void {
  const outage = outageOf(error)
  if (outage) reactions.away(outage)
  // The banner says it once for all that is read; a failed action is reported by itself.
  if (outage && READING.has(method)) return
  const profile = path.startsWith(PROFILE_PATH)
  // The profile call goes straight to the sign-in page (B8.02); start-up does that itself.
  if (error.status === 401 && !profile) reactions.signedOut()
  else if (!quiet && !profile) reactions.showError(failed ? `${failed}: ${errorText(error)}` : errorText(error))
}

/** The message of an answer about a finished action, if any (B8.11). */
export function answerText(answer: unknown): string | undefined {
  return isRecord(answer) && typeof answer.msg === 'string' && answer.msg !== '' ? answer.msg : undefined
}

/** The words for a failure (B8.03 to B8.07). */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const own = messageOf(error.body)
  if (own) return own
  if (error.status === 400) return t('Bad request, please check again')
  if (error.status === 403) return t('Bad request, no permission for this operation')
  if (error.status === 409) return t('Refreshing, please try again later')
  return error.message
}

export const api = {
  get: <T>(path: string, options?: RequestOptions) => request<T>('GET', path, options),
  post: <T>(path: string, body?: unknown, options?: RequestOptions) =>
    request<T>('POST', path, { ...options, body: body ?? {} }),
  put: <T>(path: string, body?: unknown, options?: RequestOptions) =>
    request<T>('PUT', path, { ...options, body: body ?? {} }),
  patch: <T>(path: string, body?: unknown, options?: RequestOptions) =>
    request<T>('PATCH', path, { ...options, body: body ?? {} }),
  delete: <T>(path: string, options?: RequestOptions) => request<T>('DELETE', path, options),
  options: <T>(path: string, options?: RequestOptions) => request<T>('OPTIONS', path, options),
}

/** A page of a list. */
export interface ListPage<T = Row> {
  count: number
  next: string | null
  previous: string | null
  results: T[]
}

/** A row as the generic pages see it. */
export type Row = Record<string, unknown> & { id: string }
