import type { PublicSettings } from '../session/session.ts'

/** A page or a group of pages in the menu (docs/rules/console.md#menu). */
export interface MenuEntry {
  title: string
  /** Route below /ui, or an outside address when `external`. */
  path: string
  /** Route name; names end in List, Create, Update or Detail (B2.01). Groups have none. */
  name?: string
  icon?: string
  /** All of these bits are needed; a child without them takes its group's. */
  bits?: number
  /** Not in the menu, but reachable. */
  hidden?: boolean
  /** Needs a valid license; `toShow`: to be in the menu, while its address is reached without. */
  license?: boolean | 'toShow'
  /** A group with one visible child stays a group. */
  alwaysShow?: boolean
  /** Where a group's own address leads, while the person has that page; its first page otherwise. */
  leadsTo?: string
  /**
   * Other addresses that lead to this page, each with what it asks for there: of a list that is one
   * of the page's tabs.
   */
  alsoAt?: Readonly<Record<string, string>>
  /** Opens in a new browser tab. */
  external?: boolean
  /** The menu entry to light up while this page is open. */
  active?: string
  /** Takes the route away altogether. */
  removed?: (settings: PublicSettings) => boolean
  /** Drawn without sidebar and top bar. */
  bare?: boolean
  /** Its tab is always open. */
  affix?: boolean
  /** False draws the page again each time its tab is chosen; forms are by themselves. */
  cache?: boolean
  children?: readonly MenuEntry[]
}
