import { RefreshCwIcon, TriangleAlertIcon } from 'lucide-react'
import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { Button } from '../design/Button.tsx'
import { EmptyState } from '../design/EmptyState.tsx'
import { t } from '../lib/i18n.ts'

/** Shown in place of a page that failed; the rest of the console stays usable. */
export function PageError() {
  const error = useRouteError()
  useEffect(() => console.error(error), [error])
  // After a new release the code of pages that were not opened yet has other names.
  const outdated = error instanceof TypeError && /import|module/i.test(error.message)
  const reason = !outdated && error instanceof Error ? error.message : undefined
  return (
    <div className="full-notice" role="alert">
      <EmptyState
        icon={outdated ? <RefreshCwIcon /> : <TriangleAlertIcon />}
        title={
          outdated
            ? t('The console was updated. Reload the page.')
            : t('This page failed. Reload it; if it fails again, ask your administrator.')
        }
        action={
          <Button type="primary" onClick={() => location.reload()}>
            {t('Reload')}
          </Button>
        }
      >
        {reason && <code>{reason}</code>}
      </EmptyState>
    </div>
  )
}
