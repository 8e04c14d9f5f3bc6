import { type FormField, widgetName } from '../view/form-groups.ts'
import type { FormContext, InputState, WidgetProps } from '../view/form-view.ts'
import { widgetNamed } from './registry.tsx'

interface FieldWidgetProps extends InputState {
  field: FormField
  context: FormContext
  disabled: boolean
  value: unknown
  onChange: (value: unknown) => void
  id: string
}

/** Draws the widget of a field. */
export function FieldWidget({ field, ...rest }: FieldWidgetProps) {
  const Widget = (
    typeof field.widget === 'function' ? field.widget : widgetNamed(widgetName(field))
  ) as React.ComponentType<WidgetProps>
  return <Widget {...rest} field={field} />
}
