import { awaitedLater } from '../../kernel/background.ts'
import { inTime } from '../../kernel/in-time.ts'
import { notice } from '../session/notice.ts'
import type { Asked, Confirmation, Decision, GivenUp, Grounds, Guard, Unit, Verdict } from './guard.ts'
import { judgedTexts } from './judged-texts.ts'

/**
 * Nobody waits longer for a judgement, nor for others being asked: whatever a guard waits for in
 * its turn, such as rules or a ticket, has no limit of its own.
 */
const ANSWER_MS = 5_000

/** Limit of the texts that are judged for one input. */
const TEXTS_MAX = 256

/** Input of which several texts may be what runs. */
export type Units = Omit<Unit, 'text'> & { texts: readonly (string | undefined)[] }

/**
 * A statement and what a server may read it as, of which others are asked about what is sent. Without `readings` they
 * are too many.
 */
export function unitsOf(
  sent: string,
  readings: readonly string[] | undefined,
  isCut: boolean,
): Omit<Units, 'texts'> & { texts: readonly string[] } {
  const texts = readings?.length ? [sent, ...readings] : [sent]
  if (texts.length <= TEXTS_MAX) return { texts, isCut: isCut || !readings, sent }
  return { texts: texts.slice(0, TEXTS_MAX), isCut: true, sent }
}

/**
 * The strictest of the guard's verdicts; at once where they are there at once. Others' approval
 * counts only as long as nothing else is said of any of the texts by then. Rejected, or thrown, with
 * a fault, which counts as denied, and when it takes longer than five seconds.
 */
export function judgeInTime(guard: Guard, units: Units, dropped: AbortSignal): Verdict | Promise<Verdict> {
  const verdict = judgeNow(guard, units, dropped)
  if (!(verdict instanceof Promise)) return lasting(verdict, guard, units, dropped)
  return verdict.then((one) => lasting(one, guard, units, dropped))
}

/** Asks others. Rejected with a fault, which counts as denied, and when that takes too long. */
export function requestInTime(confirmation: Confirmation, dropped: AbortController): Promise<Asked> {
  const asking = confirmation.request()
  return inTime(asking, ANSWER_MS, noAnswer).catch((error) => {
    // A ticket that is opened after all has nobody who waits for it.
    asking.then(
      () => dropped.abort('fault' satisfies GivenUp),
      () => {},
    )
    throw error
  })
}

function judgeNow(guard: Guard, { texts, ...unit }: Units, dropped: AbortSignal): Verdict | Promise<Verdict> {
  const verdict = judgedTexts(texts, (text) => guard.judge({ ...unit, text }, dropped))
  return verdict instanceof Promise ? inTime(verdict, ANSWER_MS, noAnswer) : verdict
}

function lasting(verdict: Verdict, guard: Guard, units: Units, dropped: AbortSignal): Verdict {
  if (verdict.action !== 'confirm') return verdict
  const request = async () => {
    const asked = await verdict.request()
    return {
      ...asked,
      decision: awaitedLater(asked.decision.then((decision) => judgedAgain(decision, guard, units, dropped))),
    }
  }
  return { ...verdict, request }
}

/** Rules may have changed while others were asked: what they approved is judged by those of now. */
async function judgedAgain(approval: Decision, guard: Guard, units: Units, dropped: AbortSignal): Promise<Decision> {
  if (approval.action === 'deny' || dropped.aborted) return approval
  if (guard.refresh) await inTime(guard.refresh(), ANSWER_MS, noAnswer)
  const verdict = await judgeNow(guard, units, dropped)
  if (verdict.action === 'deny') return { ...verdict, grounds: withTicket(verdict.grounds, approval.grounds) }
  const isOther = verdict.action === 'confirm' && verdict.grounds?.rule !== approval.grounds?.rule
  return isOther ? { action: 'deny', why: OTHER_RULE, grounds: approval.grounds } : approval
}

const withTicket = (of: Grounds | undefined, approved: Grounds | undefined) => of && { ...of, ticket: approved?.ticket }

/** Why an approval is of no use. */
export const OTHER_RULE = notice(
  'denied',
  'Another rule has this command confirmed meanwhile, so it was not run: send the command again',
  {},
  'urgent',
)

const noAnswer = () => new Error(`no answer within ${ANSWER_MS} ms`)
