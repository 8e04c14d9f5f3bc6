import { childFields, type FormField, isRequired, isVisible, widgetName } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { itemFields, itemsShown } from '../widgets/items/edited-list.ts'
import { fieldFault } from './check-field.ts'
import type { Fault, Path } from './form-store.ts'

/**
 * Everything that is wrong with the fields that these values show, those inside of objects and
 * lists among them, in the order of the form (A5.01 to A5.09 A5.28).
 */
export function formFaults(
  fields: readonly FormField[],
  values: FormValues,
  context: FormContext,
  within: Path = [],
): Fault[] {
  return fields.flatMap((field): Fault[] => {
    if (!isVisible(field, values, context)) return []
    const value = values[field.name]
    const path = [...within, field.name]
    if (widgetName(field) === 'nested')
      return formFaults(childFields(field), (value ?? {}) as FormValues, context, path)
    const inside = itemFields(field)
    const items = inside ? itemsShown(field, values) : []
    if (inside && items.length > 0) return items.flatMap((item, at) => formFaults(inside, item, context, [...path, at]))
    const text = fieldFault(field, isRequired(field, values, context), value, values)
    return text === undefined ? [] : [{ path, text }]
  })
}
