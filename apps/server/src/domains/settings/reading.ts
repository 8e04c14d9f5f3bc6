import { randomUUID } from 'node:crypto'
import type { Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { email } from '@sallyport/contract/settings/email.ts'
import { ALL_SETTINGS, SETTINGS_PATH, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import { readBody } from '../../kernel/resource/schema.ts'
import { settingFaults } from './rules.ts'
import { secretsForNobody, secretsToEnterAgain } from './secret-recipients.ts'

/** A category as a definition that the engine's metadata and validation understand. */
export function definitionOf(name: string, fields: Fields): ResourceDefinition {
  return {
    name: `setting_${name}`,
    path: SETTINGS_PATH,
    label: 'Setting',
    scope: 'global',
    operations: ['retrieve', 'update', 'partial_update'],
    permission: { list: ['super_admin'], write: ['super_admin'] },
    display: '',
    fields,
    search: [],
    filters: [],
    ordering: [],
    defaultOrder: [],
  }
}

/** Values of settings that nobody has set. */
export const DEFAULT_SETTINGS = Object.fromEntries(
  Object.entries(ALL_SETTINGS).map(([name, field]) => [name, field.default]),
) as unknown as Settings

const SECRETS = new Set(Object.entries(ALL_SETTINGS).flatMap(([name, field]) => ('writeOnly' in field ? [name] : [])))

/** Whether a setting is sealed when stored and never answered. */
export const isSecret = (name: string): boolean => SECRETS.has(name)

/**
 * Reads new values of settings. What is not sent stays as it is; an empty secret means: keep the
 * old one, which is an error when it would go elsewhere now. Unknown names are dropped.
 * @param before the settings in force
 * @returns errors by dotted path, in the language given
 */
export function readSettings(
  definition: ResourceDefinition,
  body: Readonly<Record<string, unknown>>,
  before: Settings,
  language: Language,
): { values: Partial<Settings>; errors: FieldErrors } {
  const sent = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) =>
        !(isSecret(name) && (value === '' || value === null)) &&
        !(name === 'ANNOUNCEMENT' && isEmptyAnnouncement(value)),
    ),
  )
  const { values: read, errors } = readBody(definition, 'patch', language, sent)
  const values = Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, normal(name as SettingName, value)]),
  )
  // Forms send an announcement back empty when there is none: it is stored as none.
  if (isEmptyAnnouncement(body.ANNOUNCEMENT) && 'ANNOUNCEMENT' in definition.fields) values.ANNOUNCEMENT = {}
  Object.assign(errors, settingFaults(values, { ...before, ...values }, language))
  // An address that is refused leads nowhere.
  const good = Object.fromEntries(Object.entries(values).filter(([name]) => !errors[name]))
  const forgotten = new Set(secretsForNobody(good, before))
  for (const name of forgotten) if (!values[name]) Object.assign(values, { [name]: '' })
  for (const name of secretsToEnterAgain(good, before).filter((one) => !forgotten.has(one)))
    errors[name] ??= [translate(language, 'Enter it again: the saved one is only sent to the saved address')]
  return { values, errors }
}

/** Normalizes a value, so that equal settings are stored equal. */
function normal(name: SettingName, value: unknown): unknown {
  if (value === null) return structuredClone(ALL_SETTINGS[name].default)
  if (name === 'SITE_URL') return String(value).replace(/\/+$/, '') || 'http://127.0.0.1'
  // A new id makes the banner appear again to those who closed it
  // (docs/rules/settings.md#setting_basic).
  if (name === 'ANNOUNCEMENT') return { ...(value as object), ID: randomUUID() }
  if (ALL_SETTINGS[name].type === 'strings') return (value as string[]).filter(Boolean)
  return value
}

function isEmptyAnnouncement(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { SUBJECT, CONTENT, LINK } = value as Record<string, unknown>
  return !SUBJECT && !CONTENT && !LINK
}

/** Reads mail settings that are sent along with a test, as they would be stored. */
export function readEmailSettings(body: Readonly<Record<string, unknown>>, before: Settings, language: Language) {
  return readSettings(EMAIL, body, before, language)
}

const EMAIL = definitionOf('email', email)
