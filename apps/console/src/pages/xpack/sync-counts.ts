import type { SyncHistory } from '@sallyport/contract/resources/cloud/sync-history.ts'
import { msg } from '../../lib/i18n.ts'

type Counts = SyncHistory['summary']

/** Columns for what became of the machines of a cloud: of one run, or of a task by now. */
export const SYNC_COUNTS = (
  [
    ['new', msg('New@@cloud')],
    ['unsync', msg('Unsynced')],
    ['sync', msg('Synced')],
    ['released', msg('Released')],
  ] as const
).map(([name, title]) => ({
  field: `summary.${name}`,
  title,
  width: 96,
  sorter: false as const,
  cell: ({ row }: { row: { summary: Counts } }) => Number(row.summary[name] ?? 0),
}))
