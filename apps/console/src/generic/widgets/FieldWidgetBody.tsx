import { type FormField, widgetName } from '../view/form-groups.ts'
import type { FormContext, WidgetProps } from '../view/form-view.ts'
import { widgetNamed } from './registry.tsx'

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
export function FieldWidgetBody({ field, onPicked, onChange, ...rest }: FieldWidgetProps) {
  const Widget = (
    typeof field.widget === 'function' ? field.widget : widgetNamed(widgetName(field))
  ) as React.ComponentType<WidgetProps>
  return (
    <Widget
      {...rest}
      field={field}
      onChange={(value: unknown) => {
        onChange?.(value)
        onPicked(value)
      }}
    />
  )
}
