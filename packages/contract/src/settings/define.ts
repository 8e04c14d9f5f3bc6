import type { Field, ValueOf } from '../define.ts'

/** One object per category, chosen by the query `category`. */
export const SETTINGS_PATH = '/api/v1/settings/setting/'

/**
 * A setting is a field whose `default` counts as long as nobody has set it; every setting has one.
 */
export type SettingField = Field & {
  default: unknown
  /** Every secret says where it is sent. */
  sentTo?: Recipient
}

/**
 * The settings that say where a secret goes. When an address changes, or the way there is protected
 * less, the stored secret is not for it any more: it is sent again in the same request.
 */
export interface Recipient {
  /** Empty for a secret that stays here, or whose recipient only file and environment name. */
  addresses: readonly string[]
  /** Switches of which one at least is on when the way is encrypted. */
  encryptedBy?: readonly string[]
  /** Switches that, when on, trust the server that answers. */
  uncheckedBy?: readonly string[]
}

type Values = Readonly<Record<string, unknown>>

/** Whether a secret that was for its recipient before would go elsewhere, or less protected, after. */
export function leadsElsewhere(
  { addresses, encryptedBy = [], uncheckedBy = [] }: Recipient,
  before: Values,
  after: Values,
): boolean {
  const some = (names: readonly string[], values: Values) => names.some((name) => values[name])
  return (
    addresses.some((name) => after[name] !== before[name]) ||
    (some(encryptedBy, before) && !some(encryptedBy, after)) ||
    (!some(uncheckedBy, before) && some(uncheckedBy, after))
  )
}

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
