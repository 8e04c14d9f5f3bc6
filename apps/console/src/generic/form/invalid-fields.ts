import { showError } from '../../design/dialogs/feedback.tsx'
import { type ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type ErrorField, formErrors } from '../view/form-errors.ts'
import { childFields, type FormField, widgetName } from '../view/form-groups.ts'
import { itemFields } from '../widgets/items/edited-list.ts'
import { type Fault, fieldId, type Path } from './form-store.ts'

/** Fields as a 400 may name them. */
function named(fields: readonly FormField[]): (ErrorField & { name: string })[] {
  return fields.map((field) => {
    const items = itemFields(field)
    return {
      name: field.name,
      label: t(field.label),
      ...(widgetName(field) === 'nested' ? { children: named(childFields(field)) } : {}),
      ...(items ? { items: named(items) } : {}),
    }
  })
}

/**
 * The messages of a 400 that belong to fields on the screen, the uppermost first; what belongs to
 * none of them is shown as a message (A5.29).
 */
export function refusedFields(error: ApiError, shown: readonly FormField[]): Fault[] {
  if (!error.fields) return []
  const { fields, others } = formErrors(error.fields, named(shown))
  if (others.length > 0) showError(others.join('; '))
  else if (fields.length === 0) showError(errorText(error))
  const rank = ([name]: Path) => shown.findIndex((field) => field.name === name)
  return fields
    .map(({ path, text }) => ({ path, text, refused: true }))
    .toSorted((one, other) => rank(one.path) - rank(other.path))
}

const FOCUSABLE = 'input, textarea, select, button, [tabindex="0"]'

/** Scrolls to a field and puts the cursor there (A5.28 B5.08). */
export function goToField(form: Element | null, path: Path): void {
  const place = form?.querySelector(`[data-field="${fieldId(path)}"]`)
  place?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  const input = place?.querySelector(`[id="${fieldId(path)}"]`)
  const target = input?.matches(FOCUSABLE) ? input : (input ?? place)?.querySelector(FOCUSABLE)
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
}
