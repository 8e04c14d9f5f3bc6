import { hasPermission, PERMISSION } from '@sallyport/contract/access.ts'
import type { PublicSettings } from '../session/session.ts'
import type { Menu } from './menu.ts'
import type { MenuEntry } from './menu-entry.ts'

export interface Viewer {
  role: number
  licensed: boolean
  settings: PublicSettings
}

/** A page that the viewer may open. */
export type PageRoute = MenuEntry & { name: string }

/**
 * The menu and pages a person has: by bits, then hidden condition, then license
 * (docs/rules/roles.md#route_rules). Bits are checked for every entry by itself. A group
 * that ends up empty is left out.
 */
export function allowedEntries(entries: readonly MenuEntry[], viewer: Viewer, groupBits?: number): MenuEntry[] {
  return entries.flatMap((entry): MenuEntry[] => {
    const bits = entry.bits ?? groupBits ?? PERMISSION.admin
    if (!entry.children && !hasPermission(viewer.role, bits)) return []
    const lacksLicense = Boolean(entry.license) && !viewer.licensed
    if (entry.removed?.(viewer.settings) || (lacksLicense && entry.license !== 'toShow')) return []
    const hidden = entry.hidden || lacksLicense
    if (entry.children) {
      const children = allowedEntries(entry.children, viewer, bits)
      return children.some(({ external }) => !external) ? [{ ...entry, hidden, children }] : []
    }
    return [{ ...entry, hidden, bits }]
  })
}

/** Everything the viewer may reach, in menu order. */
export function viewerMenu(menu: Menu, viewer: Viewer): MenuEntry[] {
  const area = hasPermission(viewer.role, PERMISSION.use) ? menu.user : menu.admin
  return allowedEntries([...area, ...menu.common], viewer)
}

/** The pages among the entries, groups unfolded. */
export function pageRoutes(entries: readonly MenuEntry[]): PageRoute[] {
  return entries.flatMap((entry) =>
    entry.children ? pageRoutes(entry.children) : entry.external || !entry.name ? [] : [{ ...entry, name: entry.name }],
  )
}

/**
 * The entries of the sidebar: hidden ones gone, a group with a single visible child collapsed to
 * that child.
 */
export function sidebarEntries(entries: readonly MenuEntry[]): MenuEntry[] {
  return entries.flatMap((entry): MenuEntry[] => {
    if (entry.hidden) return []
    if (!entry.children) return [entry]
    const children = sidebarEntries(entry.children)
    const [only] = children
    if (!only) return []
    if (children.length > 1 || entry.alwaysShow) return [{ ...entry, children }]
    return [entry.icon ? { ...only, icon: entry.icon } : only]
  })
}

/**
 * Redirects of bare group paths (`/users`) to the page that the group names, else to its first page;
 * of a group that is not in the menu (`/tickets`) to its list.
 */
export function groupRedirects(entries: readonly MenuEntry[]): { from: string; to: string }[] {
  const pages = pageRoutes(entries)
  return entries.flatMap(({ path, leadsTo, children }) => {
    const first =
      pages.find((page) => page.path === leadsTo) ??
      children?.find((child) => !child.hidden && !child.external) ??
      children?.find(({ name }) => name?.endsWith('List'))
    return first && first.path !== path ? [{ from: path, to: first.path }] : []
  })
}

/** Redirects of addresses that lists in a tab have of their own, to that tab. */
export function tabRedirects(entries: readonly MenuEntry[]): { from: string; to: string }[] {
  return pageRoutes(entries).flatMap(({ path, alsoAt = {} }) =>
    Object.entries(alsoAt).map(([from, query]) => ({ from, to: query ? `${path}?${query}` : path })),
  )
}

const names = new Map<string, PageRoute>()

/** Makes `routeNamed` and `siblingRoute` answer for these pages. */
export function setRoutes(routes: readonly PageRoute[]): void {
  names.clear()
  for (const route of routes) names.set(route.name, route)
}

/**
 * A page by its route name; undefined when the person has no such page, so that links to it become
 * plain text.
 */
function routeNamed(name: string): PageRoute | undefined {
  return names.get(name)
}

/**
 * The address of a named page with its parameters filled, or undefined when the person has no such
 * page.
 */
export function addressOf(name: string, params: Readonly<Record<string, string>> = {}): string | undefined {
  return routeNamed(name)?.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
}

/**
 * The address of a list that is narrowed to these values; undefined for people without the page,
 * so that the link becomes plain text.
 */
export function listOf(route: string, query: Readonly<Record<string, string>> = {}): string | undefined {
  const address = addressOf(route)
  const text = new URLSearchParams(query).toString()
  return address && (text ? `${address}?${text}` : address)
}

/** `LabelList` → `Label`. */
export function baseName(routeName: string): string {
  return routeName.replace(/(List|Create|Update|Detail)$/, '')
}
