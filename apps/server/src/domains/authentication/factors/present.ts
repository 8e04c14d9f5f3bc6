import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { findUser } from '../../users/index.ts'
import { offeredFactors } from './index.ts'
import type { MfaType } from './second-factor-kind.ts'

/** A way of proving a second factor, as pages show it. */
export interface ShownFactor {
  type: MfaType
  /** Its name in the caller's language. */
  label: string
  /** Whether this person can use it; everybody may while nobody is known. */
  active: boolean
  /** Figures of its codes; null where they have no fixed form, or none are typed. */
  digits: number | null
  /** Whether a code must be asked for first. */
  sends: boolean
  /** Where it is sent, masked; '' while that is not known. */
  sent_to: string
}

/**
 * The ways that this installation offers, with what this person has of them. Without a person:
 * before anybody has proven anything.
 */
export async function shownFactors(kernel: Kernel, language: Language, userId?: string): Promise<ShownFactor[]> {
  const person = userId ? await findUser(kernel.db, { id: userId }) : undefined
  const shown: ShownFactor[] = []
  for (const factor of offeredFactors(kernel)) {
    const active = person ? await factor.isActive(kernel, person) : !userId
    // What is not typed has no place beside name and password, and is no news to people who have
    // none.
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
