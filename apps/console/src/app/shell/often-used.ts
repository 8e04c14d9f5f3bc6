/**
 * Which pages of the menu somebody comes to most, kept in this browser. What was used long ago counts
 * less and less.
 */

import { storedObject } from '../../lib/stored-object.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'

/** Going to and fro is one use. */
const ONE_USE_MS = 15 * 60_000
/** Fewer are no habit yet. */
const HABIT = 4
const SHOWN = 4
/** From so many on, all count half: newer habits get ahead of older ones. */
const MANY = 80

interface Use {
  count: number
  /** The time of the last use that counted; milliseconds since 1970. */
  at: number
}

const keyOf = (username: string) => `oftenUsed_${username}`

/** Counts a visit of a page. @param path of its entry in the menu */
export function noteVisit(username: string, path: string, now = Date.now()): void {
  const uses = usesOf(username)
  const before = uses[path] ?? { count: 0, at: 0 }
  if (now - before.at < ONE_USE_MS) return
  uses[path] = { count: before.count + 1, at: now }
  const total = Object.values(uses).reduce((sum, { count }) => sum + count, 0)
  if (total > MANY)
    for (const [page, { count, at }] of Object.entries(uses)) {
      if (count < 2) delete uses[page]
      else uses[page] = { count: count / 2, at }
    }
  localStorage.setItem(keyOf(username), JSON.stringify(uses))
}

/**
 * The few pages inside groups that somebody comes to most, in the order of the menu, so that they
 * seldom change places.
 */
export function oftenUsed(username: string, entries: readonly MenuEntry[]): MenuEntry[] {
  const uses = usesOf(username)
  const countOf = ({ path }: MenuEntry) => uses[path]?.count ?? 0
  const pages = entries.flatMap(({ children = [] }) => children).filter((page) => countOf(page) >= HABIT)
  const most = new Set(pages.toSorted((one, other) => countOf(other) - countOf(one)).slice(0, SHOWN))
  return pages.filter((page) => most.has(page))
}

function usesOf(username: string): Record<string, Use> {
  const stored = storedObject<Record<string, Use>>(keyOf(username))
  return Object.fromEntries(
    Object.entries(stored).flatMap(([path, use]) =>
      typeof use?.count === 'number' && typeof use.at === 'number' ? [[path, use]] : [],
    ),
  )
}
