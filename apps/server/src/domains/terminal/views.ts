import type { TargetFamily } from '@sallyport/contract/target.ts'
import { boolean, pgView, text, uuid } from 'drizzle-orm/pg-core'
import { dateTime, orgId } from '../../kernel/database/columns.ts'

/** Sessions as other domains may query them: who, where, when. */
export const terminalListedSession = pgView('terminal_listed_session', {
  id: uuid('id').notNull(),
  org_id: orgId(),
  user: text('user').notNull(),
  user_id: text('user_id').notNull(),
  asset: text('asset').notNull(),
  asset_id: text('asset_id').notNull(),
  system_user: text('system_user').notNull(),
  system_user_id: text('system_user_id').notNull(),
  login_from: text('login_from').notNull(),
  protocol: text('protocol').notNull(),
  is_finished: boolean('is_finished').notNull(),
  date_start: dateTime('date_start').notNull(),
  date_end: dateTime('date_end'),
  target_family: text('target_family').$type<TargetFamily>().notNull(),
}).existing()
