import { Agent, fetch } from 'undici'
import { judgedConnector } from '../../../kernel/outbound/judged-lookup.ts'

const ANSWER_MS = 10_000
const MAX_BYTES = 1_048_576

/**
 * The text that a web address of the settings answers. Throws where it does not answer, or with a
 * status from 500 on; redirects are an answer.
 */
export async function reach(
  address: string,
  signal: AbortSignal,
  isVerified = true,
): Promise<{ status: number; text: string }> {
  const agent = new Agent({
    maxResponseSize: MAX_BYTES,
    connect: judgedConnector({ timeout: ANSWER_MS, rejectUnauthorized: isVerified }),
  })
  try {
    const answer = await fetch(address, {
      dispatcher: agent,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    })
    if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`)
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    const { cause } = error as Error
    throw cause instanceof Error ? cause : error
  } finally {
    await agent.destroy()
  }
}
