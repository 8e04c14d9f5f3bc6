import { createHash } from 'node:crypto'
import type { AsCodeChange, AsCodeField, AsCodeRequest } from '@sallyport/contract/as-code.ts'
import { type Current, childFields } from './current-rows.ts'
import type { Desired } from './documents.ts'
import { type Form, fieldsOf, inOrder, isOfNow, isSame, isSet, plainForm, withoutDefaults } from './form.ts'
import type { Kind } from './kinds.ts'

/** The change of a row, field by field as files have them; undefined where there is none. */
export function changeOf(
  kind: Kind,
  desired: Desired,
  before: Current | undefined,
  after: Current | undefined,
  secrets: readonly string[],
): AsCodeChange | undefined {
  const fields: AsCodeField[] = before ? changedFields(kind, before, after) : newFields(kind, desired, after)
  fields.push(...secrets.map((field) => ({ field, is_secret: true })))
  if (before && !fields.length) return undefined
  return { kind: kind.name, name: desired.name, action: before ? 'update' : 'create', fields }
}

function newFields(kind: Kind, { form: wanted }: Desired, after: Current | undefined): AsCodeField[] {
  const fields = fieldsOf(kind)
  const shown = withoutDefaults(fields, after?.form ?? wanted, kind)
  const own = Object.entries(shown).flatMap(([name, value]): AsCodeField[] => {
    const field = fields[name]
    // The moment of the first write is another one each time.
    const isNow = field && isOfNow(field) && wanted[name] === undefined
    return kind.key.includes(name) || isNow ? [] : [{ field: name, after: value }]
  })
  const children = after?.children ?? []
  if (!kind.children || !children.length) return own
  return [
    ...own,
    { field: kind.children.field, added: children.map(({ form }) => shownChild(kind, form)), removed: [] },
  ]
}

function changedFields(kind: Kind, before: Current, after: Current | undefined): AsCodeField[] {
  const fields = fieldsOf(kind)
  const [was, is] = [plainForm(fields, before.form, kind), plainForm(fields, after?.form ?? {}, kind)]
  const changed = Object.entries(fields).flatMap(([name, field]): AsCodeField[] => {
    if (isSame(was[name], is[name])) return []
    if (!isSet(field)) return [{ field: name, before: was[name] ?? null, after: is[name] ?? null }]
    return [{ field: name, ...comesAndGoes(asList(was[name]), asList(is[name])) }]
  })
  if (!kind.children) return changed
  const words = (row: Current | undefined) => row?.children.map(({ form }) => shownChild(kind, form)) ?? []
  const below = comesAndGoes(words(before), words(after))
  return below.added.length || below.removed.length ? [...changed, { field: kind.children.field, ...below }] : changed
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function comesAndGoes(before: readonly unknown[], after: readonly unknown[]) {
  const without = (all: readonly unknown[], others: readonly unknown[]) => {
    const known = new Set(others.map((one) => JSON.stringify(one)))
    return all.filter((one) => !known.has(JSON.stringify(one)))
  }
  return { added: without(after, before), removed: without(before, after) }
}

const shownChild = (kind: Kind, form: Form) => withoutDefaults(childFields(kind), form)

/**
 * Says what a plan does. Another state, or other files, would lead to other changes: then what was shown
 * is not what would be done.
 */
export function digestOf(
  org: string,
  { prune = false, set_secrets = false }: AsCodeRequest,
  changes: readonly AsCodeChange[],
): string {
  const text = JSON.stringify(inOrder({ org, prune, set_secrets, changes }))
  return createHash('sha256').update(text).digest('hex')
}
