import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { type FormField, isVisible } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { ruleFields, rulesShown } from './flow-rules.ts'

interface FlowRulesProps {
  field: FormField
  /** Values of the whole form: `approval_level` says how many levels there are. */
  values: FormValues
  context: FormContext
  /** Draws one field of a level. */
  children: (field: FormField, rule: FormValues, at: number) => ReactNode
}

/** A card for each approval level of a ticket flow: who decides there. */
export function FlowRules({ field, values, context, children }: FlowRulesProps) {
  const fields = ruleFields(field)
  return rulesShown(values[field.name], values).map((rule, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a level is its place
    <fieldset className="nested-fields" key={at}>
      <legend>{t('Level {{level}}', { level: at + 1 })}</legend>
      {fields.filter((child) => isVisible(child, rule, context)).map((child) => children(child, rule, at))}
    </fieldset>
  ))
}
