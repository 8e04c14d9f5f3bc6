import { childFields, type FormField, isRequired, isVisible, widgetName } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { ruleFields, rulesShown } from '../widgets/flow-rules.ts'
import { fieldFault } from './check-field.ts'
import type { Fault, Path } from './form-store.ts'

/**
 * Everything that is wrong with the fields that these values show, those inside of objects and
 * lists among them, in the order of the form (spec A5.01 to A5.09 A5.28).
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
    switch (widgetName(field)) {
      case 'nested':
        return formFaults(childFields(field), (value ?? {}) as FormValues, context, path)
      case 'flow-rules':
        return rulesShown(value, values).flatMap((rule, at) =>
          formFaults(ruleFields(field), rule, context, [...path, at]),
        )
      default: {
        const text = fieldFault(field, isRequired(field, values, context), value, values)
        return text === undefined ? [] : [{ path, text }]
      }
    }
  })
}
