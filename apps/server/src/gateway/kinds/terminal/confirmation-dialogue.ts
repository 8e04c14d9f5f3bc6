import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import { requestInTime } from '../../guard/ask-guard.ts'
import type { Confirmation, Decision, Grounds } from '../../guard/guard.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import { type Notice, notice, wordsOf } from '../../session/notice.ts'

const YES: ReadonlySet<string> = new Set(['', 'y', 'yes'])

/** The person did not want to wait: nobody has denied anything. */
const WITHDRAWN = notice('withdrawn', 'The command was withdrawn and is not run', {}, 'urgent')

export interface Asking {
  language: Language
  /** Aborted when the question is given up: by the person here, or by the session, which ends. */
  dropped: AbortController
  tell(what: Notice): void
  /** Called as soon as anybody gives up, with what is known by then. */
  onWithdrawn(grounds: Grounds | undefined): void
}

/**
 * Asks the person whether others are to be asked, then waits with them for what those decide
 * (docs/rules/gateway.md#command_filter). Where nobody reads or types, it is only shown.
 */
export async function confirmWith(dialogue: Dialogue, confirmation: Confirmation, asking: Asking): Promise<Decision> {
  const { dropped, onWithdrawn } = asking
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<Decision>()
  let { grounds } = confirmation
  const drop = () => {
    onWithdrawn(grounds)
    giveUp({ action: 'deny', why: WITHDRAWN, grounds })
  }
  if (dropped.signal.aborted) drop()
  else dropped.signal.addEventListener('abort', drop, { once: true })
  const asked = (known: Grounds | undefined) => {
    grounds = known
  }
  try {
    return await Promise.race([decisionWith(dialogue, confirmation, asking, asked), givenUp])
  } finally {
    dropped.signal.removeEventListener('abort', drop)
  }
}

async function decisionWith(
  dialogue: Dialogue,
  confirmation: Confirmation,
  { language, dropped, tell }: Asking,
  asked: (grounds: Grounds | undefined) => void,
): Promise<Decision> {
  if (dialogue.wait) {
    const asks = `${yellow(wordsOf(confirmation.asks, language))} ${translate(language, 'Go on?')} [Y/n] `
    const answer = await dialogue.ask(`\n${asks}`, { echo: true })
    if (!YES.has(answer?.trim().toLowerCase() ?? 'n')) dropped.abort()
  }
  dropped.signal.throwIfAborted()
  const { message, grounds, decision } = await requestInTime(confirmation, dropped)
  asked(grounds)
  if (!dialogue.wait) {
    if (!dropped.signal.aborted) tell(message)
    return decision
  }
  const isOver = new AbortController()
  const over = () => isOver.abort()
  void decision.then(over, over)
  dropped.signal.addEventListener('abort', over)
  const waiting = translate(language, 'Waiting for the confirmation, Ctrl-C to withdraw')
  const how = await dialogue.wait(yellow(wordsOf(message, language)), waiting, isOver.signal)
  if (how === 'left') dropped.abort()
  const made = await decision
  if (made.action === 'allow' && made.approval && !dropped.signal.aborted)
    dialogue.say?.(yellow(wordsOf(made.approval, language)))
  return made
}

const yellow = (text: string) => `\x1b[33m${text.replaceAll('\n', '\r\n')}\x1b[0m`
