/** How a person likes the console to look, remembered in this browser for each person. */
import { useSyncExternalStore } from 'react'
import { session } from '../../session/session.ts'

export interface Preferences {
  /** Open pages as tabs above the page (A4.12): for people who ask for them. */
  tabs: boolean
  theme: 'system' | 'light' | 'dark'
  density: 'comfortable' | 'compact'
}

const DEFAULTS: Preferences = { tabs: false, theme: 'system', density: 'comfortable' }
const listeners = new Set<() => void>()
let read: { username: string; preferences: Preferences } | undefined

const key = (username: string) => `console_preferences_${username}`

/** What this person chose; whatever is missing or not understood is the default. */
export function preferences(): Preferences {
  const { username } = session().profile
  if (read?.username !== username) read = { username, preferences: parse(localStorage.getItem(key(username))) }
  return read.preferences
}

function parse(text: string | null): Preferences {
  let stored: Record<string, unknown> = {}
  try {
    stored = { ...(JSON.parse(text ?? '{}') as object) }
  } catch {
    // Someone else wrote there: the defaults do.
  }
  const { tabs, theme, density } = stored
  return {
    tabs: typeof tabs === 'boolean' ? tabs : DEFAULTS.tabs,
    theme: theme === 'light' || theme === 'dark' ? theme : DEFAULTS.theme,
    density: density === 'compact' ? density : DEFAULTS.density,
  }
}

/** Changes and remembers one or more of them; the page follows at once. */
export function prefer(change: Partial<Preferences>): void {
  const { username } = session().profile
  const next = { ...preferences(), ...change }
  localStorage.setItem(key(username), JSON.stringify(next))
  read = { username, preferences: next }
  for (const listener of listeners) listener()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, preferences)
}

/** Only for tests: reads again what is stored. */
export function forgetPreferences(): void {
  read = undefined
}
