import { isDeepStrictEqual } from 'node:util'
import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { keepCurrent } from '../../kernel/events/keep-current.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { DEFAULT_SETTINGS, isSecret } from './reading.ts'
import { settingsSetting } from './tables.ts'

/**
 * Checks new values for a domain that knows more of them than type and bounds.
 * @param changes values that were sent and differ from those in force
 * @param after the settings as they would be
 * @param fault gets each wrong field with an English message
 */
export type SettingCheck = (
  changes: Partial<Settings>,
  after: Settings,
  fault: (name: SettingName, text: string, values?: Record<string, unknown>) => void,
) => void

/**
 * The settings in force, in memory: read without waiting, and reloaded when any node changes one.
 */
export interface SettingsStore {
  get<K extends SettingName>(name: K): Settings[K]
  all(): Settings
  /** Whether somebody set it: in the console, a file or the environment. */
  isSet(name: SettingName): boolean
  /**
   * Stores one value and notifies all nodes. It is not checked: code that takes it from a person
   * does that.
   */
  set<K extends SettingName>(name: K, value: Settings[K]): Promise<void>
  /**
   * Stores the values that differ from those in force, all or none, and tells all nodes.
   * @param record runs in the same transaction with the names that change
   */
  change(values: Partial<Settings>, record?: (db: Database, changed: SettingName[]) => Promise<void>): Promise<void>
  /**
   * The same with whatever else `work` stores, all or none: it may change values by the function it is given.
   */
  changeWith(work: (db: Database, change: ChangeIn) => Promise<unknown>): Promise<void>
  /** Stores the values that differ in the caller's transaction, which calls `announce` after its commit. */
  changeIn(db: Database, values: Partial<Settings>): Promise<SettingName[]>
  /** The same for settings that nobody is to have set. */
  unsetIn(db: Database, names: readonly SettingName[]): Promise<void>
  /** Reads the settings again, here and on all nodes. */
  announce(names: readonly SettingName[]): Promise<void>
  /** Values that hold where nobody has set one: of the file, the environment or the default. */
  base(): Settings
  /** Checks of the domains, which add them at start; they see what people save. */
  checks: SettingCheck[]
}

/** Stores the values that differ, in the transaction of the caller, and answers their names. */
export type ChangeIn = (values: Partial<Settings>) => Promise<SettingName[]>

const stores = new WeakMap<Kernel, SettingsStore>()
/** Told on every node after settings were stored. */
export const SETTINGS_CHANGED = 'settings.changed'

/** The store of this server; opened by `registerSettings`. */
export function settingsOf(kernel: Kernel): SettingsStore {
  const store = stores.get(kernel)
  if (!store) throw new Error('settings are not opened yet')
  return store
}

type StoredSetting = typeof settingsSetting.$inferSelect

/**
 * Reads the stored settings over those of the environment over the defaults, and keeps them
 * current.
 */
export async function openSettings(kernel: Kernel): Promise<SettingsStore> {
  const { db, secrets, config } = kernel
  const base: Settings = { ...DEFAULT_SETTINGS, ...config.settings }
  let values = base
  let stored = new Set<string>()

  const over = (rows: readonly StoredSetting[]): Settings =>
    overBase(rows, base, secrets, (error, setting) =>
      kernel.app.log.error({ err: error, setting }, 'a stored secret cannot be opened with this key'),
    )
  const isSet = (name: SettingName) => stored.has(name) || Object.hasOwn(config.settings, name)
  const load = async () => {
    const rows = await db.select().from(settingsSetting)
    stored = new Set(rows.map(({ name }) => name))
    values = withSeenAddress(over(rows), isSet('SITE_URL'))
  }
  const reload = await keepCurrent(kernel, SETTINGS_CHANGED, load, 'settings could not be read')

  const store: SettingsStore = {
    checks: [],
    get: (name) => values[name],
    all: () => values,
    isSet,
    set: (name, value) => store.change({ [name]: value }),
    change: (wanted, record) =>
      store.changeWith(async (inside, change) => {
        const changed = await change(wanted)
        if (changed.length) await record?.(inside, changed)
      }),
    async changeWith(work) {
      const changed: SettingName[] = []
      await db.transaction((inside) =>
        work(inside, async (wanted) => {
          const names = await changeIn(inside, wanted)
          changed.push(...names)
          return names
        }),
      )
      await store.announce(changed)
    },
    changeIn: (inside, wanted) => changeIn(inside, wanted),
    async unsetIn(inside, names) {
      if (names.length) await inside.delete(settingsSetting).where(inArray(settingsSetting.name, [...names]))
    },
    async announce(names) {
      await reload()
      if (names.length) await kernel.events.publish(SETTINGS_CHANGED, { settings: names })
    },
    base: () => base,
  }
  const changeIn = async (inside: Database, wanted: Partial<Settings>): Promise<SettingName[]> => {
    const names = Object.keys(wanted) as SettingName[]
    if (!names.length) return []
    // Compared with what is stored now: another node may have changed it a moment ago.
    const now = over(
      await inside.select().from(settingsSetting).where(inArray(settingsSetting.name, names)).for('update'),
    )
    const changed = names.filter((name) => !isDeepStrictEqual(wanted[name], now[name]))
    if (changed.length)
      await inside
        .insert(settingsSetting)
        .values(changed.map((name) => rowOf(name, wanted[name])))
        .onConflictDoUpdate({
          target: settingsSetting.name,
          set: { value: sql`excluded.value`, value_sealed: sql`excluded.value_sealed` },
        })
    return changed
  }
  const rowOf = (name: SettingName, value: unknown) => {
    const json = JSON.stringify(value)
    return isSecret(name)
      ? { name, value: null, value_sealed: secrets.seal(json) }
      : { name, value: sql`${json}::jsonb`, value_sealed: null }
  }
  stores.set(kernel, store)
  return store
}

/**
 * The settings in force, read once: for commands, which run beside the server. Secrets that cannot be
 * opened have their defaults.
 */
export async function readSettingsInForce({
  db,
  secrets,
  config,
}: Pick<Kernel, 'db' | 'secrets' | 'config'>): Promise<Settings> {
  const rows = await db.select().from(settingsSetting)
  const read = overBase(rows, { ...DEFAULT_SETTINGS, ...config.settings }, secrets, () => {})
  const isSet = Object.hasOwn(config.settings, 'SITE_URL') || rows.some(({ name }) => name === 'SITE_URL')
  return withSeenAddress(read, isSet)
}

/** An address that nobody has set is the one at which people were seen. */
const withSeenAddress = (read: Settings, isSet: boolean): Settings => ({
  ...read,
  SITE_URL: isSet ? read.SITE_URL : read.SITE_URL_SEEN || read.SITE_URL,
})

/**
 * The stored values over those that hold without them. One that can't be opened is left out, so that
 * a lost key costs its secrets and not the whole service.
 */
function overBase(
  rows: readonly StoredSetting[],
  base: Settings,
  secrets: Kernel['secrets'],
  onFault: (error: unknown, name: string) => void,
): Settings {
  const open = ({ name, value, value_sealed }: StoredSetting): unknown => {
    if (!value_sealed) return value
    try {
      return JSON.parse(secrets.open('setting', name)(value_sealed))
    } catch (error) {
      onFault(error, name)
      return undefined
    }
  }
  const opened = rows.flatMap((row) => {
    const value = Object.hasOwn(ALL_SETTINGS, row.name) ? open(row) : undefined
    return value === undefined ? [] : [[row.name, value]]
  })
  return { ...base, ...Object.fromEntries(opened) }
}
