import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request as send } from 'undici'
import { judgedConnector, judgeOutbound } from '../../../kernel/outbound/judged-lookup.ts'
import { CloudError } from './cloud-error.ts'
import { judgeCloud } from './reachable.ts'

const CONNECT_MS = 10_000
/** A call fails when no byte has arrived for this long, */
const SILENCE_MS = 30_000
/** or its answer is not complete after this. */
const ANSWER_MS = 120_000
const MAX_CONNECTIONS = 8
/** A page of a hundred machines is some 500 kB in the wordiest cloud. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const TRIES = 5
const FIRST_PAUSE_MS = 1000

export interface CloudRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string
}

export interface CloudAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
}

export interface TransportOptions {
  /** Where calls are sent instead, with the host that they are for in the header `Host`. */
  relay?: string | undefined
  /** How often a call is made at most. */
  tries?: number
  /** After the first try; twice as long after each further one. */
  firstPauseMs?: number
}

/** Asks a cloud: within limits of time and size, again where it is busy, and nowhere but there. */
export class CloudTransport {
  readonly #relay: string | undefined
  readonly #tries: number
  readonly #firstPauseMs: number
  readonly #dispatcher: Agent

  constructor({ relay, tries = TRIES, firstPauseMs = FIRST_PAUSE_MS }: TransportOptions = {}) {
    this.#relay = relay
    this.#tries = tries
    this.#firstPauseMs = firstPauseMs
    this.#dispatcher = new Agent({
      // A relay is where the host's operator has it.
      connect: judgedConnector({ timeout: CONNECT_MS }, relay === undefined ? judgeCloud : judgeOutbound),
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      connections: MAX_CONNECTIONS,
      keepAliveTimeout: 4000,
    })
  }

  /**
   * Makes a call and reads its answer. Where the cloud is busy or the connection breaks, the call
   * is repeated with a new signature, since signatures hold for one time; every call here only
   * reads.
   * @param read throws what `refusalOf` answers for a refusal
   * @throws CloudError
   */
  async ask<T>(make: () => CloudRequest, read: (answer: CloudAnswer) => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return read(await this.#send(make()))
      } catch (error) {
        const isPassing = error instanceof CloudError && (error.fault === 'busy' || error.fault === 'unreachable')
        if (!isPassing || tries >= this.#tries) throw error
      }
      await pause(this.#firstPauseMs * 2 ** (tries - 1), undefined, { ref: false })
    }
  }

  async #send({ method, url, headers = {}, body }: CloudRequest): Promise<CloudAnswer> {
    const wanted = new URL(url)
    const address = this.#relay ? `${this.#relay}${wanted.pathname}${wanted.search}` : wanted
    try {
      const answer = await send(address, {
        method,
        headers: this.#relay ? { ...headers, host: wanted.host } : headers,
        body: body ?? null,
        dispatcher: this.#dispatcher,
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const text = await limited(answer.body)
      return { status: answer.statusCode, headers: answer.headers, text }
    } catch (error) {
      if (error instanceof CloudError) throw error
      const { cause, code, name } = error as Error & { code?: string }
      if (cause instanceof CloudError) throw cause
      throw new CloudError('unreachable', code ?? name, { cause: error })
    }
  }

  /** Closes its connections. */
  async close(): Promise<void> {
    await this.#dispatcher.close()
  }
}

async function limited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) throw new CloudError('unreadable', 'the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
