/** How a person likes the console to look, remembered in this browser for each person. */
import { useSyncExternalStore } from 'react'
import { changeSignal } from '../../lib/hooks/shared-value.ts'
import { storedObject } from '../../lib/stored-object.ts'
import { session } from '../../session/session.ts'

export interface Preferences {
  /** Open pages as tabs above the page (A4.12): for people who ask for them. */
  tabs: boolean
  theme: 'system' | 'light' | 'dark'
  density: 'comfortable' | 'compact'
}

const DEFAULTS: Preferences = { tabs: false, theme: 'system', density: 'comfortable' }
const changes = changeSignal()
let read: { username: string; preferences: Preferences } | undefined

const key = (username: string) => `console_preferences_${username}`

/** What this person chose; whatever is missing or not understood is the default. */
export function preferences(): Preferences {
  const { username } = session().profile
  if (read?.username !== username) read = { username, preferences: parse(storedObject(key(username))) }
  return read.preferences
}

function parse({ tabs, theme, density }: Partial<Record<keyof Preferences, unknown>>): Preferences {
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
  changes.notify()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(changes.subscribe, preferences)
}

/** Only for tests: reads again what is stored. */
export function forgetPreferences(): void {
  read = undefined
}
