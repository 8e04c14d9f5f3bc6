/**
 * Which sessions this window had open, kept for when the page is loaded again. The browser forgets
 * it with the window.
 */
import { type Connection, connectionOf } from '../connect/connection.ts'
import type { Tabs } from './tabs.ts'

const MAX_TABS = 100

/** A session to go on with. */
export interface KeptTab {
  connection: Connection
  name: string
  sessionId: string
  active: boolean
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

export function keepTabs(userId: string, { list, active }: Pick<Tabs, 'list' | 'active'>): void {
  const kept = list.flatMap(({ sessionId, name, id, state, ...of }) =>
    sessionId && state !== 'disconnected'
      ? [{ connection: connectionOf(of), name, sessionId, active: id === active }]
      : [],
  )
  if (kept.length) sessionStorage.setItem(placeOf(userId), JSON.stringify(kept.slice(0, MAX_TABS)))
  else sessionStorage.removeItem(placeOf(userId))
}

/** The person's saved tabs; nothing when they can't be read. */
export function keptTabs(userId: string): KeptTab[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(placeOf(userId)) ?? '[]')
    return Array.isArray(kept)
      ? kept.filter((one) => typeof one?.sessionId === 'string' && typeof one?.connection?.targetId === 'string')
      : []
  } catch {
    return []
  }
}
