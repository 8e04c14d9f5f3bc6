import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import { DEFAULT_SETTINGS, definitionOf, readSettings } from './domains/settings/reading.ts'

/** Prefix of settings in environment and settings file: `SALLYPORT_SETTING_SITE_URL`. */
export const SETTING_PREFIX = 'SALLYPORT_SETTING_'

const definition = definitionOf('given', ALL_SETTINGS)

/**
 * Settings that an unattended install brings along. They hold until an administrator stores others.
 * @param given by the full name of the variable: texts, or JSON values of the settings file; lists as comma lists, objects as JSON
 * @param problems gets a line for every setting that is unknown or out of its bounds
 */
export function readEnvironmentSettings(
  given: Readonly<Record<string, unknown>>,
  problems: string[],
): Partial<Settings> {
  const body: Record<string, unknown> = {}
  for (const [variable, value] of Object.entries(given)) {
    const name = variable.slice(SETTING_PREFIX.length)
    if (!Object.hasOwn(ALL_SETTINGS, name)) problems.push(`${variable} is not a setting: docs/configure.md lists them`)
    else body[name] = typeof value === 'string' ? sentValue(name as SettingName, value) : value
  }
  const { values, errors } = readSettings(definition, body, DEFAULT_SETTINGS, 'en')
  for (const [path, messages] of Object.entries(errors))
    problems.push(`${SETTING_PREFIX}${path}: ${messages.join(' ')}`)
  return values
}

/** A text as the API would be sent it. */
function sentValue(name: SettingName, text: string): unknown {
  const { type } = ALL_SETTINGS[name]
  if (type === 'strings') return text.split(',').map((part) => part.trim())
  if (type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
