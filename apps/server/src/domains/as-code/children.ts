import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import { translateError } from '../../kernel/errors/translate-error.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { createRow, updateRow } from '../../kernel/resource/write.ts'
import { type Current, childFields } from './current-rows.ts'
import type { Desired } from './documents.ts'
import { refusalOf } from './door.ts'
import { type Form, fullForm, plainForm } from './form.ts'
import type { Kind } from './kinds.ts'
import type { Run } from './run.ts'

/** The children of a row as they are, beside those that a file wants. They have no names: what is equal is the same. */
interface Matched {
  /** Those that stay, by their place among the wanted. */
  changed: { at: number; form: Form; current: Current | undefined }[]
  gone: Current[]
}

function matched(kind: Kind, wanted: readonly Form[], current: readonly Current[]): Matched {
  const fields = childFields(kind)
  const plain = (form: Form) => JSON.stringify(plainForm(fields, form))
  const left = Map.groupBy(current, ({ form }) => plain(form))
  const open: { at: number; form: Form }[] = []
  for (const [at, form] of wanted.entries()) if (!left.get(plain(form))?.pop()) open.push({ at, form })
  const unmatched = new Set([...left.values()].flat())
  const rest = current.filter((one) => unmatched.has(one))
  return {
    changed: open.map((one, at) => ({ ...one, current: rest[at] })),
    gone: rest.slice(open.length),
  }
}

/** How many children would be written or deleted. */
export function changesBelow(kind: Kind, { children }: Desired, current: Current | undefined): number {
  if (!kind.children) return 0
  const { changed, gone } = matched(kind, children, current?.children ?? [])
  return changed.length + gone.length
}

/** Brings the children of a row to those of the file. Throws at the place of the one that is refused. */
export async function writeChildren(
  { references, context: { kernel } }: Run,
  kind: Kind,
  { children }: Desired,
  current: Current | undefined,
  owner: string,
  context: ReadContext,
): Promise<void> {
  if (!kind.children) return
  const { definition, parameter, field } = kind.children
  const resource = resourcesOf(kernel).get(definition.name)
  const inside = { ...context, parameters: { [parameter]: owner } }
  const fields = childFields(kind)
  const { changed, gone } = matched(kind, children, current?.children ?? [])
  const allow = (act: 'create' | 'update' | 'destroy') => {
    const refusal = refusalOf(definition, act, context)
    if (refusal) throw refusal
  }
  for (const { at, form, current: row } of changed)
    try {
      allow(row ? 'update' : 'create')
      const body = await references.inIds(fields, row ? fullForm(fields, form) : form)
      if (row) await updateRow(resource, row.id, 'patch', body, inside)
      else await createRow(resource, body, inside)
    } catch (thrown) {
      throw within(`${field}.${at}.`, translateError(thrown, context.call.language))
    }
  for (const { id } of gone) {
    allow('destroy')
    await deleteRowsById(resource, [id], inside)
  }
}

function within(place: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !error.fields) return error
  return invalid(Object.fromEntries(Object.entries(error.fields).map(([name, texts]) => [place + name, texts])), error)
}
