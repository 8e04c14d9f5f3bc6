import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Person } from '../../session/person.ts'

/** People whose choice is kept; the oldest choices are dropped first. */
const MAX_REMEMBERED = 10_000
/**
 * Languages that people chose in the menu, by user id, until the process ends
 * (docs/rules/gateway.md#menu).
 */
const chosen = new Map<string, Language>()

export function rememberLanguage(person: Person): void {
  chosen.delete(person.id)
  chosen.set(person.id, person.language)
  const [oldest] = chosen.keys()
  if (chosen.size > MAX_REMEMBERED && oldest !== undefined) chosen.delete(oldest)
}

/** A person's earlier choice overrides what their client states. */
export function recallLanguage(person: Person): void {
  person.language = chosen.get(person.id) ?? person.language
}
