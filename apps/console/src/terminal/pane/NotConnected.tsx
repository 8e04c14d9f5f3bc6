import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'

interface NotConnectedProps {
  /** The last words of the session. */
  reason?: string | undefined
  /** Nothing else is in the pane: the middle of it says why. */
  isAlone?: boolean
  onReconnect: () => void
}

/** That a session has no line any more, why, and the way back. */
export function NotConnected({ reason, isAlone = false, onReconnect }: NotConnectedProps) {
  return (
    <div className={`pane-lost${isAlone ? ' pane-lost-alone' : ''}`} role={reason ? 'alert' : 'status'}>
      <strong>{t('Not connected')}</strong>
      {reason && <p>{reason}</p>}
      <Button size="small" type="primary" onClick={onReconnect}>
        {t('Reconnect')}
      </Button>
    </div>
  )
}
