import type { Kernel } from '../../kernel/kernel.ts'
import { registerSmsTesting } from './testing.ts'

export { SmsError } from './provider-call.ts'
export { sendCode } from './send.ts'

/** Text messages (SMS), which carry codes and nothing else. */
export function registerSms(kernel: Kernel): void {
  registerSmsTesting(kernel)
}
