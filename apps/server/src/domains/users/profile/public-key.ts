import type { Kernel } from '../../../kernel/kernel.ts'
import type { usersUser } from '../tables.ts'

/** Whether this is the person's key; `given` is its wire form in base64, or a whole line. */
export function isPublicKeyOf(kernel: Kernel, user: typeof usersUser.$inferSelect, given: string): boolean {
  if (!user.public_key_sealed) return false
  const stored = kernel.secrets.open('sign_in', `public key of ${user.id}`)(user.public_key_sealed).split(' ')[1]
  const body = given
    .trim()
    .split(/\s+/)
    .find((part) => part.startsWith('AAAA'))
  return stored !== undefined && stored === body
}
