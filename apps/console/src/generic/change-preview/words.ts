import { t } from '../../lib/i18n.ts'
import type { Named } from './change.ts'

/** How many people, in words. */
export const people = (count: number): string => t('{{count|person|people}}', { count })

/** A right in words. */
export const right = ({ person, target, account }: { person: Named; target: Named; account: Named }): string =>
  `${person.name} → ${target.name} (${account.name})`
