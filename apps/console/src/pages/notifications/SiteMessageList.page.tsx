import { type SiteMessage, siteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { Named } from '../../design/Named.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import styles from './messages.module.css'
import { markAsRead, openMessage } from './messages.tsx'

export const routes = places({
  name: 'SiteMessageList',
  menu: 'common',
  order: 10,
  title: msg('Site messages'),
  path: '/notifications/site-messages',
  hidden: true,
  bits: 0,
})

/**
 * Everything a person was ever told, with a filter for what is read (notes, "Routes of A2 without a
 * screen").
 */
export const siteMessagePages = definePages<SiteMessage>(siteMessage, {
  list: {
    columns: [
      {
        field: 'subject',
        cell: ({ row }) => (
          <button
            type="button"
            className={row.has_read ? `link ${styles.subject}` : `link ${styles.subject} ${styles.unread}`}
            title={row.subject}
            onClick={() => openMessage(row)}
          >
            {row.subject}
          </button>
        ),
      },
      // Whom nobody else sent is from Sallyport itself.
      { field: 'sender', cell: ({ value }) => <Named text={String(value || t('System@@sender'))} /> },
      'has_read',
      'read_at',
      'date_created',
    ],
    defaultColumns: ['subject', 'has_read', 'date_created'],
    none: msg('No messages'),
    rowActions: [
      {
        name: 'read',
        title: msg('Mark as read'),
        can: (row) => !row.has_read || t('It is read already'),
        run: (row) => markAsRead([row.id]),
      },
    ],
    bulkActions: [
      {
        name: 'read',
        title: msg('Mark as read'),
        run: async (ids, _rows, { refresh }) => {
          await markAsRead(ids)
          await refresh()
        },
      },
    ],
  },
})

export const pages = { SiteMessage: siteMessagePages }
