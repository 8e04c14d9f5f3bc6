/** The common parts of the drawer and the page of all messages. */
import { type SiteMessage, siteMessage } from '@sallyport/contract/resources/notifications/site-message.ts'
import { openDialog } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { atOnce, withValues } from '../../lib/at-once.ts'
import { MessageView } from './MessageView.tsx'

const MARK_PATH = `${siteMessage.path}mark-as-read/`

/** Marks messages of the caller; those that are read already stay as they are. */
export async function markAsRead(ids: readonly string[]): Promise<void> {
  await atOnce(siteMessage.path, withValues(ids, { has_read: true }), () => api.patch(MARK_PATH, { ids }))
}

/** Shows a message whole; it is read when the person says so (A4.05). */
export function openMessage(message: SiteMessage): void {
  openDialog({
    title: message.subject,
    width: 'min(640px, 94vw)',
    content: (close) => (
      <MessageView
        message={message}
        onClose={close}
        onRead={async () => {
          await markAsRead([message.id])
          close()
        }}
      />
    ),
  })
}
