import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

interface AsOfProps {
  read: { data: unknown; isPaused: boolean; dataUpdatedAt: number }
}

/** From when the rows are that are shown, while they can't be read again. */
export function AsOf({ read: { data, isPaused, dataUpdatedAt } }: AsOfProps) {
  // Placeholder rows were never read.
  if (data === undefined || !isPaused || dataUpdatedAt === 0) return null
  return <p className="as-of">{t('As of {{time}}', { time: formatDate(dataUpdatedAt) })}</p>
}
