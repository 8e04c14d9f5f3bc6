import { inTime } from '../../kernel/in-time.ts'
import type { Notice } from '../session/notice.ts'
import type { Confirmation, Decision, Guard, Unit, Verdict } from './guard.ts'

/** Nobody waits longer for a judgement, nor for others being asked. */
const ANSWER_MS = 5_000

/** The guard's verdict. Rejected, or thrown, with a fault, which counts as denied, and when it takes too long. */
export function judgeInTime(guard: Guard, unit: Unit, dropped: AbortSignal): Verdict | Promise<Verdict> {
  const verdict = guard.judge(unit, dropped)
  return verdict instanceof Promise ? inTime(verdict, ANSWER_MS, noAnswer) : verdict
}

/** Asks others. Rejected with a fault, which counts as denied, and when that takes too long. */
export function requestInTime(confirmation: Confirmation): Promise<{ told: Notice; decision: Promise<Decision> }> {
  return inTime(confirmation.request(), ANSWER_MS, noAnswer)
}

const noAnswer = () => new Error(`no answer within ${ANSWER_MS} ms`)
