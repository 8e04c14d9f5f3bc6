/**
 * Colors, sizes and shadows of the console, once: style sheets read them as custom properties
 * (`--text`, written by `token-styles.ts` at the build), the component library through `theme.ts`.
 *
 * Space is a multiple of 4 px, text has five sizes, there is one accent. Text of every kind has a
 * contrast of at least 4.5 on every background (WCAG 2.2 §1.4.3).
 */

/** The letters of the system, and of Chinese. */
const SYSTEM_FONT =
  'system-ui, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'

/** Where the console's own font is in this browser (`own-font.ts`). */
export const OWN_FONT = { font: `"Inter Variable", "Inter Fallback", ${SYSTEM_FONT}` }

/** The same in both themes. */
export const SIZES = {
  font: SYSTEM_FONT,
  'font-code':
    'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace',
  /** Notes under a field, chips, times. */
  'text-small': '12px',
  /** Heads of tables, labels, secondary text. */
  'text-label': '13px',
  'text-body': '14px',
  /** Heads of panels and groups of a form. */
  'text-heading': '15px',
  /** The one heading of a page. */
  'text-title': '20px',
  /** Figures of the dashboard. */
  'text-figure': '28px',
  radius: '6px',
  'radius-panel': '8px',
  control: '32px',
  'control-small': '26px',
  /** Between panels, and around the page. */
  gap: '16px',
  /** Above and below the text of a table's cell. */
  cell: '8px',
  'page-padding': '24px',
} as const

/** The compact variant, for a person who wants more on the screen. */
export const COMPACT: Partial<Record<keyof typeof SIZES, string>> = {
  control: '28px',
  gap: '12px',
  cell: '4px',
  'page-padding': '16px',
}

export const LIGHT = {
  /** The page. */
  ground: '#ffffff',
  /** Panels, fields, menus. */
  surface: '#ffffff',
  /** The sidebar, heads of tables. */
  side: '#f6f7f9',
  head: '#fafbfc',
  /** Under the pointer. */
  hover: '#f2f4f6',
  /** Ticked or selected. */
  chosen: '#e7f4f1',
  /** Chips and empty places. */
  soft: '#eef1f4',
  line: '#e6e9ed',
  'line-strong': '#d3d9df',
  text: '#16202a',
  /** Labels, notes, what is said beside. */
  quiet: '#56636f',
  /** Ornaments and disabled text only: too light to be read. */
  faint: '#8b97a3',
  accent: '#0f7b6c',
  /** Under white text. */
  'accent-solid': '#0f7b6c',
  'accent-solid-hover': '#0b6458',
  link: '#0f7b6c',
  good: '#1f7a4a',
  'good-soft': '#e7f5ed',
  warning: '#8a5a0b',
  'warning-soft': '#fdf4e1',
  danger: '#c0362f',
  'danger-solid': '#c0362f',
  'danger-soft': '#fdefee',
  info: '#1f6391',
  'info-soft': '#e9f2f9',
  star: '#c98a1b',
  'shadow-popup': '0 8px 28px rgb(16 24 32 / 14%), 0 0 0 1px rgb(16 24 32 / 6%)',
  shade: 'rgb(16 24 32 / 40%)',
} as const

export const DARK: Record<keyof typeof LIGHT, string> = {
  ground: '#10161b',
  surface: '#151c22',
  side: '#0b1014',
  head: '#192128',
  hover: '#1d262e',
  chosen: '#143632',
  soft: '#222c34',
  line: '#253039',
  'line-strong': '#3a4853',
  text: '#e1e8ee',
  quiet: '#9dabb7',
  faint: '#64727e',
  accent: '#3fbfae',
  'accent-solid': '#107868',
  'accent-solid-hover': '#138475',
  link: '#5cc9ba',
  good: '#5cc48a',
  'good-soft': '#14301f',
  warning: '#e0a83e',
  'warning-soft': '#33270f',
  danger: '#f0827c',
  'danger-solid': '#b93a34',
  'danger-soft': '#3a2022',
  info: '#74b6e3',
  'info-soft': '#152c3d',
  star: '#e0a83e',
  'shadow-popup': '0 8px 28px rgb(0 0 0 / 50%), 0 0 0 1px rgb(255 255 255 / 8%)',
  shade: 'rgb(0 0 0 / 55%)',
}
