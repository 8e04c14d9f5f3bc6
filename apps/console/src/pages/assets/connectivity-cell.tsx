import { CircleCheckIcon, CircleQuestionMarkIcon, CircleXIcon } from 'lucide-react'
import type { CellProps } from '../../generic/view/list-view.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** Whether the last test got through, as an icon; the words and when it was are in the tooltip. */
export function connectivityCell({ value, row }: CellProps) {
  const words = value === 'ok' ? t('Reachable') : value === 'failed' ? t('Unreachable') : t('Not tested yet')
  const title = row.date_verified ? `${words}, ${formatDate(row.date_verified)}` : words
  const icon =
    value === 'ok' ? (
      <CircleCheckIcon className="cell-yes" />
    ) : value === 'failed' ? (
      <CircleXIcon className="cell-no" />
    ) : (
      <CircleQuestionMarkIcon className="cell-unknown" />
    )
  return (
    <span title={title} role="img" aria-label={title}>
      {icon}
    </span>
  )
}
