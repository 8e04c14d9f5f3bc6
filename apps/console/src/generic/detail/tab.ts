import type { ReactNode } from 'react'
import { readCookie, writeCookie } from '../../lib/cookies.ts'
import { pickTab } from './detail-title.ts'

/** One of the tabs of a page. */
export interface Tab {
  name: string
  /** Already translated. */
  title: string
  icon?: ReactNode
  /** The heading that it is under, where tabs are at the side. Translated. */
  group?: string
  /** What waits in the tab; nothing is shown for none. */
  count?: number
  content: () => ReactNode
}

const TAB_COOKIE = 'activeTab'

/** Name of the tab that is shown: the asked one, or the one chosen last. */
export function shownTab(tabs: readonly Tab[], asked: string | null): string {
  const names = tabs.map(({ name }) => name)
  return pickTab(names, asked, readCookie(TAB_COOKIE))
}

export const rememberTab = (name: string): void => writeCookie(TAB_COOKIE, name, 1)
