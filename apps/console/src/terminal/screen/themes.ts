import type { ITheme } from '@xterm/xterm'
import { TERMINAL_COLORS } from './colors.ts'
import type { FontName, ThemeName } from './theme-names.ts'

/** Colors that a person may choose for terminals. Red to white have a contrast of 4.5 on their ground. */
export interface TerminalTheme {
  name: ThemeName
  colors: Readonly<ITheme & { background: string; foreground: string }>
}

export const THEMES: readonly TerminalTheme[] = [
  {
    name: 'dark',
    colors: {
      ...TERMINAL_COLORS,
      foreground: '#ffffff',
    },
  },
  {
    name: 'light',
    colors: {
      background: '#ffffff',
      foreground: '#1f2328',
      cursor: '#1f2328',
      cursorAccent: '#ffffff',
      selectionBackground: '#b6d7f2',
      black: '#24292f',
      red: '#b3261e',
      green: '#116329',
      yellow: '#6b4a00',
      blue: '#0a55b5',
      magenta: '#7a2fb0',
      cyan: '#0f5f66',
      white: '#57606a',
      brightBlack: '#57606a',
      brightRed: '#a40e26',
      brightGreen: '#1a6b34',
      brightYellow: '#7a5600',
      brightBlue: '#1f5fc4',
      brightMagenta: '#8a3fc4',
      brightCyan: '#176d75',
      brightWhite: '#4a525b',
    },
  },
  {
    name: 'black',
    colors: {
      background: '#000000',
      foreground: '#ffffff',
      cursor: '#ffff00',
      cursorAccent: '#000000',
      selectionBackground: '#1f5fa8',
      black: '#000000',
      red: '#ff6b63',
      green: '#4ee36d',
      yellow: '#ffe14d',
      blue: '#7ab8ff',
      magenta: '#ff8df2',
      cyan: '#4ff0f0',
      white: '#ffffff',
      brightBlack: '#b8b8b8',
      brightRed: '#ff8b85',
      brightGreen: '#7cf094',
      brightYellow: '#fff08a',
      brightBlue: '#a3cfff',
      brightMagenta: '#ffb3f6',
      brightCyan: '#8af7f7',
      brightWhite: '#ffffff',
    },
  },
  {
    name: 'paper',
    colors: {
      background: '#fbf3df',
      foreground: '#3b3226',
      cursor: '#3b3226',
      cursorAccent: '#fbf3df',
      selectionBackground: '#e2d3ab',
      black: '#3b3226',
      red: '#a3271d',
      green: '#4d5d00',
      yellow: '#7a5300',
      blue: '#1f5785',
      magenta: '#8a2f6b',
      cyan: '#1d615a',
      white: '#6a5f4d',
      brightBlack: '#6a5f4d',
      brightRed: '#b0301f',
      brightGreen: '#566700',
      brightYellow: '#835a00',
      brightBlue: '#285f8f',
      brightMagenta: '#953a76',
      brightCyan: '#276b63',
      brightWhite: '#5c5242',
    },
  },
  {
    name: 'night',
    colors: {
      background: '#0f1b2d',
      foreground: '#d7e3f4',
      cursor: '#8fc7ff',
      cursorAccent: '#0f1b2d',
      selectionBackground: '#2b4a73',
      black: '#0a1320',
      red: '#ff7a85',
      green: '#7bd88f',
      yellow: '#f2c572',
      blue: '#79b8ff',
      magenta: '#d2a8ff',
      cyan: '#6fd6e0',
      white: '#d7e3f4',
      brightBlack: '#8a9bb3',
      brightRed: '#ff9aa2',
      brightGreen: '#9ce8ad',
      brightYellow: '#ffd990',
      brightBlue: '#a1ceff',
      brightMagenta: '#e2c5ff',
      brightCyan: '#94e6ee',
      brightWhite: '#ffffff',
    },
  },
]

/** The chosen one, or the usual. */
export const themeOf = (name: ThemeName): TerminalTheme =>
  THEMES.find((theme) => theme.name === name) ?? (THEMES[0] as TerminalTheme)

const USUAL_FONTS =
  '"JetBrains Mono", "Cascadia Mono", Consolas, Menlo, "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono CJK SC", monospace'

/** The families of a choice, as CSS has them. */
export const fontFamilyOf = (name: FontName): string => (name === 'auto' ? USUAL_FONTS : `"${name}", ${USUAL_FONTS}`)
