import { ACTION_CHOICES } from '@sallyport/contract/actions.ts'
import type { ExplainedStep } from '@sallyport/contract/resources/perms/explanation.ts'
import type { OwnExplanation } from '@sallyport/contract/resources/perms/own-explanation.ts'
import { dayOf, WHY_NOT, type WhyNot, whyNot } from '../../domains/perms/index.ts'
import { type Call, callerOf } from '../../kernel/access/call.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { explainAccess } from './explain-access.ts'
import { type AccessQuestion, readOwnQuestion } from './question.ts'

/**
 * The same explanation for the person that it is about. A permission is theirs if it names them and
 * covers the target. Without one, the answer is that of a target that does not exist.
 * @throws AppError 400 for what cannot be read
 */
export async function explainOwnAccess(kernel: Kernel, call: Call, query: unknown, say: Say): Promise<OwnExplanation> {
  const question = await readOwnQuestion(kernel.db, call, query)
  const kind = question?.application ? { application: question.application } : {}
  if (!question?.systemUser) return { ...refused({ reason: question ? 'account' : 'unknown' }, say), ...kind }
  const { target, systemUser } = question
  const { verdict, steps } = await explainAccess(kernel, question, say)
  const isPermitted = steps.every(({ step, state }) => !OF_PERMISSION.has(step) || state !== 'failed')
  if (!isPermitted) {
    const why = await whyNot(kernel.db, { userId: callerOf(call).id, target, systemUserId: systemUser.id })
    return { ...refused(why, say), ...kind }
  }
  const reasons = steps.flatMap((step) => reasonOf(step, question, say))
  return {
    verdict,
    reasons,
    wants_permission: steps.some(({ step, state }) => step === 'action' && state === 'failed'),
    ...kind,
  }
}

/** Steps that `mayConnect` answers all together. */
const OF_PERMISSION: ReadonlySet<string> = new Set(['person', 'membership', 'target', 'account', 'permission'])

function refused(why: WhyNot, say: Say): OwnExplanation {
  const text = say(WHY_NOT[why.reason], { date: dayOf(why) })
  const isOfTarget = why.reason === 'target' || why.reason === 'protocol'
  return {
    verdict: 'refused',
    reasons: [{ step: isOfTarget ? 'target' : 'permission', state: 'failed', text }],
    wants_permission: !isOfTarget,
  }
}

/** A step in words for the person: neither names of others nor what rules say. */
function reasonOf(
  { step, state, text }: ExplainedStep,
  { action }: AccessQuestion,
  say: Say,
): OwnExplanation['reasons'] {
  if (state === 'passed' || step === 'sign_in' || step === 'second_factor' || step === 'reachable') return []
  const own: Partial<Record<ExplainedStep['step'], string>> = {
    action: say('Your permission does not allow the action: {{action}}', { action: say(ACTION_CHOICES[action]) }),
    secret: say('You are asked for the user name or the password'),
    ...(state === 'asks' ? { review: say('Somebody must confirm the connection') } : {}),
    host_key: say('The machine has shown another host key: an administrator must accept it first'),
  }
  return [{ step, state, text: own[step] ?? text }]
}
