import { ConfigProvider } from 'antd'
import type { Locale } from 'antd/es/locale/index.js'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { language } from '../lib/i18n.ts'
import { useDark } from './appearance.ts'
import { usePreferences } from './preferences.ts'
import { themeFor } from './theme.ts'

const IsInside = createContext(false)
let locale: Locale | undefined

/** Fetches the component library's own texts where they are not English. */
export async function fetchLibraryTexts(): Promise<void> {
  if (language() === 'cn') locale ??= (await import('antd/es/locale/zh_CN.js')).default
}

/**
 * What every part made with the component library is in: colors, spacing and language. Parts
 * inside of others share theirs.
 */
export function Library({ children }: { children: ReactNode }) {
  return useContext(IsInside) ? children : <Outermost>{children}</Outermost>
}

function Outermost({ children }: { children: ReactNode }) {
  const dark = useDark()
  const compact = usePreferences().density === 'compact'
  const theme = useMemo(() => themeFor({ dark, compact }), [dark, compact])
  return (
    <ConfigProvider
      theme={theme}
      {...(locale ? { locale } : {})}
      wave={{ disabled: true }}
      button={{ autoInsertSpace: false }}
    >
      <IsInside value>{children}</IsInside>
    </ConfigProvider>
  )
}
