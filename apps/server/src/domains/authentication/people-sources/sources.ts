/**
 * What signs people in besides a password here, of one kind: first that of the settings, then the further
 * ones in their order. A further one is read by the names of the settings, so that the code which asks one
 * asks all.
 */
import type { Kernel } from '../../../kernel/kernel.ts'
import { type SettingName, type Settings, type SettingsStore, settingsOf } from '../../settings/index.ts'
import type { FurtherTable } from './columns.ts'
import { rowById, rowInForce, rowsInOrder } from './rows.ts'

/** The settings as they are now. */
export type ReadSettings = Pick<SettingsStore, 'get'>

export interface PeopleSource<Pages = unknown> {
  /** The id of a further one; null for that of the settings. */
  id: string | null
  name: string
  /** Whether nobody new comes in by it. */
  existingOnly: boolean
  /** How it is asked, by the names of the settings. */
  settings: ReadSettings
  pages: Pages
}

/** The pages of every provider that has some. */
export interface SignInPages {
  /** Leads there. */
  login: string
  /** People come back to it. */
  callback: string
}

type Row<T extends FurtherTable> = T['$inferSelect'] & {
  id: string
  name: string
  existing_only: boolean
}

interface SourceKind<T extends FurtherTable, Pages> {
  /** The setting that switches the first of them on. */
  isOn: 'AUTH_OPENID' | 'AUTH_SAML2' | 'AUTH_CAS' | 'AUTH_RADIUS'
  /** How the first of them is called. */
  firstName: string
  firstPages: Pages
  furtherPages(id: string): Pages
  table: T
  /** The columns of a further one, by the settings whose places they take. */
  fields: Partial<Record<SettingName, keyof T['$inferSelect'] & string>>
  /** Settings whose value is sealed: where, and what it is, for the log when it can't be opened. */
  sealed?: Partial<Record<SettingName, { column: keyof T['$inferSelect'] & `${string}_sealed`; what: string }>>
  /** Values of settings that no further one has otherwise. */
  fixed?: Partial<Settings>
  /** Settings of the first one that count for a row as well. */
  inherited?(row: T['$inferSelect']): readonly SettingName[]
}

type Place = Pick<Kernel, 'db' | 'secrets'>

export interface PeopleSources<T extends FurtherTable, Pages> {
  table: T
  firstPages: Pages
  furtherPages(id: string): Pages
  /** Those besides that of the settings that are on, in their order. */
  further(place: Place, settings: ReadSettings): Promise<PeopleSource<Pages>[]>
  /** One by its id, null for that of the settings; undefined for one that is off or gone. */
  inForce(kernel: Kernel, id: string | null): Promise<PeopleSource<Pages> | undefined>
  /** The same, also of one that is off. */
  anyway(kernel: Kernel, id: string | null): Promise<PeopleSource<Pages> | undefined>
  /** Values of a row, or of a form, by the names of settings. */
  asSettings(values: Readonly<Record<string, unknown>>): Partial<Settings>
  /** The field that takes the place of a setting; undefined for those that have none. */
  fieldOf(setting: string): string | undefined
}

/** The sources of one kind. */
export function peopleSources<T extends FurtherTable, Pages>(kind: SourceKind<T, Pages>): PeopleSources<T, Pages> {
  const { table, fields, sealed = {}, fixed = {}, firstPages, furtherPages } = kind
  const asSettings = (values: Readonly<Record<string, unknown>>): Partial<Settings> =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => {
        const value = values[field]
        return value === undefined ? [] : [[name, value]]
      }),
    )
  const sourceOf = ({ secrets }: Pick<Place, 'secrets'>, settings: ReadSettings, row: Row<T>): PeopleSource<Pages> => {
    const { id, name, existing_only } = row
    const own: Partial<Settings> = { ...asSettings(row), ...fixed }
    const inherited = kind.inherited?.(row) ?? []
    const get: SettingsStore['get'] = (setting) => {
      if (inherited.includes(setting)) return settings.get(setting)
      const hidden = sealed[setting]
      if (hidden) {
        const value = row[hidden.column] as Buffer | null
        return (value ? secrets.open('sign_in', `${hidden.what} ${id}`)(value) : '') as never
      }
      return setting in own ? (own[setting] as never) : settings.get(setting)
    }
    return { id, name, existingOnly: existing_only, settings: { get }, pages: furtherPages(id) }
  }
  const ofSettings = (settings: ReadSettings): PeopleSource<Pages> => ({
    id: null,
    name: kind.firstName,
    existingOnly: false,
    settings,
    pages: firstPages,
  })
  return {
    table,
    firstPages,
    furtherPages,
    further: async (place, settings) =>
      (await rowsInOrder(place.db, table)).map((row) => sourceOf(place, settings, row as Row<T>)),
    async inForce(kernel, id) {
      const settings = settingsOf(kernel)
      if (id === null) return settings.get(kind.isOn) ? ofSettings(settings) : undefined
      const row = await rowInForce(kernel.db, table, id)
      return row && sourceOf(kernel, settings, row as Row<T>)
    },
    async anyway(kernel, id) {
      const settings = settingsOf(kernel)
      if (id === null) return ofSettings(settings)
      const row = await rowById(kernel.db, table, id)
      return row && sourceOf(kernel, settings, row as Row<T>)
    },
    asSettings,
    fieldOf: (setting) =>
      fields[setting as SettingName] ??
      Object.entries(sealed)
        .find(([name]) => name === setting)?.[1]
        .column.replace(/_sealed$/, ''),
  }
}
