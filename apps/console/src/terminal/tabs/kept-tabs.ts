/**
 * Which sessions this window had open, kept for when the page is loaded again. The browser forgets
 * it with the window.
 */
import { type Connection, connectionOf } from '../connect/connection.ts'
import { changeTabs, NO_TABS, type Tab, type Tabs } from './tabs.ts'

const MAX_TABS = 100

/** A tab, with the session to go on with; without one its pane says so, and offers to connect. */
export interface KeptTab {
  connection: Connection
  name: string
  sessionId?: string | undefined
  active: boolean
}

/** The tabs, and which of them are beside each other: their numbers in the list, null an empty place. */
interface Kept {
  tabs: KeptTab[]
  split?: (number | null)[] | undefined
}

const placeOf = (userId: string) => `sallyport.terminals.${userId}.${location.pathname}${location.search}`

/** A name for this window that a page loaded again in it still has. */
export function windowName(): string {
  const place = 'sallyport.window'
  let name = sessionStorage.getItem(place)
  if (!name) {
    name = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')
    sessionStorage.setItem(place, name)
  }
  return name
}

export function keepTabs(userId: string, { list, active, split }: Pick<Tabs, 'list' | 'active' | 'split'>): void {
  const goesOn = ({ sessionId, state }: Tab) => sessionId !== undefined && state !== 'disconnected'
  // One that has ended still has its place beside others.
  const shown = list.filter((tab) => goesOn(tab) || split?.includes(tab.id)).slice(0, MAX_TABS)
  const kept: Kept = {
    tabs: shown.map((tab) => ({
      connection: connectionOf(tab),
      name: tab.name,
      sessionId: goesOn(tab) ? tab.sessionId : undefined,
      active: tab.id === active,
    })),
    split: split?.map((id) => {
      const at = shown.findIndex((tab) => tab.id === id)
      return at < 0 ? null : at
    }),
  }
  if (kept.tabs.length) sessionStorage.setItem(placeOf(userId), JSON.stringify(kept))
  else sessionStorage.removeItem(placeOf(userId))
}

/** The person's saved tabs; none when they can't be read. */
export function keptTabs(userId: string): Kept {
  try {
    const kept = JSON.parse(sessionStorage.getItem(placeOf(userId)) ?? '{}') as Partial<Kept>
    const isWhole = kept.tabs?.every((one) => typeof one.connection.targetId === 'string')
    return isWhole && kept.tabs ? { tabs: kept.tabs, split: kept.split } : { tabs: [] }
  } catch {
    return { tabs: [] }
  }
}

/** The terminals that this window had before the page was loaded again. */
export function restoredTabs(userId: string): Tabs {
  const { tabs: kept, split } = keptTabs(userId)
  const tabs = kept.reduce<Tabs>(
    (all, { connection, name, sessionId }) =>
      changeTabs(all, { do: 'open', connection, name, resume: sessionId, isIdle: sessionId === undefined }),
    NO_TABS,
  )
  const active = tabs.list[kept.findIndex((one) => one.active)]?.id ?? tabs.active
  return { ...tabs, active, split: split?.map((at) => (at === null ? undefined : tabs.list[at]?.id)) }
}
