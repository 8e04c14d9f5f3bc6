import { platform } from '@sallyport/contract/resources/assets/platform.ts'
import type { WidgetProps } from '../../generic/view/form-view.ts'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'

/** Platforms go by their name on the wire (contract/assets.yaml). */
export function PlatformSelect({ value, onChange, id, disabled }: WidgetProps<string | null>) {
  return (
    <RemoteSelect
      id={id}
      path={platform.path}
      display={platform.display}
      valueField="name"
      value={value}
      clearable={false}
      disabled={disabled}
      onChange={(next) => onChange?.(Array.isArray(next) ? null : next)}
    />
  )
}
