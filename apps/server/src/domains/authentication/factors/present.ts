import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { findUser } from '../../users/index.ts'
import { offeredFactors } from './index.ts'
import type { MfaType } from './second-factor-kind.ts'

/** A second factor as pages show it. */
export interface ShownFactor {
  type: MfaType
  /** Its name in the caller's language. */
  label: string
  /** Whether this person can use it; true while the person is not known. */
  active: boolean
  /** Number of digits; null where the code has no fixed form or is not typed. */
  digits: number | null
  /** Whether a code must be sent first. */
  sends: boolean
  /** The masked recipient; '' while that is unknown. */
  sent_to: string
}

/**
 * The second factors that this installation offers, and whether this person can use them; without a
 * person for pages before any proof.
 */
export async function shownFactors(kernel: Kernel, language: Language, userId?: string): Promise<ShownFactor[]> {
  const person = userId ? await findUser(kernel.db, { id: userId }) : undefined
  const shown: ShownFactor[] = []
  for (const factor of offeredFactors(kernel)) {
    const active = person ? await factor.isActive(kernel, person) : !userId
    // A factor that is not typed has no place beside name and password, and need not be shown to
    // people who have not set it up.
    if (!factor.isTyped && !(person && active)) continue
    shown.push({
      type: factor.type,
      label: translate(language, factor.label),
      active,
      digits: factor.digits ?? null,
      sends: factor.sendCode !== undefined,
      sent_to: (person && active && factor.sentTo?.(person)) || '',
    })
  }
  return shown
}
