import { customType, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../kernel/database/columns.ts'

/**
 * JSON as the driver reads it. drizzle's own type reads texts once more, and makes a number of a
 * phone or an id.
 */
const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: (value) => JSON.stringify(value),
})

/**
 * Settings that were stored: `value` for what may be read, `value_sealed` for secrets (their JSON,
 * sealed).
 */
export const settingsSetting = pgTable('settings_setting', {
  name: text('name').primaryKey(),
  value: json('value'),
  value_sealed: sealed('value_sealed'),
})
