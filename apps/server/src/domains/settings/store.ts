import { RECONNECTED } from '../../kernel/events/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SETTING_DEFAULTS, type SettingName, type Settings } from './defaults.ts'
import { settingsSetting } from './tables.ts'

/** The settings in force on this node: read without waiting, refreshed when any node changes one. */
export interface SettingsStore {
  get<K extends SettingName>(name: K): Settings[K]
  /** Stores a value and tells all nodes. Values are checked by whoever takes them from a person. */
  set<K extends SettingName>(name: K, value: Settings[K]): Promise<void>
}

const stores = new WeakMap<Kernel, SettingsStore>()
const CHANGED = 'settings.changed'

/** The store of this server; opened by `registerSettings`. */
export function settingsOf(kernel: Kernel): SettingsStore {
  const store = stores.get(kernel)
  if (!store) throw new Error('settings are not opened yet')
  return store
}

/** Reads what differs from the defaults and keeps it current. */
export async function openSettings(kernel: Kernel): Promise<SettingsStore> {
  let values: Settings = SETTING_DEFAULTS
  const load = async () => {
    const rows = await kernel.db.select().from(settingsSetting)
    values = { ...SETTING_DEFAULTS, ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) }
  }
  // One after the other: an older answer must not take the place of a newer one.
  let reading = load()
  const reload = () => {
    reading = reading.catch(() => {}).then(load)
    return reading
  }
  await reading
  for (const news of [CHANGED, RECONNECTED])
    kernel.events.subscribe(news, () => void reload().catch((error) => kernel.app.log.error({ err: error }, 'settings could not be read')))
  const store: SettingsStore = {
    get: (name) => values[name],
    async set(name, value) {
      await kernel.db.insert(settingsSetting).values({ name, value }).onConflictDoUpdate({ target: settingsSetting.name, set: { value } })
      await reload()
      await kernel.events.publish(CHANGED, { setting: name })
    },
  }
  stores.set(kernel, store)
  return store
}
