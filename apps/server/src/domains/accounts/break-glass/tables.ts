import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId } from '../../../kernel/database/columns.ts'

export const accountsBreakGlass = pgTable('accounts_break_glass', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  usernames: text('usernames').array().notNull().default([]),
  threshold: integer('threshold').notNull().default(2),
  state: text('state').$type<'draft' | 'sealed' | 'opened'>().notNull().default('draft'),
  date_sent: dateTime('date_sent'),
  date_opened: dateTime('date_opened'),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const accountsBreakGlassAsset = pgTable(
  'accounts_break_glass_asset',
  { bundle: uuid('bundle').notNull(), asset: uuid('asset').notNull() },
  ({ bundle, asset }) => [primaryKey({ columns: [bundle, asset] })],
)
export const accountsBreakGlassApp = pgTable(
  'accounts_break_glass_app',
  { bundle: uuid('bundle').notNull(), app: uuid('app').notNull() },
  ({ bundle, app }) => [primaryKey({ columns: [bundle, app] })],
)
export const accountsBreakGlassHolder = pgTable(
  'accounts_break_glass_holder',
  { bundle: uuid('bundle').notNull(), user: uuid('user').notNull() },
  ({ bundle, user }) => [primaryKey({ columns: [bundle, user] })],
)

/** What files that were given out hold, in whichever of them. */
export const accountsBreakGlassAccount = pgTable(
  'accounts_break_glass_account',
  {
    bundle: uuid('bundle').notNull(),
    account: uuid('account').notNull(),
    asset: uuid('asset'),
    app: uuid('app'),
    username: text('username').notNull(),
    has_key: boolean('has_key').notNull(),
    date_sent: dateTime('date_sent').notNull(),
  },
  ({ bundle, account }) => [primaryKey({ columns: [bundle, account] })],
)
