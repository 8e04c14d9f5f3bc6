import type { WidgetProps } from '../../../generic/view/form-view.ts'
import { RemoteSelect } from '../../../generic/widgets/remote-select/RemoteSelect.tsx'
import { givenMembers } from './given.ts'

/** The people in a group; those whom a group mapping gave are greyed and stay. */
export function GroupMembers({ value, onChange, field, context, id, disabled, ...input }: WidgetProps<string[]>) {
  const { path = '', display = '', query } = field.from ?? {}
  return (
    <RemoteSelect
      {...input}
      id={id}
      path={path}
      display={display}
      query={query}
      multiple
      value={value ?? []}
      keptValues={givenMembers(context)}
      disabledValues={givenMembers(context)}
      disabled={disabled}
      onChange={(next) => onChange?.([next ?? []].flat())}
    />
  )
}
