import { Agent, request } from 'undici'
import { isLoopback } from '../../../kernel/outbound/closed-addresses.ts'
import { type Judge, judgedConnector } from '../../../kernel/outbound/judged-lookup.ts'
import type { TargetAddresses } from '../../../kernel/outbound/target-addresses.ts'
import { pause } from '../../../kernel/pause.ts'

/** Answers of stores are much smaller. */
const MAX_ANSWER_BYTES = 131_072
const TRIES = 3
const PAUSE_MS = 150
/** A store that starts, is too busy, or changes its leader. */
const PASSES = new Set([429, 500, 502, 503, 504])

/** Why a store gave nothing: a code for words (`fetch-secret.ts`), and what is safe to log. */
export class SourceFailure extends Error {
  readonly code: 'silent' | 'redirect' | 'unreadable' | 'sign_in' | 'denied' | 'absent' | 'field' | 'status'
  readonly status: number
  constructor(code: SourceFailure['code'], { status = 0, cause }: { status?: number; cause?: unknown } = {}) {
    super(`a secret source: ${code}${status ? ` (${status})` : ''}`, { cause })
    this.name = 'SourceFailure'
    this.code = code
    this.status = status
  }
}

export interface Answer {
  status: number
  body: unknown
}

/** Questions to one store within one time limit. To be closed. */
export interface Conversation {
  ask(path: string, options?: { headers?: Record<string, string>; json?: unknown }): Promise<Answer>
  close(): void
}

interface Store {
  address: string
  ca_certificate: string
  timeout: number
}

/**
 * Administrators of organizations name these places, so their addresses are judged as those of
 * targets. Redirects are not followed: what signs in is for this place alone. In clear it goes to
 * this machine and nowhere else.
 */
export function converse({ address, ca_certificate, timeout }: Store, addresses: TargetAddresses): Conversation {
  const base = new URL(address)
  const isTls = base.protocol === 'https:'
  const signal = AbortSignal.timeout(timeout * 1000)
  const judge: Judge = (found) =>
    addresses.judge(found, Number(base.port) || (isTls ? 443 : 80)) ??
    (isTls || isLoopback(found) ? undefined : new Error(`secrets go to ${found} by https alone`))
  const agent = new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: timeout * 1000,
    bodyTimeout: timeout * 1000,
    connect: judgedConnector(
      { timeout: timeout * 1000, ...(ca_certificate ? { ca: ca_certificate } : {}) },
      judge,
    ) as never,
  })
  const origin = `${base.origin}${base.pathname.replace(/\/$/, '')}`
  return {
    ask: async (path, { headers = {}, json } = {}) => {
      for (let n = 1; ; n++) {
        const answer = await once(`${origin}/${path}`, { headers, json, agent, signal })
        if (n === TRIES || !PASSES.has(answer.status)) return answer
        await pause(PAUSE_MS * n, signal)
      }
    },
    close: () => void agent.destroy().catch(() => {}),
  }
}

interface Question {
  headers: Record<string, string>
  json: unknown
  agent: Agent
  signal: AbortSignal
}

async function once(url: string, { headers, json, agent, signal }: Question): Promise<Answer> {
  const bytes: Buffer[] = []
  try {
    const { statusCode: status, body } = await request(url, {
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': 'Sallyport',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      dispatcher: agent,
      signal,
    }).catch((cause) => {
      throw new SourceFailure('silent', { cause })
    })
    if (status >= 300 && status < 400) {
      // Its end by this is an error of its stream, which nobody else waits for.
      body.once('error', () => {}).destroy()
      throw new SourceFailure('redirect', { status })
    }
    let size = 0
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes.push(chunk)
        size += chunk.length
        if (size > MAX_ANSWER_BYTES) throw new SourceFailure('unreadable')
      }
    } catch (cause) {
      const isTooLong = (cause as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
      throw cause instanceof SourceFailure ? cause : new SourceFailure(isTooLong ? 'unreadable' : 'silent', { cause })
    }
    return { status, body: parsed(status, bytes) }
  } finally {
    // Text that was made of them stays until it is collected; the bytes need not.
    for (const chunk of bytes) chunk.fill(0)
  }
}

/** The errors of JSON.parse quote the text, which may be the secret: they go nowhere. */
function parsed(status: number, bytes: readonly Buffer[]): unknown {
  if (!bytes.length) return undefined
  const joined = Buffer.concat(bytes)
  try {
    return JSON.parse(joined.toString())
  } catch {
    if (status >= 400) return undefined
    throw new SourceFailure('unreadable')
  } finally {
    joined.fill(0)
  }
}
