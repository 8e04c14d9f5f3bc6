import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Confirmation, Decision } from '../../guard/guard.ts'
import { requestInTime } from '../../guard/in-time.ts'
import type { Denial } from '../../guard/input-gate.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'

const YES: ReadonlySet<string> = new Set(['', 'y', 'yes'])

/** The person did not want to wait: nobody has denied anything. */
export const WITHDRAWN: Denial = {
  action: 'deny',
  why: notice('withdrawn', 'The command was withdrawn and is not run', {}, 'urgent'),
}

/**
 * Asks the person whether others are to be asked, then waits with them for what those decide
 * (contract/gateway.yaml command_filter.confirm). Where nobody reads or types, they are only told.
 */
export async function confirmWith(
  dialogue: Dialogue,
  confirmation: Confirmation,
  { language, dropped, tell }: { language: Language; dropped: AbortController; tell(what: Notice): void },
): Promise<Decision> {
  if (!dialogue.wait) {
    const { told, decision } = await requestInTime(confirmation)
    if (!dropped.signal.aborted) tell(told)
    return decision
  }
  const asks = `${yellow(wordsOf(confirmation.asks, language))} ${translate(language, 'Go on?')} [Y/n] `
  const answer = await dialogue.ask(`\n${asks}`, { echo: true })
  if (dropped.signal.aborted || !YES.has(answer?.trim().toLowerCase() ?? 'n')) return withdrawn(dropped)
  const { told, decision } = await requestInTime(confirmation)
  const isOver = new AbortController()
  const over = () => isOver.abort()
  void decision.then(over, over)
  dropped.signal.addEventListener('abort', over)
  const waiting = translate(language, 'Waiting for the confirmation, Ctrl-C to withdraw')
  const how = await dialogue.wait(yellow(wordsOf(told, language)), waiting, isOver.signal)
  return how === 'left' ? withdrawn(dropped) : decision
}

function withdrawn(dropped: AbortController): Denial {
  dropped.abort()
  return WITHDRAWN
}

const yellow = (text: string) => `\x1b[33m${text.replaceAll('\n', '\r\n')}\x1b[0m`
