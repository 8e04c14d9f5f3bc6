import { Navigate } from 'react-router'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import { ListTabs, type TabbedList } from '../ListTabs.tsx'
import type { PageProps } from '../page-props.ts'
import { cloudAccountPages } from './cloud-account.page.tsx'
import { syncTaskPages } from './sync-instance-task.page.tsx'

export const routes = places(
  {
    name: 'CloudCenter',
    menu: 'xpack',
    order: 5,
    license: true,
    title: msg('Cloud center'),
    path: '/xpack/cloud',
  },
  {
    name: 'CloudAccountTab',
    menu: 'xpack',
    license: true,
    title: msg('Cloud center'),
    path: '/xpack/cloud/account',
    hidden: true,
    active: '/xpack/cloud',
  },
  {
    name: 'SyncInstanceTaskTab',
    menu: 'xpack',
    license: true,
    title: msg('Cloud center'),
    path: '/xpack/cloud/sync-instance-tasks',
    hidden: true,
    active: '/xpack/cloud',
  },
)

const LISTS: readonly TabbedList[] = [
  { name: 'SyncInstanceTaskList', title: msg('Sync tasks'), pages: syncTaskPages, base: 'SyncInstanceTask' },
  { name: 'AccountList', title: msg('Cloud accounts'), pages: cloudAccountPages, base: 'CloudAccount' },
]

/** Accounts of clouds, and the tasks that make assets of their machines (spec A2.58). */
export function CloudCenter({ title }: PageProps) {
  return (
    <ListTabs
      title={title}
      lead={msg('Machines of clouds become assets automatically, and follow what changes there.')}
      lists={LISTS}
    />
  )
}

/** Addresses of one list, which existing links have. */
const onTab = (tab: string) => () => <Navigate to={`/xpack/cloud?activeTab=${tab}`} replace />

export const pages = {
  CloudCenter,
  CloudAccountTab: onTab('AccountList'),
  SyncInstanceTaskTab: onTab('SyncInstanceTaskList'),
}
