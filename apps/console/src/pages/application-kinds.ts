import {
  APPLICATION_TYPES,
  type ApplicationType,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import type { CreateKind } from '../generic/view/list-view.ts'
import { msg } from '../lib/i18n.ts'
import { licenseValid } from '../session/session.ts'

/** Heading that types are under when one is chosen (docs/rules/applications.md#pages). */
function groupOf(type: ApplicationType): string {
  const { category } = APPLICATION_TYPES[type]
  if (category === 'db') return type === 'redis' ? msg('NoSQL') : msg('Relational database')
  return category === 'cloud' ? msg('Cloud') : msg('Remote app')
}

/**
 * Types that a new application, or what is about one, can be of: those that need a license while there is one.
 */
export function kindsOf(types: readonly ApplicationType[]): readonly CreateKind[] {
  return types
    .filter((type) => !applicationType(type)?.needsLicense || licenseValid())
    .map((type) => ({
      name: type,
      // The others are names of products.
      title: type === 'custom' ? msg('Custom') : APPLICATION_TYPES[type].label,
      group: groupOf(type),
      query: { category: APPLICATION_TYPES[type].category, type },
    }))
}
