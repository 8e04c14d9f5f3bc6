import { type SiteMessage, siteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { useQuery } from '@tanstack/react-query'
import { MessageSquareIcon } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { Drawer } from '../../design/dialogs/Drawer.tsx'
import { ask } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { When } from '../../generic/cells/When.tsx'
import { api, type ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import styles from './messages.module.css'
import { markAsRead, openMessage } from './messages.tsx'
import { plainText } from './SafeHtml.tsx'
import { setUnread, useUnread } from './unread.ts'

/** The call of the bell (B7.22). */
const UNREAD = { offset: 0, limit: 15, has_read: false }

/**
 * The newest unread messages, each to be opened or marked; or all that are shown at once (A4.05
 * B7.22 B7.23).
 */
export function MessageDrawerPanel({ onClose }: { onClose: () => void }) {
  const unread = useUnread()
  const list = useQuery({
    queryKey: keys.list(siteMessage.path, UNREAD),
    queryFn: ({ signal }) => api.get<ListPage<SiteMessage>>(siteMessage.path, { query: UNREAD, signal, quiet: true }),
  })
  const { data, refetch } = list
  const messages = data?.results ?? []
  useEffect(() => {
    if (data) setUnread(data.count)
  }, [data])
  // A message came, or was read in another tab, while the drawer is open.
  useEffect(() => {
    if (data && unread !== data.count) void refetch()
  }, [unread, data, refetch])
  const readAll = async () => {
    if (
      !(await ask({
        title: t('Mark {{count|message|messages}} as read?', { count: messages.length }),
        content: t('They stay in the list of all messages.'),
        okText: t('Mark as read'),
      }))
    )
      return
    await markAsRead(messages.map(({ id }) => id))
  }
  const all = addressOf('SiteMessageList')
  return (
    <Drawer
      title={t('Site messages')}
      width="max(25%, min(100vw, 380px))"
      onClose={onClose}
      tools={
        messages.length > 0 && (
          <Button size="small" onClick={() => void readAll().catch(() => {})}>
            {t('Mark all as read')}
          </Button>
        )
      }
      foot={
        all && (
          <Link to={all} onClick={onClose}>
            {t('All messages')}
          </Link>
        )
      }
    >
      {list.isLoadingError ? (
        <LoadFailed error={list.error} onRetry={() => void refetch()} />
      ) : list.isPending ? (
        <span>{t('Loading')}</span>
      ) : messages.length === 0 ? (
        <p className={styles.noMessages}>{t('No unread messages')}</p>
      ) : (
        <ul className={styles.messageList}>
          {messages.map((message) => (
            <MessageItem key={message.id} message={message} />
          ))}
        </ul>
      )}
    </Drawer>
  )
}

function MessageItem({ message }: { message: SiteMessage }) {
  return (
    <li>
      <button type="button" className={styles.messageOpen} onClick={() => openMessage(message)}>
        <span className={styles.messageSubject}>
          <MessageSquareIcon /> {message.subject}
        </span>
        <span className={styles.messageLine}>{plainText(message.message)}</span>
      </button>
      <span className={styles.messageTime}>
        <When value={message.date_created} />
      </span>
      <button
        type="button"
        className={`link ${styles.messageMark}`}
        onClick={() => void markAsRead([message.id]).catch(() => {})}
      >
        {t('Mark as read')}
      </button>
    </li>
  )
}
