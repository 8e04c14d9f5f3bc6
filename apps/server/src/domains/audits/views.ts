import { pgView, text, uuid } from 'drizzle-orm/pg-core'
import { dateTime, orgId } from '../../kernel/database/columns.ts'

/** What people did with files of assets, as other domains may query it: who, where, when. */
export const auditsListedFile = pgView('audits_listed_file', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  user_id: uuid('user_id'),
  asset_id: uuid('asset_id'),
  session_id: uuid('session_id'),
  operate: text('operate').notNull(),
  date_start: dateTime('date_start').notNull(),
}).existing()
