/** Writes the tokens of `src/design/tokens.ts` as custom properties, in place of `tokens.css`. */
import type { Plugin } from 'vite'
import { COMPACT, DARK, LIGHT, OWN_FONT, SIZES } from './src/design/tokens.ts'

const rule = (selector: string, values: Readonly<Record<string, string>>) =>
  `${selector}{${Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')}}`

/**
 * The style sheet: light unless the document says dark, comfortable unless it says compact. Paper
 * is always light.
 */
export function tokenStyles(): string {
  return [
    rule(':root', { ...SIZES, ...LIGHT }),
    `@media not print{${rule(':root[data-theme="dark"]', { 'color-scheme': 'dark', ...DARK }).replace('--color-scheme', 'color-scheme')}}`,
    rule(':root[data-density="compact"]', COMPACT),
    rule(':root[data-font="own"]', OWN_FONT),
  ].join('\n')
}

/** Fills `design/tokens.css`, which is empty in the sources. */
export function tokensAsStyles(): Plugin {
  return {
    name: 'tokens-as-styles',
    enforce: 'pre',
    load: (id) => (id.endsWith('/design/tokens.css') ? tokenStyles() : undefined),
  }
}
