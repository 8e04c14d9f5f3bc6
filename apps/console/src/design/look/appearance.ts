import { useLayoutEffect } from 'react'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { keepAppearance } from './last-appearance.ts'
import { type Preferences, usePreferences } from './preferences.ts'

const SYSTEM_DARK = '(prefers-color-scheme: dark)'

/** Whether the page is dark, as the person chose. */
export function useDark(): boolean {
  return useDarkTheme(usePreferences().theme)
}

/** Whether a choice means dark: of the system's, also when that changes in the evening. */
export function useDarkTheme(theme: Preferences['theme']): boolean {
  const system = useMedia(SYSTEM_DARK)
  return theme === 'system' ? system : theme === 'dark'
}

/** Colors and spacing as the person likes them: style sheets follow the document's attributes. */
export function useAppearance(): void {
  const dark = useDark()
  const { theme, density } = usePreferences()
  useLayoutEffect(() => {
    const { dataset } = document.documentElement
    dataset.theme = dark ? 'dark' : 'light'
    dataset.density = density
    keepAppearance({ theme, density })
  }, [dark, theme, density])
}
