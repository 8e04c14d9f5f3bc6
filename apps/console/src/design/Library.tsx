import { ConfigProvider } from 'antd'
import type { Locale } from 'antd/es/locale/index.js'
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
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

/**
 * The library keeps the Tab key while the list of a select is open, so that nobody could go on by
 * keys. Here it is the browser's again, and the list closes as the focus leaves.
 */
function letTabLeave(event: KeyboardEvent): void {
  if (event.key === 'Tab' && event.target instanceof Element && event.target.closest('.ant-select-open'))
    event.stopPropagation()
}

function Outermost({ children }: { children: ReactNode }) {
  useEffect(() => {
    document.addEventListener('keydown', letTabLeave, true)
    return () => document.removeEventListener('keydown', letTabLeave, true)
  }, [])
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
