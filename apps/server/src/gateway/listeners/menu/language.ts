import type { Language } from '../../../kernel/i18n/translate.ts'
import type { Person } from '../../session/person.ts'

/** People whose choice is remembered; those who chose longest ago are forgotten first. */
const MAX_REMEMBERED = 10_000
/**
 * What people chose in the menu, by user id, until the process ends (contract/gateway.yaml
 * menu.language).
 */
const chosen = new Map<string, Language>()

export function rememberLanguage(person: Person): void {
  chosen.delete(person.id)
  chosen.set(person.id, person.language)
  const [oldest] = chosen.keys()
  if (chosen.size > MAX_REMEMBERED && oldest !== undefined) chosen.delete(oldest)
}

/** What the person chose earlier wins over what their client says. */
export function recallLanguage(person: Person): void {
  person.language = chosen.get(person.id) ?? person.language
}
