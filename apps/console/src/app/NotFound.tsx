import { useNavigate } from 'react-router'
import { Button } from '../design/Button.tsx'
import { t } from '../lib/i18n.ts'
import { PageFrame } from '../navigation/PageFrame.tsx'

/** Where unknown addresses end (spec A2.01 A2.02). */
export function NotFound() {
  const navigate = useNavigate()
  return (
    <PageFrame title={t('Page not found')}>
      <div className="full-notice">
        <p>{t('This page does not exist, or you may not open it.')}</p>
        <Button type="primary" onClick={() => navigate('/')}>
          {t('Back to the start')}
        </Button>
      </div>
    </PageFrame>
  )
}
