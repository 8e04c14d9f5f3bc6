import { t } from '../../lib/i18n.ts'
import type { SearchOption } from '../view/list-view.ts'
import { kindOf, type RemoteChoice, type RemoteField } from '../view/metadata.ts'

/** A filter the box offers. */
export interface SearchField {
  name: string
  label: string
  choices?: readonly RemoteChoice[]
}

/**
 * Fields that the metadata lets filter, and the page's own. Booleans and choices bring their
 * values, others take typed text.
 */
export function searchFields(
  fields: Readonly<Record<string, RemoteField>>,
  hide: readonly string[] = [],
  extra: readonly SearchOption[] = [],
): SearchField[] {
  const own = extra.map((option) => ({ ...option, label: t(option.label) }))
  const taken = new Set([...hide, ...own.map(({ name }) => name)])
  const offered = Object.entries(fields).flatMap(([name, field]): SearchField[] => {
    if (!field.filter || taken.has(name)) return []
    if (kindOf(field) === 'boolean')
      return [
        {
          name,
          label: field.label,
          choices: [
            { value: 'true', display_name: t('Yes') },
            { value: 'false', display_name: t('No') },
          ],
        },
      ]
    return [field.choices?.length ? { name, label: field.label, choices: field.choices } : { name, label: field.label }]
  })
  return [...offered, ...own]
}
