/** Lists of objects that a form edits item by item: where what is wrong with an item has its place. */
import { childFields, type FormField, widgetName } from '../../view/form-groups.ts'
import type { FormValues } from '../../view/form-view.ts'
import { ruleFields, rulesShown } from '../flow-rules.ts'

/** The fields of each item; undefined for a field that is no such list. */
export function itemFields(field: FormField): FormField[] | undefined {
  switch (widgetName(field)) {
    case 'flow-rules':
      return ruleFields(field)
    case 'items':
      return childFields(field)
    default:
      return undefined
  }
}

/** The items of such a list that are on the screen; `values` are those of the whole form. */
export const itemsShown = (field: FormField, values: FormValues): readonly FormValues[] =>
  widgetName(field) === 'flow-rules'
    ? rulesShown(values[field.name], values)
    : ((values[field.name] ?? []) as readonly FormValues[])
