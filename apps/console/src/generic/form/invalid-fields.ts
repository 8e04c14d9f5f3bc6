import type { FormInstance } from 'antd'
import { showError } from '../../design/feedback.tsx'
import { type ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type ErrorField, formErrors } from '../view/form-errors.ts'
import { childFields, type FormField, widgetName } from '../view/form-groups.ts'
import type { FormValues } from '../view/form-view.ts'
import { ruleFields } from '../widgets/flow-rules.ts'

/** Where a value stands in a form. */
export type Path = (string | number)[]

/** Fields as a 400 may name them. */
function named(fields: readonly FormField[]): (ErrorField & { name: string })[] {
  return fields.map((field) => ({
    name: field.name,
    label: t(field.label),
    ...(widgetName(field) === 'nested' ? { children: named(childFields(field)) } : {}),
    ...(widgetName(field) === 'flow-rules' ? { items: named(ruleFields(field)) } : {}),
  }))
}

/**
 * Puts a 400's messages under the fields on the screen and shows the first; what belongs to none of
 * them is a message (spec A5.29, notes 2).
 */
export function placeErrors(form: FormInstance<FormValues>, error: ApiError, shown: readonly FormField[]): void {
  if (!error.fields) return
  const { fields, others } = formErrors(error.fields, named(shown))
  form.setFields(fields.map(({ path, text }) => ({ name: path as never, errors: [text] })))
  goToFirst(
    form,
    fields.map(({ path }) => path),
    shown,
  )
  if (others.length > 0) showError(others.join('; '))
  else if (fields.length === 0) showError(errorText(error))
}

/** Scrolls to the uppermost of the invalid fields and puts the cursor there (spec A5.28 B5.08). */
export function goToFirst(form: FormInstance<FormValues>, invalid: readonly Path[], shown: readonly FormField[]): void {
  // The form's own order is that of appearance on the screen in time: fields shown by a condition
  // would come last.
  const [first] = invalid.toSorted((one, other) => rank(one, shown) - rank(other, shown))
  if (first) form.scrollToField(first, { block: 'center', behavior: 'smooth', focus: true })
}

const rank = ([name]: Path, shown: readonly FormField[]) => shown.findIndex((field) => field.name === name)
