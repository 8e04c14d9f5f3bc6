/**
 * Observes how a proxy between people and the server changes their requests. A browser and a command
 * do it alike; the server judges the observations.
 */
import * as z from 'zod/mini'
import { WIRE } from './constants.ts'

declare function setTimeout(run: () => void, milliseconds: number): unknown
declare function clearTimeout(timer: unknown): void
declare const performance: { now(): number }

const BASE = '/api/v1/settings/proxy-check/'
/** Only for system administrators and for commands with a token, which send it in `CHECK_TOKEN_HEADER`. */
export const PROXY_CHECK = {
  base: BASE,
  arrival: `${BASE}arrival/`,
  slow: `${BASE}slow/`,
  stream: `${BASE}stream/`,
  body: `${BASE}body/`,
  socket: `${BASE}socket/`,
  findings: `${BASE}findings/`,
}
export const CHECK_TOKEN_HEADER = 'x-proxy-check'
/** Round trip of a cookie. */
export const CHECK_COOKIE = 'proxy_check'

/** Longer than the minute after which most proxies give up. */
export const QUIET_SECONDS = 65
/** The most that the server waits. */
export const MOST_SECONDS = 120
/** More than the megabyte that nginx takes unless told. */
export const BODY_BYTES = 2 * 1024 * 1024
const STREAM_SECONDS = 5
/** What comes so soon after the first piece of an answer came together with it. */
const TOGETHER_MS = 500
/** Beyond the time that an answer takes by itself. */
const PATIENCE_MS = 15_000

/** Claims of a client about itself: addresses that are nobody's (RFC 5737, RFC 2606). */
export const CLAIMED = { address: '203.0.113.113', host: 'claimed.invalid' }

/** Headers of the console's requests that must arrive. */
export const CHECKED_HEADERS: readonly string[] = [WIRE.csrfHeader, WIRE.orgHeader, WIRE.timeZoneHeader].map((name) =>
  name.toLowerCase(),
)

const text = z.string().check(z.maxLength(512))
const duration = z.number().check(z.minimum(0), z.maximum(3600))

/** How a request reached the server. */
const arrival = z.object({
  host: text,
  protocol: text,
  /** Address of the client, as the server believes. */
  address: text,
  /** The other end of the connection. */
  peer: text,
  is_trusted: z.boolean(),
  /** Whether the server itself speaks TLS here. */
  is_encrypted: z.boolean(),
  /** As they came; empty where they did not. */
  forwarded: z.object({ for: text, proto: text, host: text, others: text }),
  /** The cookie of the check that the client sent. */
  cookie: text,
  /** The one that it was given. */
  new_cookie: text,
  missing_headers: z.array(text).check(z.maxLength(20)),
  trusted_proxies: z.array(text).check(z.maxLength(200)),
})
export type Arrival = z.infer<typeof arrival>

export const observed = z.object({
  /** The address at which people open the site: `https://door.example.com`. */
  site: text,
  /** Whether the client says of which page it is, as browsers do: the server judges by that. */
  sends_origin: z.boolean(),
  /** How long the server was asked to wait. */
  seconds: duration,
  arrival: z.nullable(arrival),
  /** Why there is none: a status, or what the network said. */
  why: text,
  /** The second request, which claimed things about itself. */
  claimed: z.nullable(arrival),
  is_cookie_kept: z.boolean(),
  /** Headers of answers that did not come as they were sent. */
  changed_headers: z.array(text).check(z.maxLength(20)),
  /** `is_busy`: too many checks wait at the server. */
  socket: z.object({ opened: z.boolean(), kept: z.boolean(), is_busy: z.boolean(), after: duration }),
  /** `status` 0: the connection broke. */
  slow: z.object({ status: z.number(), after: duration }),
  stream: z.enum(['pieces', 'whole', 'broken']),
  body: z.object({ status: z.number() }),
})
export type Observed = z.infer<typeof observed>

/** As of `fetch`. */
interface Answer {
  status: number
  headers: { get(name: string): string | null }
  text(): Promise<string>
  body: { getReader(): Reader } | null
}
interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}
/** As of `WebSocket`. */
interface Socket {
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: { data?: unknown; code?: number }) => void,
  ): void
  close(): void
}

/** How the one who checks reaches the site. */
export interface ProxyDoor {
  site: string
  sendsOrigin: boolean
  /** Rejects when nothing answers, or not in time; redirects are not followed. */
  fetch(
    path: string,
    options: { method?: string; headers?: Record<string, string>; body?: string; limitMs: number },
  ): Promise<Answer>
  socket(path: string): Socket
}

