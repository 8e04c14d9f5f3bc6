import { InProgress } from '../../design/waiting-progress.ts'
import { t } from '../../lib/i18n.ts'
import { useWaiting } from './waiting.ts'

/** A thin bar at the top of the page while code or first data of what was chosen is on its way. */
export function ProgressBar() {
  return useWaiting() ? <div className="progress-bar" role="progressbar" aria-hidden="true" /> : null
}

/**
 * In the place of a page whose code is on its way: the progress bar runs, and the grey lines stay
 * that the document shows first (index.html).
 */
export function Waiting() {
  return (
    <div className="page-waiting" role="status" aria-label={t('Loading')}>
      <InProgress />
      <b />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  )
}
