import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'

interface NotConnectedProps {
  /** The last words of the session. */
  reason?: string | undefined
  /** Nothing else is in the pane: the middle of it says why. */
  isAlone?: boolean
  /** The page that says it in full and asks for access, where a session was refused. */
  why?: string | undefined
  onReconnect: () => void
}

/** That a session has no line any more, why, and the way back. */
export function NotConnected({ reason, isAlone = false, why, onReconnect }: NotConnectedProps) {
  return (
    <div className={`pane-lost${isAlone ? ' pane-lost-alone' : ''}`} role={reason ? 'alert' : 'status'}>
      <strong>{t('Not connected')}</strong>
      {reason && <p>{reason}</p>}
      {why && (
        <a href={why} target="_blank" rel="noreferrer">
          {t('Why?')}
        </a>
      )}
      <Button size="small" type="primary" onClick={onReconnect}>
        {t('Reconnect')}
      </Button>
    </div>
  )
}