/** Asks all; takes a little longer than `seconds`. Never rejects. */
export async function observeProxy(door: ProxyDoor, seconds = QUIET_SECONDS): Promise<Observed> {
  const nothing: Observed = {
    site: door.site,
    sends_origin: door.sendsOrigin,
    seconds,
    arrival: null,
    why: '',
    claimed: null,
    is_cookie_kept: false,
    changed_headers: [],
    socket: { opened: false, kept: false, is_busy: false, after: 0 },
    slow: { status: 0, after: 0 },
    stream: 'broken',
    body: { status: 0 },
  }
  try {
    const first = await askArrival(door)
    if (typeof first === 'string') return { ...nothing, why: first }
    const second = await askArrival(door, {
      'x-forwarded-for': CLAIMED.address,
      'x-forwarded-host': CLAIMED.host,
      'x-forwarded-proto': door.site.startsWith('https') ? 'http' : 'https',
    })
    const claimed = typeof second === 'string' ? null : second.arrival
    const [socket, slow, stream, body] = await Promise.all([
      openQuiet(door, seconds),
      askSlow(door, seconds),
      askStream(door),
      sendBody(door),
    ])
    return {
      ...nothing,
      arrival: first.arrival,
      claimed,
      is_cookie_kept: claimed?.cookie === first.arrival.new_cookie,
      changed_headers: first.changed,
      ...{ socket, slow, stream, body },
    }
  } catch (error) {
    return { ...nothing, why: wordsOf(error).slice(0, 512) }
  }
}

/** The arrival of a request, or what answered instead. */
async function askArrival(
  door: ProxyDoor,
  claims: Record<string, string> = {},
): Promise<{ arrival: Arrival; changed: string[] } | string> {
  const headers = { ...Object.fromEntries(CHECKED_HEADERS.map((name) => [name, 'proxy-check'])), ...claims }
  const answer = await door.fetch(PROXY_CHECK.arrival, { headers, limitMs: PATIENCE_MS })
  if (answer.status !== 200) return `HTTP ${answer.status}`
  const body = readJson(await answer.text())
  const read = z.safeParse(arrival, body)
  if (!read.success) return 'HTTP 200, of another server'
  const sent = Object.entries((body as { sent_headers?: Record<string, string> }).sent_headers ?? {})
  return {
    arrival: read.data,
    changed: sent.filter(([name, value]) => answer.headers.get(name) !== value).map(([name]) => name),
  }
}

/** A WebSocket on which nothing is said for so long. */
function openQuiet(door: ProxyDoor, wait: number): Promise<Observed['socket']> {
  const began = performance.now()
  const line = door.socket(`${PROXY_CHECK.socket}?seconds=${wait}`)
  let [opened, kept, is_busy] = [false, false, false]
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      resolve({ opened, kept, is_busy, after: secondsSince(began) })
      line.close()
    }
    const timer = setTimeout(over, wait * 1000 + PATIENCE_MS)
    line.addEventListener('message', ({ data }) => {
      // The server says something at once: some proxies answer the handshake themselves.
      if (data === 'open') opened = true
      if (data !== 'kept') return
      kept = true
      over()
    })
    line.addEventListener('close', ({ code }) => {
      is_busy = code === BUSY_CODE
      over()
    })
    line.addEventListener('error', over)
  })
}

/** An answer that takes so long. */
async function askSlow(door: ProxyDoor, wait: number): Promise<Observed['slow']> {
  const began = performance.now()
  const options = { limitMs: wait * 1000 + PATIENCE_MS }
  const status = await door.fetch(`${PROXY_CHECK.slow}?seconds=${wait}`, options).then(
    async (answer) => {
      await answer.text()
      return answer.status
    },
    () => 0,
  )
  return { status, after: secondsSince(began) }
}

/** An answer whose second piece comes seconds after the first. */
async function askStream(door: ProxyDoor): Promise<Observed['stream']> {
  try {
    const limitMs = STREAM_SECONDS * 1000 + PATIENCE_MS
    const answer = await door.fetch(`${PROXY_CHECK.stream}?seconds=${STREAM_SECONDS}`, { limitMs })
    const reader = answer.body?.getReader()
    if (answer.status !== 200 || !reader) return 'broken'
    const first = await reader.read()
    if (first.done) return 'broken'
    // Neither end nor piece may follow at once.
    const next = await Promise.race([
      reader.read(),
      new Promise<undefined>((go) => setTimeout(() => go(undefined), TOGETHER_MS)),
    ])
    reader.cancel().catch(() => {})
    return next === undefined && !includesEnd(first.value) ? 'pieces' : 'whole'
  } catch {
    return 'broken'
  }
}

/** Close code of a socket for which there is no room (IANA: "Try Again Later"). */
export const BUSY_CODE = 1013

/** The last piece is one byte of this value. */
export const STREAM_END = 0x2e
const includesEnd = (bytes: Uint8Array | undefined) => bytes?.includes(STREAM_END) ?? false

async function sendBody(door: ProxyDoor): Promise<Observed['body']> {
  const body = JSON.stringify({ padding: 'x'.repeat(BODY_BYTES) })
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body, limitMs: 60_000 }
  try {
    const answer = await door.fetch(PROXY_CHECK.body, options)
    const { bytes } = readJson(await answer.text()) as { bytes?: number }
    return { status: answer.status === 200 && bytes !== BODY_BYTES ? 0 : answer.status }
  } catch {
    return { status: 0 }
  }
}

const secondsSince = (began: number) => Math.round((performance.now() - began) / 1000)

function readJson(content: string): unknown {
  try {
    return JSON.parse(content) ?? {}
  } catch {
    return {}
  }
}

function wordsOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message ? cause.message : message
}
