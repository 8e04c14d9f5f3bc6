import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'

/** That a session has no line any more, and the way back. */
export function NotConnected({ onReconnect }: { onReconnect: () => void }) {
  return (
    <div className="pane-lost" role="status">
      <span>{t('Not connected')}</span>
      <Button size="small" type="primary" onClick={onReconnect}>
        {t('Reconnect')}
      </Button>
    </div>
  )
}
