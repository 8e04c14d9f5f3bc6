import { PERMISSION } from '@sallyport/contract/access.ts'
import { type PageKind, type PagePlace, places, resourcePlaces } from '../../../navigation/page-place.ts'

/** The places of further directories, providers or servers: reached from the settings, not from the menu. */
export function furtherPlaces(base: string, path: string, titles: Readonly<Record<PageKind, string>>): PagePlace[] {
  const shared = { menu: 'admin-bottom', bits: PERMISSION.super, path, active: '/settings' } as const
  const { List, ...others } = titles
  return [
    ...places({ ...shared, name: `${base}List`, title: List, hidden: true }),
    ...resourcePlaces(base, { ...shared, titles: others }),
  ]
}
