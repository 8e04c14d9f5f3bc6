import { LockIcon, TriangleAlertIcon } from 'lucide-react'
import { ApiError, errorText } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { Button } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

interface LoadFailedProps {
  /** Error of the request; without one, the person lacks the permission. */
  error: unknown
  onRetry: () => void
}

/** Shown in place of what could not be loaded: why, and a button to try again. */
export function LoadFailed({ error, onRetry }: LoadFailedProps) {
  const isDenied = !error || (error instanceof ApiError && error.status === 403)
  return (
    <div className="table-failed" role="alert">
      <EmptyState
        icon={isDenied ? <LockIcon /> : <TriangleAlertIcon />}
        title={error ? errorText(error) : t('Bad request, no permission for this operation')}
        action={<Button onClick={onRetry}>{t('Try again')}</Button>}
      />
    </div>
  )
}

interface NoOptionsProps {
  isLoading: boolean
  /** Error of the request, if it failed. */
  error: unknown
  onRetry: () => void
  /** That there are none. */
  none?: string
}

/** Where the options of a select would be: that they come, why there are none, or that there are none. */
export function NoOptions({ isLoading, error, onRetry, none = t('No data') }: NoOptionsProps) {
  if (isLoading) return t('Loading')
  return error ? <OptionsFailed error={error} onRetry={onRetry} /> : none
}

/** Why options are missing, and a button to try again. */
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
