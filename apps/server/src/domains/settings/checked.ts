import { isDeepStrictEqual } from 'node:util'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import {
  ALL_SETTINGS,
  SETTING_CATEGORIES,
  type SettingCategory,
  type SettingName,
  type Settings,
} from '@sallyport/contract/settings/index.ts'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { valueChanges } from '../../kernel/resource/operate-log/changes.ts'
import { definitionOf, readSettings } from './reading.ts'
import type { SettingsStore } from './store.ts'

export const DEFINITIONS = Object.fromEntries(
  Object.entries(SETTING_CATEGORIES).map(([name, fields]) => [name, definitionOf(name, fields as Fields)]),
) as Record<SettingCategory, ReturnType<typeof definitionOf>>

/**
 * Reads values that somebody would set, by the rules of all domains.
 * @returns errors by dotted path, in the caller's language
 */
export function checkedSettings(
  settings: SettingsStore,
  category: SettingCategory,
  sent: Readonly<Record<string, unknown>>,
  { language }: Call,
): { values: Partial<Settings>; errors: FieldErrors } {
  const before = settings.all()
  const { values, errors } = readSettings(DEFINITIONS[category], sent, before, language)
  for (const check of settings.checks)
    check(changesOf(values, before), { ...before, ...values }, (name, text, places) => {
      errors[name] ??= [translate(language, text, places)]
    })
  return { values, errors }
}

/**
 * What differs from the settings in force: forms send all values back, and those were checked when
 * they were saved.
 */
const changesOf = (values: Partial<Settings>, before: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, before[name as SettingName])),
  )

/** A row of the operate log for each setting that changes. */
export function recordSettings(
  kernel: Kernel,
  db: Database,
  call: Call,
  changed: readonly SettingName[],
  before: Partial<Settings>,
  after: Partial<Settings>,
): Promise<void> {
  return kernel.audit.record(
    db,
    call,
    changed.map((name) => ({
      action: 'update',
      resourceType: 'Setting',
      resource: name,
      orgId: ROOT_ORG_ID,
      object: { type: 'setting', id: name },
      changes: valueChanges(ALL_SETTINGS, { [name]: before[name] }, { [name]: after[name] }),
    })),
  )
}
