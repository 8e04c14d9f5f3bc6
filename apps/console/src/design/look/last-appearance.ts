/** How the console looked last in this browser, for the moment before it is known who looks. */
import type { Preferences } from './preferences.ts'

type Appearance = Pick<Preferences, 'theme' | 'density'>

const KEY = 'console_appearance'

export function keepAppearance({ theme, density }: Appearance): void {
  localStorage.setItem(KEY, `${theme} ${density}`)
}

export function readAppearance(): Appearance {
  const [theme, density] = (localStorage.getItem(KEY) ?? '').split(' ')
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    density: density === 'compact' ? 'compact' : 'comfortable',
  }
}
