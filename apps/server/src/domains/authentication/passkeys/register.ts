import type { Kernel } from '../../../kernel/kernel.ts'
import { registerOwnPasskeys } from './own-passkeys.ts'
import { registerPasskeyFactor } from './prove-factor.ts'
import { registerPasskeySignIn } from './sign-in.ts'

/**
 * Passkeys (WebAuthn): a person's own ones, as a second factor, and instead of name and password.
 */
export function registerPasskeys(kernel: Kernel): void {
  registerOwnPasskeys(kernel)
  registerPasskeyFactor(kernel)
  registerPasskeySignIn(kernel)
}
