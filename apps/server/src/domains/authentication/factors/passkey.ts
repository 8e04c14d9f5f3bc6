import { eq } from 'drizzle-orm'
import { authenticationPasskey } from '../tables.ts'
import type { SecondFactor } from './second-factor-kind.ts'

/**
 * Passkeys (WebAuthn). Browsers send their answers to calls of their own, never as a typed code.
 */
export const passkey: SecondFactor = {
  type: 'passkey',
  label: 'Passkey',
  isTyped: false,
  isOffered: () => true,
  isActive: async ({ db }, { id }) =>
    (await db.$count(authenticationPasskey, eq(authenticationPasskey.user_id, id))) > 0,
  takeCode: async () => false,
}
