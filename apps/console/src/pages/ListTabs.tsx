import { TabPage } from '../generic/detail/TabPage.tsx'
import { ResourceTable } from '../generic/list/ResourceTable.tsx'
import type { ResourcePages } from '../generic/view/define-pages.ts'
import { t } from '../lib/i18n.ts'
import { PageFrame } from '../navigation/PageFrame.tsx'

/** A list in a tab. */
export interface TabbedList {
  /** The tab's name in the address. */
  name: string
  /** Marked with `msg`. */
  title: string
  pages: ResourcePages
  /** Beginning of the names of its routes. */
  base: string
}

interface ListTabsProps {
  title: string
  /** What they are for; marked with `msg`. */
  lead?: string
  lists: readonly TabbedList[]
}

/** Lists that belong together, each in a tab of one page. */
export function ListTabs({ title, lead, lists }: ListTabsProps) {
  return (
    <PageFrame title={title} lead={lead && t(lead)}>
      <TabPage
        tabs={lists.map((list) => ({
          name: list.name,
          title: t(list.title),
          content: () => <ResourceTable key={list.name} pages={list.pages} base={list.base} inAddress />,
        }))}
      />
    </PageFrame>
  )
}
