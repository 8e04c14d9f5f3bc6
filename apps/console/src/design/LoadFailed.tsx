import { errorText } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { Button } from './Button.tsx'

interface LoadFailedProps {
  /** What the request failed with; without an error, the person lacks the permission. */
  error: unknown
  onRetry: () => void
}

/** Shown in place of what could not be loaded: why, and a button to try again. */
export function LoadFailed({ error, onRetry }: LoadFailedProps) {
  return (
    <div className="table-failed" role="alert">
      <p>{error ? errorText(error) : t('Bad request, no permission for this operation')}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}

/** Where the options of a select would be: why there are none, and a button to try again. */
export function OptionsFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="options-failed" role="alert">
      <span>{errorText(error)}</span>
      <Button
        size="small"
        // The select keeps the focus and stays open.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onRetry}
      >
        {t('Try again')}
      </Button>
    </div>
  )
}
