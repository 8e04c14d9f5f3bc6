import { Button } from '../../design/Button.tsx'
import { Notice } from '../../design/Notice.tsx'
import { t } from '../../lib/i18n.ts'
import { useConnection } from './connection.ts'
import { askAgain, useLate } from './waiting.ts'

/** Says that what was chosen does not come; why, the other banner knows where that is known. */
export function LateBanner() {
  const isLate = useLate()
  const connection = useConnection()
  if (!isLate || connection === 'server' || connection === 'database') return null
  return (
    <div className="connection-banner">
      <Notice
        role="status"
        tone="warning"
        title={t('The server has not answered yet.')}
        action={
          <Button size="small" onClick={() => void askAgain()}>
            {t('Try again')}
          </Button>
        }
      />
    </div>
  )
}
