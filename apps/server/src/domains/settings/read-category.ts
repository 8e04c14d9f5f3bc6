import type { Fields } from '@sallyport/contract/define.ts'
import { SETTING_CATEGORIES, type SettingCategory, type Settings } from '@sallyport/contract/settings/index.ts'
import type { Language } from '../../kernel/i18n/translate.ts'
import { definitionOf, readSettings } from './reading.ts'

/**
 * Reads settings of a category that are sent along with a test, as they would be stored; ignores
 * anything else in the body.
 */
export function readCategory(category: SettingCategory, body: unknown, before: Settings, language: Language) {
  const fields: Fields = SETTING_CATEGORIES[category]
  const sent =
    typeof body === 'object' && body !== null
      ? Object.entries(body).filter(([name]) => Object.hasOwn(fields, name))
      : []
  return readSettings(definitionOf(category, fields), Object.fromEntries(sent), before, language)
}
