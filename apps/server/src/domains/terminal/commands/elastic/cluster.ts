import { Agent, fetch } from 'undici'
import { judgedConnector } from '../../../../kernel/outbound/judged-lookup.ts'

/** A cluster answers within this (docs/rules/terminal.md#command_storage). */
export const PING_MS = 3_000
const CONNECT_MS = 3_000
const ANSWER_MS = 15_000
const MAX_CONNECTIONS = 8
/** No answer of ours is larger: pages, and what came of a batch. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Why a cluster did not do what it was asked for. */
export type ClusterFault =
  /** No answer, or one that says to ask later. */
  | 'away'
  /** The name and password, or what they may do. */
  | 'denied'
  /** It answers, but some of its data cannot be reached now: its shards are not assigned, or too slow. */
  | 'partial'
  /** Something answers, but it is no Elasticsearch. */
  | 'foreign'
  | 'refused'

export class ClusterError extends Error {
  readonly fault: ClusterFault
  readonly status: number | undefined
  /** @param answer what the cluster answered, such as `403 security_exception` */
  constructor(fault: ClusterFault, answer: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(answer, { cause })
    this.name = 'ClusterError'
    this.fault = fault
    this.status = status
  }
}

export interface ClusterPlace {
  /** Addresses of its nodes, asked one after the other until one answers. */
  hosts: readonly string[]
  username?: string
  password?: string
  ignoreCertificate?: boolean
}

/**
 * The differences between versions: how indices are described, and which words a search may use.
 */
export interface ClusterVersion {
  words: string
  /** Before 7 each document had a type, which is in mappings and in documents. */
  hasTypes: boolean
  hasIndexTemplates: boolean
  ignoresCase: boolean
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: JSON of another program, read field by field
  body: any
}

/**
 * The HTTP of an Elasticsearch 6 to 9 or an OpenSearch, by the few calls that commands need. The vendors' own clients
 * refuse each other's servers and all but one major version.
 */
export class Cluster {
  readonly #place: ClusterPlace
  readonly #agent: Agent
  #version: ClusterVersion | undefined

  constructor(place: ClusterPlace) {
    this.#place = place
    this.#agent = new Agent({
      connect: judgedConnector({ timeout: CONNECT_MS, rejectUnauthorized: !place.ignoreCertificate }),
      connections: MAX_CONNECTIONS,
    })
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  /** Which version it is; asked once. Throws ClusterError. */
  async version(): Promise<ClusterVersion> {
    this.#version ??= versionOf(await this.ask('GET', '/', undefined, { within: PING_MS }))
    return this.#version
  }

  /**
   * What it answers to a call, as JSON. Throws ClusterError unless the status is a good one or among
   * `also`.
   */
  async ask(
    method: 'GET' | 'HEAD' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    { within = ANSWER_MS, also = [] }: { within?: number; also?: readonly number[] } = {},
  ): Promise<Answer> {
    let failure: unknown
    for (const host of this.#place.hosts) {
      try {
        const send = () => this.#send(host, method, path, body, within)
        // A kept connection may be closed by the other end just as it is used. Nothing is done twice by asking twice.
        const answer = await send().catch((error) => (isBrokenOff(error) ? send() : Promise.reject(error)))
        if (answer.status < 300 || also.includes(answer.status)) return answer
        throw refusalOf(answer)
      } catch (error) {
        failure = error
        if (error instanceof ClusterError && error.fault !== 'away') throw error
      }
    }
    throw failure instanceof ClusterError ? failure : new ClusterError('away', 'no answer', { cause: failure })
  }

  async #send(host: string, method: string, path: string, body: unknown, within: number): Promise<Answer> {
    const { username, password = '' } = this.#place
    const response = await fetch(`${host.replace(/\/+$/, '')}${path}`, {
      method,
      dispatcher: this.#agent,
      redirect: 'manual',
      signal: AbortSignal.timeout(within),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? LINES : 'application/json' }),
        ...(username ? { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } : {}),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await bounded(response)
    const answer = { status: response.status, body: method === 'HEAD' ? undefined : parsed(text, response.status) }
    if (answer.status < 300) requireWhole(answer)
    return answer
  }
}

const LINES = 'application/x-ndjson'
const BROKEN_OFF: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Whether a connection that stood ended before the answer. */
const isBrokenOff = (error: unknown) =>
  error instanceof TypeError && BROKEN_OFF.has((error.cause as NodeJS.ErrnoException | undefined)?.code)

async function bounded(response: { body: AsyncIterable<Uint8Array> | null }): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new ClusterError('foreign', 'an answer without end')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parsed(text: string, status: number): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch (cause) {
    // A proxy in between answers in HTML while nobody is behind it.
    throw new ClusterError(status >= 500 ? 'away' : 'foreign', `${status} without JSON`, { status, cause })
  }
}

/** An answer from some of the shards looks like a whole one: what the others hold would seem not to be there. */
function requireWhole({ status, body }: Answer): void {
  const { failed = 0, total = 0 } = body?._shards ?? {}
  if (failed > 0) throw new ClusterError('partial', `${failed} of ${total} shards failed`, { status })
  if (body?.timed_out === true) throw new ClusterError('partial', 'the search was broken off', { status })
}

/** `{"error": {"type", "reason"}, "status"}`, or a text in the place of the object. */
function refusalOf({ status, body }: Answer): ClusterError {
  const error = body?.error
  const kind = typeof error === 'string' ? error : error?.type
  const words = `${status}${kind ? ` ${String(kind).slice(0, 200)}` : ''}`
  if (kind === 'search_phase_execution_exception' && status >= 500)
    return new ClusterError('partial', words, { status })
  if (status === 429 || status >= 500) return new ClusterError('away', words, { status })
  return new ClusterError(status === 401 || status === 403 ? 'denied' : 'refused', words, { status })
}

function versionOf({ body }: Answer): ClusterVersion {
  const number = body?.version?.number
  if (typeof number !== 'string') throw new ClusterError('foreign', 'no version of Elasticsearch')
  const [major = 0, minor = 0] = number.split('.').map(Number)
  const isOpenSearch = body.version.distribution === 'opensearch'
  const isSince = (since: number, of: number) => isOpenSearch || major > since || (major === since && minor >= of)
  return {
    words: `${isOpenSearch ? 'OpenSearch' : 'Elasticsearch'} ${number}`,
    hasTypes: !isSince(7, 0),
    hasIndexTemplates: isSince(7, 8),
    ignoresCase: isSince(7, 10),
  }
}
