import { CircleQuestionMarkIcon } from 'lucide-react'
import { useNavigate } from 'react-router'
import { Button } from '../design/Button.tsx'
import { EmptyState } from '../design/EmptyState.tsx'
import { t } from '../lib/i18n.ts'
import { PageFrame } from '../navigation/PageFrame.tsx'
import { onAdminPages } from '../session/session.ts'

/** Where unknown addresses end (A2.01 A2.02), and those of pages that the person may not open. */
export function NotFound() {
  const navigate = useNavigate()
  return (
    <PageFrame title={t('Page not found')}>
      <EmptyState
        icon={<CircleQuestionMarkIcon />}
        title={t('This page does not exist, or you may not open it.')}
        action={
          <Button type="primary" onClick={() => navigate('/')}>
            {t('Back to the start')}
          </Button>
        }
      >
        {!onAdminPages() && t('If you need it, ask an administrator.')}
      </EmptyState>
    </PageFrame>
  )
}
