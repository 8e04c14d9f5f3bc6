/**
 * What somebody typed into a form and did not save: kept in this tab of the browser, for this person,
 * until it is saved or given up. Secrets are never kept.
 */
import { session } from '../../session/session.ts'
import { childFields, type FormField, isSecret, widgetName } from '../view/form-groups.ts'
import type { FormValues } from '../view/form-view.ts'
import { itemFields } from '../widgets/items/edited-list.ts'

const PREFIX = 'draft '
/** Longer ones, as of pasted files, are not kept: a browser gives a page about five million. */
const MAX_CHARACTERS = 200_000

interface Draft {
  values: FormValues
  /** The row that was changed: another one since then makes the draft worthless. */
  base: string
}

const own = () => `${PREFIX}${session().profile.id} ${session().org?.id ?? ''} `

/** Where the draft of a form is kept. @param address of the page, with its query */
export const draftName = (address: string): string => own() + address

/** The kept values; undefined where there are none, or where the row has changed since then. */
export function readDraft(name: string, base: string): FormValues | undefined {
  forgetOthers()
  try {
    const draft = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Draft | null
    return draft?.base === base ? draft.values : undefined
  } catch {
    return undefined
  }
}

/** Keeps the values of these fields without their secrets, and nothing when that is too long. */
export function keepDraft(name: string, base: string, fields: readonly FormField[], values: FormValues): void {
  const text = JSON.stringify({ base, values: withoutSecrets(fields, values) } satisfies Draft)
  try {
    if (text.length <= MAX_CHARACTERS) sessionStorage.setItem(name, text)
  } catch {
    // The browser has no room left: there is no draft then.
  }
}

export const dropDraft = (name: string): void => sessionStorage.removeItem(name)

/** Those of people who were signed in before in this tab. */
function forgetOthers(): void {
  const mine = `${PREFIX}${session().profile.id} `
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !key.startsWith(mine)) sessionStorage.removeItem(key)
}

function withoutSecrets(fields: readonly FormField[], values: FormValues): FormValues {
  const kept: FormValues = {}
  for (const field of fields) {
    const value = values[field.name]
    if (value === undefined || isSecret(field) || !isPlain(value)) continue
    const items = itemFields(field)
    if (items) kept[field.name] = ((value ?? []) as readonly FormValues[]).map((item) => withoutSecrets(items, item))
    else if (widgetName(field) === 'nested')
      kept[field.name] = withoutSecrets(childFields(field), (value ?? {}) as FormValues)
    else kept[field.name] = value
  }
  return kept
}

/** No file, and nothing that cannot be used: only what can be written down and read again. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
}
