import { PERMISSION } from '@sallyport/contract/access.ts'
import { lazily } from '../../design/lazily.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

export const routes = places({
  name: 'JobMonitor',
  menu: 'ops',
  title: msg('Task monitor'),
  // The menu leads there by the address that existing links have (`navigation/menu.ts`).
  path: '/ops/monitor',
  active: '/core/flower/',
  hidden: true,
  bits: PERMISSION.super,
})

/** Few people open it, and it shows much. */
const TaskMonitor = lazily<PageProps>(() => import('./monitor/TaskMonitor.tsx').then((m) => m.TaskMonitor))

export const pages = { JobMonitor: TaskMonitor }
