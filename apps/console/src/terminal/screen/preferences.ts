/** Settings of the web terminal, kept in this browser (contract web-terminal, settings). */

import { storedObject } from '../../lib/stored-object.ts'
import { FONT_NAMES, type FontName, THEME_NAMES, type ThemeName } from './theme-names.ts'

export interface Preferences {
  /** Size of terminal letters in px, 5 to 50. */
  fontSize: number
  font: FontName
  theme: ThemeName
  backspaceAsCtrlH: boolean
  /** A selection is on the clipboard at once. */
  copyOnSelect: boolean
  rightClickPaste: boolean
  /** Asks before a text is pasted that the machine would run at once, line by line. */
  confirmPaste: boolean
  /** Folders of the asset tree are read when they are opened, else the whole tree at start. */
  loadTreeAsync: boolean
  /** Clients of RDP of one's own: the whole screen, or a window … */
  rdpFullScreen: boolean
  /** … of this size; `auto` leaves it to the client. */
  rdpSize: RdpSize
}

export const RDP_SIZES = ['auto', '1024x768', '1366x768', '1600x900', '1920x1080'] as const
export type RdpSize = (typeof RDP_SIZES)[number]

export const FONT_SIZE = { min: 5, max: 50, default: 14 } as const
const KEY = 'luna_settings'

/** Settings of a browser in which nothing was chosen. */
export const DEFAULT_PREFERENCES: Preferences = {
  fontSize: FONT_SIZE.default,
  font: 'auto',
  theme: 'dark',
  backspaceAsCtrlH: false,
  copyOnSelect: true,
  rightClickPaste: false,
  confirmPaste: true,
  loadTreeAsync: true,
  rdpFullScreen: false,
  rdpSize: 'auto',
}

type Flag = {
  [Name in keyof Preferences]: Preferences[Name] extends boolean ? Name : never
}[keyof Preferences]

/** The stored settings; anything missing or odd is the default. */
export function readPreferences(): Preferences {
  const stored = storedObject<Record<keyof Preferences, unknown>>(KEY)
  const flag = (name: Flag) => (typeof stored[name] === 'boolean' ? stored[name] : DEFAULT_PREFERENCES[name])
  const size = Number(stored.fontSize)
  return {
    fontSize: size >= FONT_SIZE.min && size <= FONT_SIZE.max ? size : FONT_SIZE.default,
    font: FONT_NAMES.find((one) => one === stored.font) ?? DEFAULT_PREFERENCES.font,
    theme: THEME_NAMES.find((one) => one === stored.theme) ?? DEFAULT_PREFERENCES.theme,
    backspaceAsCtrlH: flag('backspaceAsCtrlH'),
    copyOnSelect: flag('copyOnSelect'),
    rightClickPaste: flag('rightClickPaste'),
    confirmPaste: flag('confirmPaste'),
    loadTreeAsync: flag('loadTreeAsync'),
    rdpFullScreen: flag('rdpFullScreen'),
    rdpSize: RDP_SIZES.find((one) => one === stored.rdpSize) ?? DEFAULT_PREFERENCES.rdpSize,
  }
}

/** The query of an RDP file or link: the size of the desktop, as the settings have it. */
export function wantedRdpSize(): Record<string, string | boolean> {
  const { rdpFullScreen, rdpSize } = readPreferences()
  const [width = '', height] = rdpSize.split('x')
  return { full_screen: rdpFullScreen, ...(height ? { width, height } : {}) }
}

const listeners = new Set<(preferences: Preferences) => void>()

/** Stores the settings, and tells what is open in this page. */
export function writePreferences(preferences: Preferences): void {
  localStorage.setItem(KEY, JSON.stringify(preferences))
  for (const listener of listeners) listener(preferences)
}

/** Calls the listener when settings change, in another window too. Returns a function that ends it. */
export function onPreferences(listener: (preferences: Preferences) => void): () => void {
  const fromElsewhere = ({ key }: StorageEvent) => {
    if (key === KEY) listener(readPreferences())
  }
  listeners.add(listener)
  addEventListener('storage', fromElsewhere)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', fromElsewhere)
  }
}
