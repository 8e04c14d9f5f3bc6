import type { GatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { t } from '../../lib/i18n.ts'
import { clockWords } from '../../lib/time/clock-words.ts'

/** When something runs by itself. */
type Schedule = Pick<GatheredUserTask, 'is_periodic' | 'crontab' | 'interval'>

/**
 * A schedule as people would say it; times by the clock that no short sentence tells stay as they
 * were written. The clock wins over hours, as on the server.
 */
export function scheduleWords({ is_periodic, crontab, interval }: Schedule): string {
  if (!is_periodic) return t('Run manually')
  if (crontab) return clockWords(crontab)
  return interval ? t('Every {{hours|hour|hours}}', { hours: interval }) : t('Run manually')
}

/** The same in a list, and among the facts of a row. */
export const scheduleColumn = {
  field: 'periodic_display',
  sorter: false,
  cell: ({ row }) => scheduleWords(row),
} satisfies ColumnView<Schedule & { id: string }>

export const scheduleItem = { field: 'periodic_display', render: scheduleWords }
