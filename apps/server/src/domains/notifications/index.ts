import type { Kernel } from '../../kernel/kernel.ts'
import { registerMailWork } from './mail.ts'
import { registerMailTesting } from './mail-testing.ts'

export { canSendMail, sendMail, siteName } from './mail.ts'

/** Messages to people. */
export function registerNotifications(kernel: Kernel): void {
  registerMailWork(kernel)
  registerMailTesting(kernel)
}
