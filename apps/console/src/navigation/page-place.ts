/**
 * Where a page stands, as its own file says it: addresses, titles, rights, and the part of the
 * menu.
 */
import type { MenuEntry } from './menu-entry.ts'

/**
 * The parts of the menus (`menu.ts`): one of the groups, the top of a menu, its
 * bottom, or none.
 */
export type MenuPart =
  | 'admin-top'
  | 'users'
  | 'assets'
  | 'applications'
  | 'accounts'
  | 'perms'
  | 'acl'
  | 'terminal'
  | 'ops'
  | 'audits'
  | 'tickets'
  | 'xpack'
  | 'admin-bottom'
  | 'user-top'
  | 'user-apps'
  | 'user-tickets'
  | 'common'

export interface PagePlace extends MenuEntry {
  /** Route name; names end in List, Create, Update or Detail (B2.01). */
  name: string
  menu: MenuPart
  /** Among the pages of the same part; those without come last. */
  order?: number
}

export type PageKind = 'List' | 'Create' | 'Update' | 'Detail'

interface ResourcePlace extends Pick<PagePlace, 'menu' | 'order' | 'icon' | 'bits' | 'license' | 'removed'> {
  /** Address of the list; the other pages lie below it. */
  path: string
  /**
   * Title of each page that there is, marked with `msg`. The list is in the menu, the others light
   * it up.
   */
  titles: Partial<Record<PageKind, string>>
  /** The menu entry to light up, where it is not the list of this resource. */
  active?: string
  /** See `MenuEntry`; of the list. */
  alsoAt?: PagePlace['alsoAt']
  /** Where a page has another address than the usual one. */
  paths?: Partial<Record<PageKind, string>>
}

const BELOW: Readonly<Record<PageKind, string>> = { List: '', Create: '/create', Update: '/:id/update', Detail: '/:id' }

/**
 * The places of a resource's pages: `resourcePlaces('Label', …)` gives LabelList in the menu,
 * LabelCreate, LabelUpdate and LabelDetail hidden.
 */
export function resourcePlaces(
  base: string,
  { path, titles, active = path, paths = {}, alsoAt, ...shared }: ResourcePlace,
): PagePlace[] {
  const kinds = Object.keys(BELOW) as PageKind[]
  return kinds.flatMap((kind): PagePlace[] => {
    const title = titles[kind]
    if (title === undefined) return []
    const place = { ...shared, title, name: base + kind, path: paths[kind] ?? path + BELOW[kind] }
    return [kind === 'List' ? { ...place, ...(alsoAt ? { alsoAt } : {}) } : { ...place, hidden: true, active }]
  })
}

/** The places of pages that are no resource's. */
export function places(...all: PagePlace[]): PagePlace[] {
  return all
}
