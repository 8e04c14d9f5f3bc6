/** Settings of the web terminal, kept in this browser (contract web-terminal, settings). */

export interface Preferences {
  /** Size of terminal letters in px, 5 to 50. */
  fontSize: number
  backspaceAsCtrlH: boolean
  rightClickPaste: boolean
  /** Folders of the asset tree are read when they are opened, else the whole tree at start. */
  loadTreeAsync: boolean
}

export const FONT_SIZE = { min: 5, max: 50, default: 14 } as const
const KEY = 'luna_settings'

const DEFAULT_PREFERENCES: Preferences = {
  fontSize: FONT_SIZE.default,
  backspaceAsCtrlH: false,
  rightClickPaste: false,
  loadTreeAsync: true,
}

/** The stored settings; anything missing or odd is the default. */
export function readPreferences(): Preferences {
  let stored: Partial<Record<keyof Preferences, unknown>> = {}
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {}
  } catch {
    // Somebody else's value under our name: start afresh.
  }
  const flag = (name: 'backspaceAsCtrlH' | 'rightClickPaste' | 'loadTreeAsync') =>
    typeof stored[name] === 'boolean' ? stored[name] : DEFAULT_PREFERENCES[name]
  const size = Number(stored.fontSize)
  return {
    fontSize: size >= FONT_SIZE.min && size <= FONT_SIZE.max ? size : FONT_SIZE.default,
    backspaceAsCtrlH: flag('backspaceAsCtrlH'),
    rightClickPaste: flag('rightClickPaste'),
    loadTreeAsync: flag('loadTreeAsync'),
  }
}

/** Stores the settings. */
export function writePreferences(preferences: Preferences): void {
  localStorage.setItem(KEY, JSON.stringify(preferences))
}
