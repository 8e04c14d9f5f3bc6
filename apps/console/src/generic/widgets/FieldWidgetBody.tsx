import type { WidgetProps } from '../define-pages.ts'
import { widgetName } from '../form-groups.ts'
import type { FieldWidgetProps } from './FieldWidget.tsx'
import { widgetNamed } from './registry.tsx'

/** Draws the widget of a field and passes on what the person chose. */
export function FieldWidgetBody({ field, onPicked, onChange, ...rest }: FieldWidgetProps) {
  const Widget = (typeof field.widget === 'function' ? field.widget : widgetNamed(widgetName(field))) as React.ComponentType<WidgetProps>
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
