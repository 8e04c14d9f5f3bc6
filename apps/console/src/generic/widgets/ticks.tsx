/** Switches, boxes and buttons of a form, of which one or more are chosen. */
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { CheckboxGroup } from '../../design/inputs/CheckboxGroup.tsx'
import { RadioGroup } from '../../design/inputs/RadioGroup.tsx'
import { Segmented } from '../../design/inputs/Segmented.tsx'
import { Switch } from '../../design/inputs/Switch.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'

export function OnOff({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  const { 'aria-required': __, 'aria-invalid': ___, ...rest } = props
  return <Switch {...rest} checked={value === true} aria-label={t(field.label)} onChange={(next) => onChange?.(next)} />
}

export function Tick({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  return (
    <Checkbox
      {...props}
      checked={value === true}
      aria-label={t(field.label)}
      onChange={(isTicked) => onChange?.(isTicked)}
    />
  )
}

/**
 * One of a few choices, all in sight: side by side, or as cards where the field says what each
 * means.
 */
export function Radios({ field, context: _, onChange, ...props }: WidgetProps<unknown>) {
  const { choices = [], meanings } = field
  const Group = meanings ? RadioGroup : Segmented
  return (
    <Group<unknown>
      {...props}
      aria-label={t(field.label)}
      options={choices.map(({ value, display_name }) => ({
        value,
        label: display_name,
        help: meanings?.[String(value)] && t(meanings[String(value)] as string),
      }))}
      onChange={(next) => onChange?.(next)}
    />
  )
}

/** Several of a few choices, all in sight. */
export function Ticks({ value, onChange, disabled, field, id }: WidgetProps<string[]>) {
  return (
    <CheckboxGroup
      id={id}
      aria-label={t(field.label)}
      disabled={disabled}
      options={(field.choices ?? []).map((choice) => ({ value: String(choice.value), label: choice.display_name }))}
      value={value ?? []}
      onChange={(next) => onChange?.(next)}
    />
  )
}
