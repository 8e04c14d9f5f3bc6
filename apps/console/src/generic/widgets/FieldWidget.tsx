import type { FormContext } from '../define-pages.ts'
import type { FormField } from '../form-groups.ts'
import { lazily } from '../lazily.tsx'

export interface FieldWidgetProps {
  field: FormField
  context: FormContext
  disabled: boolean
  onPicked: (value: unknown) => void
  // Handed in by the form item.
  value?: unknown
  onChange?: (value: unknown) => void
  id?: string
}

/** Draws the widget of a field and passes on what the person chose. */
export const FieldWidget = lazily<FieldWidgetProps>(() => import('./FieldWidgetBody.tsx').then((m) => m.FieldWidgetBody))
