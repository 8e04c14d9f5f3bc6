import { TabPage } from '../../generic/detail/TabPage.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { DatedTable } from '../DatedTable.tsx'
import type { PageProps } from '../page-props.ts'
import { ReplaySearch } from './ReplaySearch.tsx'
import { allPages, offlinePages, onlinePages } from './session.page.tsx'

export const routes = places({
  name: 'SessionList',
  menu: 'terminal',
  order: 10,
  title: msg('Sessions'),
  path: '/terminal/sessions',
})

const DAYS_BACK = 2

/** Sessions that run, sessions that have ended (A2.37 A4.02), both, and what was seen in them. */
export function SessionList({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <TabPage
        tabs={[
          {
            name: 'OnlineList',
            title: t('Live@@sessions'),
            // Live sessions have no dates: they may have begun long ago.
            content: () => <ResourceTable key="online" pages={onlinePages} base="SessionOnline" inAddress />,
          },
          {
            name: 'OfflineList',
            title: t('Past@@sessions'),
            content: () => (
              <DatedTable key="offline" pages={offlinePages} base="SessionOffline" inAddress daysBack={DAYS_BACK} />
            ),
          },
          {
            name: 'AllList',
            title: t('All sessions'),
            content: () => <DatedTable key="all" pages={allPages} base="SessionAll" inAddress daysBack={DAYS_BACK} />,
          },
          { name: 'ReplaySearch', title: t('Search in recordings'), content: () => <ReplaySearch /> },
        ]}
      />
    </PageFrame>
  )
}

export const pages = { SessionList }
