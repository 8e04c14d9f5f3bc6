/** Settings of the web terminal, kept in this browser (contract web-terminal, settings). */

export interface Preferences {
  /** Size of terminal letters in px, 5 to 50. */
  fontSize: number
  backspaceAsCtrlH: boolean
  rightClickPaste: boolean
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

const DEFAULT_PREFERENCES: Preferences = {
  fontSize: FONT_SIZE.default,
  backspaceAsCtrlH: false,
  rightClickPaste: false,
  loadTreeAsync: true,
  rdpFullScreen: false,
  rdpSize: 'auto',
}

/** The stored settings; anything missing or odd is the default. */
export function readPreferences(): Preferences {
  let stored: Partial<Record<keyof Preferences, unknown>> = {}
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {}
  } catch {
    // Somebody else's value under our name: start afresh.
  }
  const flag = (name: 'backspaceAsCtrlH' | 'rightClickPaste' | 'loadTreeAsync' | 'rdpFullScreen') =>
    typeof stored[name] === 'boolean' ? stored[name] : DEFAULT_PREFERENCES[name]
  const size = Number(stored.fontSize)
  return {
    fontSize: size >= FONT_SIZE.min && size <= FONT_SIZE.max ? size : FONT_SIZE.default,
    backspaceAsCtrlH: flag('backspaceAsCtrlH'),
    rightClickPaste: flag('rightClickPaste'),
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

/** Stores the settings. */
export function writePreferences(preferences: Preferences): void {
  localStorage.setItem(KEY, JSON.stringify(preferences))
}
