import { Select } from 'antd'
import { t } from '../../lib/i18n.ts'
import type { InputState, WidgetProps } from '../view/form-view.ts'

const options = ({ field }: WidgetProps) =>
  (field.choices ?? []).map(({ value, display_name }) => ({ value: value as string, label: display_name }))

/** What all of them hand on. */
const common = ({ id, disabled, field, ...props }: WidgetProps) => ({
  id: id ?? '',
  disabled: disabled ?? false,
  placeholder: field.placeholder ?? t('Select'),
  ...inputState(props),
})

/** The words that are read out at a select of the component library. */
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
      allowClear={props.field.required !== true}
      showSearch={{ optionFilterProp: 'label' }}
      onChange={(value) => props.onChange?.(value ?? null)}
    />
  )
}

export function Choices(props: WidgetProps) {
  return (
    <Select
      {...common(props)}
      mode="multiple"
      value={(props.value ?? []) as string[]}
      options={options(props)}
      showSearch={{ optionFilterProp: 'label' }}
      onChange={(value) => props.onChange?.(value)}
    />
  )
}

/** Words that are typed, each a tag. */
export function Strings(props: WidgetProps) {
  return (
    <Select
      {...common(props)}
      mode="tags"
      open={false}
      suffixIcon={null}
      value={(props.value ?? []) as string[]}
      tokenSeparators={[',', ' ', '\n']}
      placeholder={props.field.placeholder ?? t('Type and press enter')}
      onChange={(value: string[]) => props.onChange?.(value.map((one) => one.trim()).filter(Boolean))}
    />
  )
}
