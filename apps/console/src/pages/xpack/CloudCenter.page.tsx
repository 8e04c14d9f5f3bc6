import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import { cloudAccountPages } from './cloud-account.page.tsx'
import { syncTaskPages } from './sync-instance-task.page.tsx'

export const routes = places({
  name: 'CloudCenter',
  menu: 'xpack',
  order: 5,
  license: true,
  title: msg('Cloud center'),
  path: '/xpack/cloud',
  alsoAt: {
    '/xpack/cloud/account': 'activeTab=AccountList',
    '/xpack/cloud/sync-instance-tasks': 'activeTab=SyncInstanceTaskList',
  },
})

const LISTS: readonly TabbedList[] = [
  { name: 'SyncInstanceTaskList', title: msg('Sync tasks'), pages: syncTaskPages, base: 'SyncInstanceTask' },
  { name: 'AccountList', title: msg('Cloud accounts'), pages: cloudAccountPages, base: 'CloudAccount' },
]

/** Accounts of clouds, and the tasks that make assets of their machines (A2.58). */
export function CloudCenter({ title }: PageProps) {
  return (
    <ListTabs
      title={title}
      lead={msg('Machines of clouds become assets automatically, and follow what changes there.')}
      lists={LISTS}
    />
  )
}

export const pages = {
  CloudCenter,
}
