import type { ExplainedStep } from '@sallyport/contract/resources/perms/explanation.ts'
import { signInRules } from '../../domains/acls/index.ts'
import { signInStateOf } from '../../domains/users/index.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AccessQuestion } from './question.ts'
import { asks, passed } from './step.ts'

/**
 * The conditions of the person's sign-in. A session is opened by somebody who has signed in, so that none
 * of them refuses one; but a person who can't sign in opens none.
 */
export async function signInSteps(kernel: Kernel, { user }: AccessQuestion, say: Say): Promise<ExplainedStep[]> {
  // Rules hold in all organizations of the person: who sees them is the same as of their list.
  const [state, rules] = await Promise.all([
    signInStateOf(kernel, user.id),
    user.isShared ? [] : signInRules(kernel.db, user.id),
  ])
  const names = { person: user.name, rules: rules.join(', ') }
  return [
    state?.isBlocked
      ? asks('sign_in', say('{{person}} cannot sign in for now, after too many failed attempts', names))
      : rules.length
        ? asks('sign_in', say('Sign-in rules decide from where and when: {{rules}}', names))
        : passed(
            'sign_in',
            user.isShared
              ? say('Only a system administrator sees the sign-in rules of {{person}}', names)
              : say('No sign-in rule is about {{person}}', names),
          ),
    {
      off: passed('second_factor', say('No second factor is asked for')),
      ready: passed('second_factor', say('A second factor is asked for, and set up')),
      missing: asks('second_factor', say('A second factor is asked for, and is set up at the next sign-in')),
    }[state?.secondFactor ?? 'off'],
  ]
}
