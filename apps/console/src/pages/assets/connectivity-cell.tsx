import { CircleCheckIcon, CircleQuestionMarkIcon, CircleXIcon } from 'lucide-react'
import type { RowState } from '../../generic/view/detail-view.ts'
import type { CellProps } from '../../generic/view/list-view.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** Whether the last test got through. */
export function connectivityState({ connectivity }: { connectivity?: unknown }): RowState {
  if (connectivity === 'ok') return { tone: 'good', words: t('Reachable') }
  return connectivity === 'failed'
    ? { tone: 'danger', words: t('Unreachable') }
    : { tone: 'quiet', words: t('Not tested yet') }
}

/** Whether the last test got through, as an icon; the words and when it was are in the tooltip. */
export function connectivityCell({ value, row }: CellProps) {
  const { words } = connectivityState({ connectivity: value })
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
