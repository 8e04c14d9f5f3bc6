import { BellIcon } from 'lucide-react'
import { useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { t } from '../../lib/i18n.ts'
import { useUnread } from '../../pages/notifications/unread.ts'
import styles from './bell.module.css'

const MessageDrawer = lazily(() =>
  import('../../pages/notifications/MessageDrawerPanel.tsx').then((m) => m.MessageDrawerPanel),
)

/** More than this is "99+" (docs/rules/console.md#site_messages). */
const MOST_SHOWN = 99

/** The bell with the number of unread messages; opens the drawer at the right. */
export function MessageBell() {
  const unread = useUnread()
  const [open, setOpen] = useState(false)
  const words = unread > 0 ? t('Site messages, {{count}} unread', { count: unread }) : t('Site messages')
  return (
    <>
      <button
        type="button"
        className={`bar-button ${styles.bell}`}
        aria-label={words}
        title={words}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <BellIcon />
        {unread > 0 && <b className={styles.bellCount}>{unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}</b>}
      </button>
      {open && <MessageDrawer onClose={() => setOpen(false)} />}
    </>
  )
}
