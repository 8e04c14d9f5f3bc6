import type { ReactNode } from 'react'

/** One of the tabs of a page. */
export interface Tab {
  name: string
  /** Already translated. */
  title: string
  icon?: ReactNode
  /** The heading that it stands under, where tabs stand at the side. Translated. */
  group?: string
  /** What waits in the tab; nothing is shown for none. */
  count?: number
  content: () => ReactNode
}
