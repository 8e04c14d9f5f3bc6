import { customType, pgTable, text } from 'drizzle-orm/pg-core'
import { sealed } from '../../kernel/database/columns.ts'

/**
 * `jsonb` as the driver reads it. drizzle's own type parses strings a second time, and turns a
 * phone number or an id into a number.
 */
const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: (value) => JSON.stringify(value),
})

/**
 * Stored settings: `value` for those that may be read, `value_sealed` for secrets (their JSON,
 * sealed).
 */
export const settingsSetting = pgTable('settings_setting', {
  name: text('name').primaryKey(),
  value: json('value'),
  value_sealed: sealed('value_sealed'),
})
