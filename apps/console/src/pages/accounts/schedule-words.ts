import type { GatheredUserTask } from '@sallyport/contract/resources/accounts/gathered-user-task.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { languageTag, t } from '../../lib/i18n.ts'

/** When something runs by itself. */
type Schedule = Pick<GatheredUserTask, 'is_periodic' | 'crontab' | 'interval'>

/** A Sunday, from which the days of the week are counted. */
const SUNDAY = Date.UTC(2023, 0, 1)
const DAY_MS = 86_400_000

/**
 * A schedule as people would say it; times by the clock that no short sentence tells stay as they
 * were written. The clock wins over hours, as on the server.
 */
export function scheduleWords({ is_periodic, crontab, interval }: Schedule): string {
  if (!is_periodic) return t('Run by hand')
  if (crontab) return clockWords(crontab)
  return interval ? t('Every {{hours|hour|hours}}', { hours: interval }) : t('Run by hand')
}

/** `minute hour day month weekday`: every day, every week or every month at one time. */
function clockWords(crontab: string): string {
  const [, minute, hour, day, weekday] = /^(\d+) (\d+) (\*|\d+) \* (\*|\d)$/.exec(crontab) ?? []
  if (!minute || !hour || !day || !weekday) return crontab
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*' && weekday === '*') return t('Every day at {{time}}', { time })
  if (day === '*') return t('Every {{weekday}} at {{time}}', { weekday: nameOf(Number(weekday)), time })
  return weekday === '*' ? t('On day {{day}} of every month at {{time}}', { day, time }) : crontab
}

const nameOf = (weekday: number) =>
  new Intl.DateTimeFormat(languageTag(), { weekday: 'long', timeZone: 'UTC' }).format(SUNDAY + weekday * DAY_MS)

/** The same in a list, and among the facts of a row. */
export const scheduleColumn = {
  field: 'periodic_display',
  sorter: false,
  cell: ({ row }) => scheduleWords(row),
} satisfies ColumnView<Schedule & { id: string }>

export const scheduleItem = { field: 'periodic_display', render: scheduleWords }
