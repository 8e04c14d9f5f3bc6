import { ConfigProvider } from 'antd'
import type { Locale } from 'antd/es/locale/index.js'
import { type ReactNode, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { usePreferences } from './preferences.ts'
import { themeFor } from './theme.ts'

const SYSTEM_DARK = '(prefers-color-scheme: dark)'

/**
 * Whether the page is dark: as the person chose, else as the system is, also when that changes in
 * the evening.
 */
export function useDark(): boolean {
  const { theme } = usePreferences()
  const system = useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(SYSTEM_DARK)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(SYSTEM_DARK).matches,
  )
  return theme === 'system' ? system : theme === 'dark'
}

/**
 * Colours and spacing as the person likes them; `base.css` follows by the attributes of the
 * document.
 */
export function Themed({ locale, children }: { locale?: Locale | undefined; children: ReactNode }) {
  const dark = useDark()
  const compact = usePreferences().density === 'compact'
  const theme = useMemo(() => themeFor({ dark, compact }), [dark, compact])
  useLayoutEffect(() => {
    const { dataset } = document.documentElement
    dataset.theme = dark ? 'dark' : 'light'
    dataset.density = compact ? 'compact' : 'comfortable'
  }, [dark, compact])
  return (
    <ConfigProvider
      theme={theme}
      {...(locale ? { locale } : {})}
      wave={{ disabled: true }}
      button={{ autoInsertSpace: false }}
    >
      {children}
    </ConfigProvider>
  )
}
