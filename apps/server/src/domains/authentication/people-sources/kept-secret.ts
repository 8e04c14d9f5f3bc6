/** The secret of a further directory, provider or server: it is kept sealed, and goes where it was entered for alone. */
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { FurtherTable } from './columns.ts'
import { rowById } from './rows.ts'

export interface KeptSecret {
  table: FurtherTable
  /** Its name on the wire; it is stored in the column `<field>_sealed`. */
  field: string
  /** What it is, for the log when it can't be opened. */
  what: string
  /** What says where it goes: when one of these changes, it has to be entered again. */
  addresses: readonly string[]
  /** A switch that leaves the way there less protected while it is on. */
  unchecked?: string
}

const AGAIN = 'Enter it again: the saved one is only sent to the saved address'

/** Values of a row, or of a form, by their names. */
type Values = Readonly<Record<string, unknown>>

/** Whether the stored one would go to another address than it was entered for, or less protected. */
export const leadsElsewhere = (
  { addresses, unchecked }: Pick<KeptSecret, 'addresses' | 'unchecked'>,
  after: Values,
  before: Values,
): boolean =>
  addresses.some((name) => after[name] !== undefined && after[name] !== before[name]) ||
  (unchecked !== undefined && after[unchecked] === true && before[unchecked] !== true)

/** The stored one, sealed; undefined where there is none. */
async function sealedOf(db: Database, { table, field }: KeptSecret, id: string): Promise<[Values, Buffer] | undefined> {
  const row = (await rowById(db, table, id)) as Values | undefined
  const sealed = row?.[`${field}_sealed`]
  return row && sealed ? [row, sealed as Buffer] : undefined
}

/** Whether there is a stored one. */
export const isKept = async (db: Database, secret: KeptSecret, id: string): Promise<boolean> =>
  (await sealedOf(db, secret, id)) !== undefined

/** The stored one of a row; empty where there is none. */
export async function openKept(
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  secret: KeptSecret,
  id: string,
): Promise<string> {
  const kept = await sealedOf(db, secret, id)
  return kept ? secrets.open('sign_in', `${secret.what} ${id}`)(kept[1]) : ''
}

/**
 * The text to show at a secret that a draft leaves out, where the stored one would go elsewhere;
 * undefined where nothing is wrong.
 */
export async function secretFault(
  secret: KeptSecret,
  { db, draft, row }: { db: Database; draft: Values; row: (Values & { id: string }) | undefined },
): Promise<string | undefined> {
  if (!row || draft[secret.field] || !leadsElsewhere(secret, draft, row)) return undefined
  return (await isKept(db, secret, row.id)) ? AGAIN : undefined
}

/**
 * The secret of a form that is tried before it is saved, or the stored one of the row that it changes,
 * which goes to its own address alone. Empty where there is none. Throws 400.
 */
export async function secretForTrial(
  { db, secrets }: Kernel,
  secret: KeptSecret,
  form: Values & { id?: string | null | undefined },
  language: Language,
): Promise<string> {
  const { field, what } = secret
  const typed = form[field]
  if (typeof typed === 'string' && typed) return typed
  const kept = form.id ? await sealedOf(db, secret, form.id) : undefined
  if (!kept) return ''
  const [row, sealed] = kept
  if (leadsElsewhere(secret, form, row)) throw invalid({ [field]: translate(language, AGAIN) })
  return secrets.open('sign_in', `${what} ${form.id}`)(sealed)
}
