import { translate } from '../../kernel/i18n/translate.ts'
import type { Desired } from './documents.ts'
import { fieldsInside, fieldsOf, isSecret } from './form.ts'
import type { Kind } from './kinds.ts'
import type { Run } from './run.ts'

/** A secret that is somewhere, and was not sent. */
const isUnsent = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'unsent' in value && value.unsent === true

/**
 * The values of a row that are set once and never read: with a new row, or where the call says so. Which
 * of them have not been sent is noted.
 */
export function wantedValues(
  { context, request, isTrial, outcome }: Run,
  kind: Kind,
  desired: Desired,
  isThere: boolean,
): {
  names: readonly string[]
  into(body: Record<string, unknown>, whole: Record<string, unknown>): Record<string, unknown>
} {
  const { given, name, index } = desired
  const wanted = isThere && !request.set_secrets ? [] : Object.entries(given)
  const sent: [string, unknown][] = []
  const names: string[] = []
  for (const [field, value] of wanted) {
    const isOfSecret = isSecretAt(kind, desired, field)
    // How a secret comes about is said with a new row alone.
    if (isThere && !isOfSecret) continue
    if (isOfSecret) names.push(field)
    if (!isUnsent(value)) {
      sent.push([field, value])
      continue
    }
    if (index !== null) outcome.wanted.push({ kind: kind.name, index, name, field })
    if (!isTrial)
      outcome.errors.push({
        kind: kind.name,
        index,
        name,
        field,
        message: translate(context.call.language, 'This secret was not sent.'),
      })
  }
  return { names, into: (body, whole) => withValues(body, sent, whole) }
}

/** The body with the values in their places, also within objects. */
function withValues(
  body: Record<string, unknown>,
  sent: readonly (readonly [string, unknown])[],
  whole: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const all = { ...body }
  for (const [field, value] of sent) {
    const [outer = '', inner] = field.split('.', 2)
    // An object is sent whole: what it is kept for is decided by all of it.
    if (inner === undefined) all[outer] = value
    else all[outer] = { ...((all[outer] ?? whole[outer]) as object), [inner]: value }
  }
  return all
}

function isSecretAt(kind: Kind, { form }: Desired, place: string): boolean {
  const [outer = '', inner] = place.split('.', 2)
  const field = fieldsOf(kind)[outer]
  if (!field) return false
  const found = inner === undefined ? field : fieldsInside(field, form)?.[inner]
  return found !== undefined && isSecret(found)
}
