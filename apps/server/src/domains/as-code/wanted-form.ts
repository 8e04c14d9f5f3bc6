import type { Current } from './current-rows.ts'
import type { Desired } from './documents.ts'
import { type Form, fieldsOf, isOfNow, plainForm } from './form.ts'
import type { Kind } from './kinds.ts'

/** The row that a file wants, with the values of the present one that it leaves alone. */
export function mergedForm(kind: Kind, { form }: Desired, current: Current | undefined): Form {
  if (!current) return form
  const merged: Record<string, unknown> = { ...form }
  for (const [name, field] of Object.entries(fieldsOf(kind))) {
    const now = current.form[name]
    if (kind.grows?.includes(name)) merged[name] = [...new Set([...listOf(now), ...listOf(form[name])])]
    else if (isOfNow(field) && form[name] === undefined) merged[name] = now
  }
  return merged
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const wantedForm = (kind: Kind, desired: Desired, current: Current | undefined): Form =>
  plainForm(fieldsOf(kind), mergedForm(kind, desired, current), kind)
