import { syncInstanceTask } from '@sallyport/contract/resources/cloud/sync-instance-task.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { organizationsHold } from '../orgs/index.ts'
import { registerAccountCalls } from './accounts/account-routes.ts'
import { scheduleCleaning } from './sync/clean.ts'
import { registerTaskCalls } from './sync/task-calls.ts'
import { cloudAccount, cloudSyncTask } from './tables.ts'

/** Accounts at clouds, whose machines become assets (docs/rules/xpack.md#cloud_account). */
export function registerCloud(kernel: Kernel): void {
  organizationsHold(
    { field: 'cloud_accounts', label: 'Cloud account', from: cloudAccount, uncounted: true },
    { field: 'cloud_sync_tasks', label: 'Cloud sync task', from: cloudSyncTask, uncounted: true },
  )
  registerAccountCalls(kernel)
  registerTaskCalls(kernel, mountedResource(kernel, syncInstanceTask, cloudSyncTask))
  scheduleCleaning(kernel)
}
