import { randomUUID } from 'node:crypto'
import {
  checkSecondFactor,
  type MfaType,
  type ProvenSignIn,
  type SignInClient,
  sendFactorCode,
  typedChoices,
} from '../../../domains/authentication/index.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

/** Asks one question below a heading; undefined when the client gave up or was asked too often. */
type Ask = (heading: string, prompt: string) => Promise<string | undefined>

/**
 * Has somebody prove a second factor by one of `choices`; `refusal` is said above the first
 * question. Answers `proven`, else what to tell the person, '' for nothing.
 */
export type SecondFactor = (
  proven: ProvenSignIn,
  choices: readonly MfaType[],
  refusal: string,
  ask: Ask,
) => Promise<string>

/**
 * The second factor of one connection (docs/rules/gateway.md#second_factor):
 * asks which way, where there are several, sends a code where the way needs one, and asks for the
 * code. What was chosen and sent stays so for the next try.
 */
export function secondFactorOver(kernel: Kernel, signInClient: SignInClient, address: string): SecondFactor {
  /** Codes that are sent are valid on this connection alone. */
  const holder = randomUUID()
  let chosen: MfaType | undefined
  let isSent = false
  return async (proven, choices, refusal, ask) => {
    const user = { id: proven.user_id, username: proven.username }
    const ways = typedChoices(choices)
    let heading = refusal
    for (;;) {
      if (!chosen || !ways.includes(chosen)) {
        const answer = ways.length > 1 ? await ask(listed(heading, ways), 'Option> ') : '1'
        if (answer === undefined) return ''
        heading = ''
        chosen =
          ways[Number(answer.trim()) - 1] ?? ways.find((way) => way.toUpperCase() === answer.trim().toUpperCase())
        if (!chosen) continue
      }
      const fault = await send(user, chosen)
      if (fault && ways.length > 1 && !isSent) {
        // Another kind may work.
        chosen = undefined
        heading = fault
        continue
      }
      const code = await ask(fault && !isSent ? fault : heading, `${chosen.toUpperCase()} Code: `)
      if (code === undefined) return ''
      // An empty answer does not count as an attempt: it has another code sent.
      if (!code.trim()) continue
      const refused = await checkSecondFactor(kernel, signInClient, {
        user,
        factor: chosen,
        code: code.trim(),
        holder,
        address,
        type: 'T',
      })
      return refused ? refused.message : 'proven'
    }
  }

  /**
   * Why no code could be sent; undefined when one was sent, or this kind needs none. A code that
   * was sent on this connection stays valid for its minute.
   */
  async function send(user: { id: string; username: string }, type: MfaType): Promise<string | undefined> {
    try {
      await sendFactorCode(kernel, signInClient.language, user, type, holder)
      isSent = true
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return translate(signInClient.language, error.message)
    }
  }
}

const listed = (heading: string, ways: readonly MfaType[]): string =>
  [...(heading ? [heading] : []), ...ways.map((way, at) => `${at + 1}. ${way.toUpperCase()}`)].join('\n')
