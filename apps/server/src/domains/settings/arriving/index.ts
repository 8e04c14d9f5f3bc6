import type { Fields } from '@sallyport/contract/define.ts'
import { SETTING_CATEGORIES, type SettingName } from '@sallyport/contract/settings/index.ts'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { arrive } from '../../../kernel/arrivals/arrive.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { definitionOf, isSecret, readSettings } from '../reading.ts'
import { readSettingsInForce, SETTINGS_CHANGED } from '../store.ts'
import { settingsSetting } from '../tables.ts'

const ALL = definitionOf('all', SETTING_CATEGORIES.all as Fields)

/** Values that may be stored here, and the names of those that the rules of here refuse. */
export async function readArrivingSettings(
  kernel: Pick<Kernel, 'db' | 'secrets' | 'config'>,
  values: Readonly<Record<string, unknown>>,
): Promise<{
  values: Record<string, unknown>
  refused: string[]
  inForce: Readonly<Record<string, unknown>>
}> {
  const before = await readSettingsInForce(kernel)
  const { values: read, errors } = readSettings(ALL, values, before, 'en')
  const refused = new Set(Object.keys(errors).map((path) => path.split('.')[0] ?? ''))
  return {
    values: Object.fromEntries(Object.entries(read).filter(([name]) => name in values && !refused.has(name))),
    refused: Object.keys(values).filter((name) => refused.has(name)),
    inForce: before,
  }
}

/** Names of the settings that somebody has set here, in the console, a file or the environment. */
export async function settingsHere({ db, config }: Pick<Kernel, 'db' | 'config'>): Promise<Set<string>> {
  const rows = await db.select({ name: settingsSetting.name }).from(settingsSetting)
  return new Set([...rows.map(({ name }) => name), ...Object.keys(config.settings)])
}

/** Stores settings that nobody has set here; the server that runs takes them over with the commit. */
export async function arriveSettings(run: ArrivalRun, values: Readonly<Record<string, unknown>>): Promise<Outcomes> {
  const rows = Object.entries(values).map(([name, value]): ArrivingRow => {
    const secret = isSecret(name)
    return {
      ...{ key: name, id: name, name, values: { value: secret ? null : value } },
      plain: { value_sealed: secret ? JSON.stringify(value) : null },
    }
  })
  const outcomes = await arrive(run, { kind: 'setting', table: settingsSetting, id: 'name' }, rows)
  const changed = [...outcomes].flatMap(([name, outcome]) =>
    outcome === 'added' || outcome === 'updated' ? [name as SettingName] : [],
  )
  if (changed.length) await publishIn(run.db, SETTINGS_CHANGED, { settings: changed })
  return outcomes
}

/** Answers which settings are not stored any more; servers that run put them back with the commit. */
export async function announceGoneSettings(
  { db }: Pick<ArrivalRun, 'db'>,
  names: readonly string[],
): Promise<string[]> {
  const stored = new Set(
    (await db.select({ name: settingsSetting.name }).from(settingsSetting)).map(({ name }) => name),
  )
  const gone = names.filter((name) => !stored.has(name)).sort()
  if (gone.length) await publishIn(db, SETTINGS_CHANGED, { settings: gone as SettingName[] })
  return gone
}
