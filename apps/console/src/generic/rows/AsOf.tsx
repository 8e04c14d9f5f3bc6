import { errorText } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

interface AsOfProps {
  read: { data: unknown; isPaused: boolean; dataUpdatedAt: number; error: unknown; refetch: () => unknown }
}

/** From when the rows are that are shown, while they can't be read again, and why that has failed. */
export function AsOf({ read: { data, isPaused, dataUpdatedAt, error, refetch } }: AsOfProps) {
  // Placeholder rows were never read.
  if (data === undefined || !(isPaused || error) || dataUpdatedAt === 0) return null
  return (
    <p className="as-of" role="status">
      {t('As of {{time}}', { time: formatDate(dataUpdatedAt) })}
      {!isPaused && (
        <>
          {' · '}
          {errorText(error)}{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            {t('Try again')}
          </button>
        </>
      )}
    </p>
  )
}
