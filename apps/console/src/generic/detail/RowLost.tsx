import { Link } from 'react-router'
import { t } from '../../lib/i18n.ts'

/** In place of an object that is gone, or belongs to another organization (B8.06). */
export function RowLost({ home }: { home: string }) {
  return (
    <div className="full-notice" role="alert">
      <p>{t('Resource lost or deleted')}</p>
      <Link to={home}>{t('Back to list')}</Link>
    </div>
  )
}
