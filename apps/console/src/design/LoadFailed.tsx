import { Button } from 'antd'
import { errorText } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'

interface LoadFailedProps {
  /** What the request was refused with; without one, the person may not ask for this. */
  error: unknown
  onRetry: () => void
}

/** In place of what could not be read: why, and a button that asks again. */
export function LoadFailed({ error, onRetry }: LoadFailedProps) {
  return (
    <div className="table-failed" role="alert">
      <p>{error ? errorText(error) : t('Bad request, no permission for this operation')}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}
