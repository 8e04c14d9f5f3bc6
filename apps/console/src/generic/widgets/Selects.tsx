import { MultiSelect } from '../../design/boxes/MultiSelect.tsx'
import type { Option } from '../../design/boxes/options.ts'
import { Select } from '../../design/boxes/Select.tsx'
import { TagsInput } from '../../design/boxes/TagsInput.tsx'
import { t } from '../../lib/i18n.ts'
import type { InputState, WidgetProps } from '../view/form-view.ts'

const options = ({ field }: WidgetProps): Option[] =>
  (field.choices ?? []).map(({ value, display_name }) => ({ value: value as string, label: display_name }))

/** What all of them hand on. */
const common = ({ id, disabled, field, ...props }: WidgetProps) => ({
  id,
  disabled,
  placeholder: field.placeholder ?? t('Select'),
  ...inputState(props),
})

/** The words of an input for people who hear it. */
export const inputState = (props: InputState) =>
  Object.fromEntries(
    (['aria-required', 'aria-invalid', 'aria-describedby'] as const).flatMap((name) =>
      props[name] === undefined ? [] : [[name, props[name]]],
    ),
  )

/** One of many, found by typing (A5.25). */
export function Choice(props: WidgetProps) {
  return (
    <Select
      {...common(props)}
      value={props.value as string | undefined}
      options={options(props)}
      isClearable={props.field.required !== true}
      onChange={(value: string | null) => props.onChange?.(value)}
    />
  )
}

export function Choices(props: WidgetProps) {
  return (
    <MultiSelect
      {...common(props)}
      value={(props.value ?? []) as string[]}
      options={options(props)}
      onChange={(value) => props.onChange?.(value)}
    />
  )
}

/** Words that are typed, each a tag. */
export function Strings(props: WidgetProps) {
  return (
    <TagsInput
      {...common(props)}
      value={(props.value ?? []) as string[]}
      placeholder={props.field.placeholder ?? t('Type and press enter')}
      onChange={(value) => props.onChange?.(value)}
    />
  )
}
