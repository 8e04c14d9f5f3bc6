/** The rules that every further directory, provider and server is written by. */

import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { count } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Call } from '../../../kernel/access/call.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { type Settings, type SettingsStore, settingFaults } from '../../settings/index.ts'
import type { OutsideSource } from '../outside-source.ts'
import type { FurtherTable } from './columns.ts'
import { keepPeopleInStep, shutPeopleOut } from './people-in-step.ts'
import type { PeopleSources } from './sources.ts'

/** All are asked about a new name, or have a button on the sign-in page. */
const MOST = 20

interface Writing {
  call: Call
  db: Database
  row: unknown
}

/**
 * What goes before and after each write and deletion.
 * @param tooMany English, with `{{max}}`
 */
export const furtherRules = (table: FurtherTable, source: OutsideSource, tooMany: string) => ({
  // Its people come in.
  beforeWrite: [({ call }: Writing) => refuseLimited(call), refuseMore(table, tooMany)],
  afterWrite: [keepPeopleInStep(source)],
  beforeDelete: [({ call }: { call: Call }) => refuseLimited(call)],
  afterDelete: [shutPeopleOut],
})

const refuseMore =
  (table: FurtherTable, text: string) =>
  async ({ db, row }: Writing): Promise<void> => {
    if (row) return
    const [found] = await db.select({ amount: count() }).from(table as PgTable)
    if ((found?.amount ?? 0) >= MOST) throw new AppError(400, 'too_many', text, { values: { max: MOST } })
  }

/**
 * The faults by field for which the settings of the first one would be refused as well.
 * @param also values that are no fields to be read, such as secrets
 */
export function faultsAsSettings(
  sources: Pick<PeopleSources<FurtherTable, unknown>, 'asSettings' | 'fieldOf'>,
  settings: SettingsStore,
  call: Call,
  values: Readonly<Record<string, unknown>>,
  also: Partial<Settings> = {},
): Record<string, unknown> {
  const changes = { ...sources.asSettings(values), ...also }
  const after = { ...settings.all(), ...changes }
  const faults: FieldErrors = settingFaults(changes, after, call.language)
  for (const check of settings.checks)
    check(changes, after, (name, text, placeholders) => {
      faults[name] = [translate(call.language, text, placeholders)]
    })
  return Object.fromEntries(Object.entries(faults).map(([name, texts]) => [sources.fieldOf(name) ?? name, texts]))
}
