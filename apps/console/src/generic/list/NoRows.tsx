import { t } from '../../lib/i18n.ts'

interface NoRowsProps {
  isPending: boolean
  /** Search or filters leave nothing. */
  isNarrowed: boolean
  onReset: () => void
  canCreate: boolean
}

/** Why there are no rows, and what to do about it. */
export function NoRows({ isPending, isNarrowed, onReset, canCreate }: NoRowsProps) {
  if (isPending) return <span className="loading">{t('Loading')}</span>
  if (!isNarrowed)
    return <span className="nothing">{canCreate ? t('Nothing here yet. Create the first one.') : t('No data')}</span>
  return (
    <span className="nothing">
      {t('Nothing matches the search')}{' '}
      <button type="button" className="link" onClick={onReset}>
        {t('Show all')}
      </button>
    </span>
  )
}
