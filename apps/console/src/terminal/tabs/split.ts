/**
 * Which tabs are seen beside each other, as a value. A place shows one tab or is empty; the others stay
 * connected and unseen.
 */
/** Places beside each other: two in a row, or two rows of two. */
export const LAYOUTS = [1, 2, 4] as const
export type Layout = (typeof LAYOUTS)[number]

/** Ids of tabs by their places; undefined: an empty place. */
export type Places = readonly (number | undefined)[]

/** As much of the open tabs as matters here. */
interface Splittable {
  list: readonly { id: number }[]
  active: number | undefined
  split?: Places | undefined
  /** The place where the person was last. */
  place?: number | undefined
}

/** Tabs that are seen, by their places; one place shows the active tab. */
export const placesOf = ({ split, active }: Omit<Splittable, 'list'>): Places => split ?? [active]

export const layoutOf = (tabs: Omit<Splittable, 'list'>): Layout => placesOf(tabs).length as Layout

/** So many places: what is seen stays where it is, the active tab above all; other tabs fill what is free. */
export function withLayout<T extends Splittable>(tabs: T, layout: Layout): T {
  if (layout === 1) return { ...tabs, split: undefined }
  const seen = placesOf(tabs).filter((id) => id !== undefined)
  const unseen = tabs.list.map(({ id }) => id).filter((id) => !seen.includes(id))
  const all = [...seen, ...unseen]
  const split = Array.from({ length: layout }, (_, place) => all[place])
  if (!split.includes(tabs.active)) split[layout - 1] = tabs.active
  return { ...tabs, split }
}

/**
 * The places after the tabs have changed: what is gone leaves its place empty, and the active tab is seen, in
 * an empty place, that where the person was before others, or else in that of the one which was active before.
 */
export function settled<T extends Splittable>(tabs: T, before: T): T {
  if (!tabs.split) return tabs
  if (tabs.list.length === 0) return { ...tabs, split: undefined }
  const known = new Set(tabs.list.map(({ id }) => id))
  const places = tabs.split.map((id) => (id !== undefined && known.has(id) ? id : undefined))
  if (tabs.active === undefined || places.includes(tabs.active)) return { ...tabs, split: places }
  const isWanted = tabs.place !== undefined && tabs.place < places.length && places[tabs.place] === undefined
  const empty = isWanted ? Number(tabs.place) : places.indexOf(undefined)
  const at = empty >= 0 ? empty : Math.max(0, places.indexOf(before.active))
  return { ...tabs, split: places.map((id, place) => (place === at ? tabs.active : id)) }
}
