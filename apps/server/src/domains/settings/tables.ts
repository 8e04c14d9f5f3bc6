import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../kernel/database/columns.ts'

/** Settings that were stored: `value` for what may be read, `value_sealed` for secrets (their JSON, sealed). */
export const settingsSetting = pgTable('settings_setting', {
  name: text('name').primaryKey(),
  value: jsonb('value'),
  value_sealed: sealed('value_sealed'),
})
