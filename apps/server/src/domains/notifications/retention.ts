import { sql } from 'drizzle-orm'
import { deleteInSlices } from '../../kernel/database/delete-in-slices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { UNREAD_CHANGED } from './site-message.resource.ts'

const CARD_DAYS = 14

/** Every night deletes messages older than SITE_MESSAGE_KEEP_DAYS, read or not. */
export function scheduleRetention(kernel: Kernel): void {
  kernel.jobs.schedule(
    { name: 'notifications.forget_old', cron: '20 3 * * *', title: 'Remove old site messages' },
    async () => {
      const days = settingsOf(kernel).get('SITE_MESSAGE_KEEP_DAYS')
      const gone = await deleteInSlices(
        kernel.db,
        (limit) => sql`DELETE FROM notifications_site_message WHERE id IN (
        SELECT id FROM notifications_site_message WHERE date_created < now() - make_interval(days => ${days}) LIMIT ${limit})`,
      )
      // No messenger changes older ones, and no button counts so long.
      await kernel.db.execute(
        sql`DELETE FROM notifications_sent_card WHERE date_created < now() - make_interval(days => ${CARD_DAYS})`,
      )
      if (gone) await kernel.events.publish(UNREAD_CHANGED, {})
    },
  )
}
