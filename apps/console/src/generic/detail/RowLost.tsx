import { FileQuestionMarkIcon } from 'lucide-react'
import { Link } from 'react-router'
import { EmptyState } from '../../design/EmptyState.tsx'
import { t } from '../../lib/i18n.ts'

/** In place of an object that is gone, or belongs to another organization (B8.06). */
export function RowLost({ home }: { home: string }) {
  return (
    <div className="full-notice" role="alert">
      <EmptyState
        icon={<FileQuestionMarkIcon />}
        title={t('Resource lost or deleted')}
        action={<Link to={home}>{t('Back to list')}</Link>}
      />
    </div>
  )
}
