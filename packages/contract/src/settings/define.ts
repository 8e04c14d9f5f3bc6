import type { Field, ValueOf } from '../define.ts'

/** One object per category, chosen by the query `category`. */
export const SETTINGS_PATH = '/api/v1/settings/setting/'

/**
 * A setting is a field whose `default` counts as long as nobody has set it; every setting has one.
 */
export type SettingField = Field & { default: unknown }

/** Returns its argument with literal types: names and choices. */
export function defineSettings<const F extends Readonly<Record<string, SettingField>>>(fields: F): F {
  return fields
}

/** Values of settings by name. */
export type SettingValues<F> = {
  -readonly [K in keyof F]: F[K] extends Field
    ? F[K] extends { nullable: true; type: 'integer' }
      ? number | null
      : ValueOf<F[K]>
    : never
}
