import type { SiteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import styles from './messages.module.css'
import { SafeHtml } from './SafeHtml.tsx'

interface MessageViewProps {
  message: SiteMessage
  onRead: () => Promise<void>
  onClose: () => void
}

/** A whole message: when, from whom, its text, and a button to be done with it. */
export function MessageView({ message, onRead, onClose }: MessageViewProps) {
  const [busy, setBusy] = useState(false)
  const read = async () => {
    setBusy(true)
    try {
      await onRead()
    } catch {
      // The client has shown why.
      setBusy(false)
    }
  }
  return (
    <>
      <p className={styles.messageMeta}>
        {[formatDate(message.date_created), nameOf(message.sender)].filter(Boolean).join(' · ')}
      </p>
      <SafeHtml html={message.message} />
      <div className={styles.messageButtons}>
        <Button onClick={onClose}>{message.has_read ? t('Close') : t('Cancel')}</Button>
        {!message.has_read && (
          <Button type="primary" loading={busy} onClick={() => void read()}>
            {t('Mark as read')}
          </Button>
        )}
      </div>
    </>
  )
}
