import { Agent, fetch, type Response } from 'undici'
import { judgedConnector } from '../../kernel/outbound/judged-lookup.ts'

/**
 * Why a text message was not sent: signature or template is wrong, the provider refused, or it did
 * not answer. `message` holds the provider's words, never keys.
 */
export class SmsError extends Error {
  readonly reason: 'template' | 'refused' | 'unreachable'
  constructor(reason: SmsError['reason'], message: string) {
    super(message)
    this.name = 'SmsError'
    this.reason = reason
  }
}

/**
 * Code and message of a refusal, as far as they are words: what answers at a wrong address may send
 * anything.
 */
export function wordsOf(code: unknown, message: unknown): string {
  const words = [code, message].filter((one) => typeof one === 'string' && one !== '')
  return words.length ? words.join(': ') : 'the answer says neither that it was sent nor why not'
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024
/**
 * One more try where there was no answer or the service was down. Not after a time-out: the message
 * may have been sent.
 */
const TRIES = 2

const agent = new Agent({ connect: judgedConnector({ timeout: TIMEOUT_MS }) })

/**
 * POSTs to a provider and answers its JSON, whatever its status. Follows no redirects.
 * @throws SmsError
 */
export async function call(
  url: string,
  { headers, body }: { headers: Record<string, string>; body?: string },
): Promise<object> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: body ?? null,
        redirect: 'error',
        dispatcher: agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (response.status >= 500 && tries < TRIES) {
        await response.body?.cancel()
        continue
      }
      return await readAnswer(response)
    } catch (error) {
      if (error instanceof SmsError) throw error
      const { name, message, cause } = error as Error
      if (name !== 'TimeoutError' && tries < TRIES) continue
      throw new SmsError('unreachable', cause instanceof Error ? cause.message : message)
    }
  }
}

async function readAnswer(response: Response): Promise<object> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > MAX_ANSWER_BYTES) throw new SmsError('unreachable', 'the answer is too long')
    pieces.push(piece)
  }
  try {
    const answer: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'))
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // Told below.
  }
  throw new SmsError('unreachable', `the answer is no JSON object (HTTP ${response.status})`)
}
