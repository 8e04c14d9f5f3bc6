import { syncHistory } from '@sallyport/contract/resources/cloud/sync-history.ts'
import { syncInstance } from '@sallyport/contract/resources/cloud/sync-instance.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { cloudFaultInWords } from '../accounts/fault-words.ts'
import { cloudInstance, cloudSyncRun, cloudSyncTask, type UnsyncedReason } from '../tables.ts'

/**
 * Runs of a task, and the machines that it knows (docs/rules/xpack.md#sync_history,
 * `sync_instance`).
 */
export default function mountHistory(kernel: Kernel): void {
  mountResource(kernel, syncHistory, {
    table: cloudSyncRun,
    parameters: { task_id: cloudSyncRun.task },
    computed: [
      { fields: ['summary'], load: async (rows) => rows.map((row) => ({ summary: summaryOf(row) })) },
      {
        fields: ['reason'],
        load: async (rows, { call }) => rows.map((row) => ({ reason: reasonOf(row, call.language) })),
      },
    ],
    rules: { beforeRead: requireTask },
  })
  mountResource(kernel, syncInstance, {
    table: cloudInstance,
    parameters: { task_id: cloudInstance.task },
    present: (row, { reason }, { call }) => ({ ...row, reason: translate(call.language, UNSYNCED[reason]) }),
    rules: { beforeRead: requireTask },
  })
}

/** Those of no task, or of another organization's, are none (404). */
async function requireTask({ db, call, parameters }: ReadContext): Promise<void> {
  await rowInOrg(db, call, cloudSyncTask, parameters.task_id ?? '')
}

type Run = StoredRow<typeof cloudSyncRun>

const summaryOf = ({ new_count, unsync_count, sync_count, released_count }: Run) => ({
  new: new_count,
  unsync: unsync_count,
  sync: sync_count,
  released: released_count,
})

function reasonOf({ fault, result }: Run, language: Language): string | null {
  if (!fault) return null
  const region = result?.regions.find((one) => one.fault === fault)
  const words = cloudFaultInWords({ fault, message: region?.answer ?? '' }, language)
  return region ? `${region.id}: ${words}` : words
}

const UNSYNCED: Readonly<Record<UnsyncedReason, string>> = {
  '': '',
  no_address: 'None of its addresses is in the networks of the task',
  name_taken: 'Another asset has its name: choose names with the end of the address',
  refused: 'No asset could be made of it: the log of the run says why',
}
