import type { WidgetProps } from '../generic/view/form-view.ts'
import { RemoteSelect } from '../generic/widgets/remote-select/RemoteSelect.tsx'

/**
 * A row of the field's `from` that goes by its name on the wire, as platforms
 * (docs/rules/assets.md#asset) and storages do.
 */
export function SelectByName({ value, onChange, id, disabled, field: { from } }: WidgetProps<string | null>) {
  return (
    from && (
      <RemoteSelect
        id={id}
        {...from}
        valueField="name"
        value={value}
        clearable={false}
        disabled={disabled}
        onChange={(next) => onChange?.(Array.isArray(next) ? null : next)}
      />
    )
  )
}
