import type { Kernel } from '../../../kernel/kernel.ts'
import { onAccountEvent } from '../../users/index.ts'
import { registerForgottenPassword } from './forgotten.ts'
import { mailAboutAccount } from './mail.ts'
import { scheduleReminders } from './reminder.ts'
import { registerPasswordResetBySms } from './sms.ts'

/** Links to a new password for people who have none yet or forgot theirs, and the mails about that. */
export function registerPasswordReset(kernel: Kernel): void {
  registerForgottenPassword(kernel)
  registerPasswordResetBySms(kernel)
  scheduleReminders(kernel)
  onAccountEvent(kernel, ({ kind, user, language }) => mailAboutAccount(kernel, kind, user, language))
}
