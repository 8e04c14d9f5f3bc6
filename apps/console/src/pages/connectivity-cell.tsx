import { Status } from '../design/Status.tsx'
import type { RowState } from '../generic/view/detail-view.ts'
import type { CellProps } from '../generic/view/list-view.ts'
import { formatDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'

/** Whether the last test got through. */
export function connectivityState({ connectivity }: { connectivity?: unknown }): RowState {
  if (connectivity === 'ok') return { tone: 'good', words: t('Reachable') }
  return connectivity === 'failed'
    ? { tone: 'danger', words: t('Unreachable') }
    : { tone: 'quiet', words: t('Not tested yet') }
}

/** Whether the last test got through; when it was is in the tooltip. */
export function connectivityCell({ value, row }: CellProps) {
  const { tone, words } = connectivityState({ connectivity: value })
  const tested = formatDate(row.date_verified)
  return (
    <span title={tested ? `${words}, ${tested}` : words}>
      <Status tone={tone}>{words}</Status>
    </span>
  )
}
