import { Agent, fetch } from 'undici'
import { judgedConnector } from '../../../kernel/outbound/judged-lookup.ts'
import { ChatError } from './chat.ts'

/** Time for one call with its answer. */
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 262_144

const agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES, connect: judgedConnector({ timeout: TIMEOUT_MS }) })

/**
 * One call with its answer, as text: a POST of a JSON body, else a GET. Throws `ChatError` where none
 * comes, and where the service says that it is busy or out of order.
 */
export async function call(
  url: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<{ status: number; text: string }> {
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body ? { 'content-type': 'application/json; charset=utf-8' } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // No redirects: they could lead to addresses that nobody named.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      dispatcher: agent,
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw new ChatError('no answer', { isTemporary: true, cause: error })
  }
  if (status === 429) throw new ChatError('too many messages (429)', { isTemporary: true, answered: true })
  if (status >= 500) throw new ChatError(`an answer with the status ${status}`, { isTemporary: true })
  return { status, text }
}
