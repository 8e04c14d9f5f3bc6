import type { Kernel } from '../../kernel/kernel.ts'
import { judgeInTime } from '../guard/ask-guard.ts'
import type { Decision, Grounds, Guard } from '../guard/guard.ts'
import { UNJUDGED } from '../guard/input-gate.ts'
import type { Kind, SessionOpening } from '../kinds/index.ts'
import { plainCommand } from '../kinds/terminal/commands/plain-commands.ts'
import { confirmWith } from '../kinds/terminal/confirmation-dialogue.ts'
import { NOT_ALLOWED } from '../kinds/terminal/session-input.ts'
import { type BeginCommand, DENIED_RISK } from '../session/command-log.ts'
import { wordsOf } from '../session/notice.ts'
import { SessionRefusal } from '../session/refusal.ts'

/** Longest command line that can be judged, in characters: all that a command by SSH may have. */
const LINE_MAX = 256 * 1024

/**
 * Judges the command line of a program before anything of it is started, and waits for others where
 * they are to be asked. Answers the rule that had a part in it. Throws SessionRefusal when it may
 * not run, which has its row then, and the signal's reason when nobody waits any more.
 */
export async function judgeProgram<K extends Kind>(
  kernel: Kernel,
  opening: SessionOpening<K>,
  guard: Guard,
  begin: BeginCommand,
): Promise<Grounds | undefined> {
  const command = commandOf(opening)
  if (command === undefined || !guard.applies) return undefined
  const noteNotRun = (grounds: Grounds | undefined) =>
    begin({ ...plainCommand(command, opening.now()), risk: DENIED_RISK, grounds })('')
  const decision = await decisionOn(kernel, opening, guard, command, noteNotRun)
  if (decision.action === 'allow') {
    opening.signal.throwIfAborted()
    return decision.grounds
  }
  const { why, grounds } = decision
  // A withdrawn one has its row.
  if (why.code !== 'withdrawn') noteNotRun(grounds)
  opening.signal.throwIfAborted()
  throw new SessionRefusal(why.text, why.values, NOT_ALLOWED)
}

function commandOf(opening: SessionOpening<Kind>): string | undefined {
  return 'program' in opening ? opening.program.command?.toString() : undefined
}

async function decisionOn<K extends Kind>(
  kernel: Kernel,
  { dialogue, person, signal }: SessionOpening<K>,
  guard: Guard,
  command: string,
  onWithdrawn: (grounds: Grounds | undefined) => void,
): Promise<Decision> {
  signal.throwIfAborted()
  const dropped = new AbortController()
  signal.addEventListener('abort', () => dropped.abort(), { once: true })
  const { language } = person
  try {
    const units = { texts: [command.slice(0, LINE_MAX)], isCut: command.length > LINE_MAX, isProgram: true }
    const verdict = await judgeInTime(guard, units, dropped.signal)
    if (verdict.action !== 'confirm') return verdict
    const tell = (what: Parameters<typeof wordsOf>[0]) => dialogue.tell?.(wordsOf(what, language))
    return await confirmWith(dialogue, verdict, { language, dropped, tell, onWithdrawn })
  } catch (error) {
    kernel.app.log.error({ err: error }, 'the guard failed')
    return UNJUDGED
  }
}
