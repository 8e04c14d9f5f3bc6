import { PERMISSION } from '@sallyport/contract/access.ts'
import { lazily } from '../../design/lazily.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

export const routes = places(
  {
    name: 'BatchCommand',
    menu: 'ops',
    title: msg('Batch command'),
    path: '/ops/command-executions/create',
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  },
  {
    name: 'CommandExecutions',
    menu: 'user-top',
    order: 40,
    title: msg('Batch command'),
    icon: 'jobs',
    path: '/command-executions',
    bits: PERMISSION.use,
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  },
)

/** One command on many machines (A2.45 A2.65). */
export const BatchCommand = lazily<PageProps>(
  () => import('./batch/BatchCommandBody.tsx').then((m) => m.BatchCommandBody),
  <Skeleton lines={8} />,
)

export const pages = { BatchCommand, CommandExecutions: BatchCommand }
