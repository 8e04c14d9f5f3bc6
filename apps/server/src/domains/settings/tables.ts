import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'

export const settingsSetting = pgTable('settings_setting', { name: text('name').primaryKey(), value: jsonb('value').notNull() })
