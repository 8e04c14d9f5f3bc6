import { WIRE } from '@sallyport/contract/constants.ts'
import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import type { Credentials } from './credentials.ts'
import { type ResourceCalls, resourceCalls } from './resource.ts'
import { type CallOptions, createTransport, type Read } from './transport.ts'

const TIMEOUT_MS = 60_000
const RETRIES = 2

export interface ClientOptions {
  /** Address of the site: `https://sallyport.example.com`. */
  url: string | URL
  credentials?: Credentials | undefined
  /** Id of the organization that calls are made in; the server's choice without one. */
  org?: string | undefined
  /** Language of sentences in answers. Pages have the one that is chosen there. */
  language?: 'en' | 'cn' | undefined
  /** Name of a time zone, in which times are answered. */
  timeZone?: string | undefined
  /** Milliseconds that an answer may take: a minute without it. */
  timeout?: number | undefined
  /** How often a call that changes nothing is sent again when nobody answers it: twice without it. */
  retries?: number | undefined
  /** How the program calls itself, in the lists of sign-ins. Browsers keep their own name. */
  userAgent?: string | undefined
  /** Instead of the runtime's own. */
  fetch?: typeof fetch | undefined
}

export interface Client {
  /** The calls of a resource, typed by its definition. */
  resource<D extends ResourceDefinition>(definition: D, parameters?: Readonly<Record<string, string>>): ResourceCalls<D>
  /** The answer's JSON; undefined where there is none. @throws ApiError, ConnectionError, TimeoutError */
  call<T = unknown>(method: string, path: string, options?: CallOptions): Promise<T>
  get<T = unknown>(path: string, options?: CallOptions): Promise<T>
  post<T = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<T>
  patch<T = unknown>(path: string, body?: unknown, options?: CallOptions): Promise<T>
  delete<T = unknown>(path: string, options?: CallOptions): Promise<T>
  /** The whole answer as text, whatever its type. @throws as `call` */
  text(path: string, options?: CallOptions): Promise<string>
  /** The answer as it comes, for files and long lists. */
  open(method: string, path: string, options?: CallOptions): Promise<Response>
  /** The same caller in another organization. */
  in(org: string): Client
}

/** A client of one server; it keeps no connection of its own and needs no end. */
export function createClient(options: ClientOptions): Client {
  const { url, credentials, timeout = TIMEOUT_MS, retries = RETRIES } = options
  const transport = createTransport({
    url,
    credentials,
    timeout,
    retries,
    headers: headersOf(options),
    fetch: options.fetch ?? ((...sent) => globalThis.fetch(...sent)),
  })
  const call: Client['call'] = async <T>(method: string, path: string, sent?: CallOptions) =>
    bodyOf(await transport.read(method, path, sent)) as T
  return {
    resource: (definition, parameters) => resourceCalls(call, definition, parameters),
    call,
    get: (path, sent) => call('GET', path, sent),
    post: (path, body, sent) => call('POST', path, { ...sent, body }),
    patch: (path, body, sent) => call('PATCH', path, { ...sent, body }),
    delete: (path, sent) => call('DELETE', path, sent),
    text: async (path, sent) => (await transport.read('GET', path, sent)).text,
    open: (method, path, sent) => transport.send(method, path, sent),
    in: (org) => createClient({ ...options, org }),
  }
}

function headersOf({ org, language, timeZone, userAgent }: ClientOptions): Record<string, string> {
  return {
    accept: 'application/json',
    ...(org ? { [WIRE.orgHeader]: org } : {}),
    ...(language ? { cookie: `${WIRE.languageCookie}=${language === 'cn' ? 'zh-hans' : 'en'}` } : {}),
    ...(timeZone ? { [WIRE.timeZoneHeader]: timeZone } : {}),
    ...(userAgent ? { 'user-agent': userAgent } : {}),
  }
}

function bodyOf({ answer, text }: Read): unknown {
  if (!text) return undefined
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}
