/** Text, secrets and numbers of a form. */
import { Input } from '../../design/inputs/Input.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { NumberInput } from '../../design/inputs/NumberInput.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { msg, t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { Unusable } from './unusable.ts'

/**
 * One line; outer blank space goes when the field is left, so that words can be typed (A5.27).
 */
export function Text({ field, context: _, value = '', onChange, ...props }: WidgetProps<string>) {
  return (
    <Input
      dir="auto"
      {...props}
      {...keyboardFor(field)}
      end={field.unit && t(field.unit)}
      value={value ?? ''}
      onBlur={({ target }) => {
        const trimmed = target.value.trim()
        if (trimmed !== (value ?? '')) onChange?.(trimmed)
      }}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={onChange}
    />
  )
}

/** Which keyboard a telephone shows. */
function keyboardFor({ type, name, widget }: WidgetProps['field']) {
  if (widget === 'phone') return { type: 'tel', autoComplete: 'tel' }
  return { type: type === 'email' || name === 'email' ? 'email' : 'text', autoComplete: 'off' }
}

export function TextArea({ field, context: _, value, onChange, ...props }: WidgetProps<string>) {
  return (
    <LongInput
      dir="auto"
      {...props}
      value={value ?? ''}
      rows={3}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={onChange}
    />
  )
}

/** The meaning of an empty box of a secret where one may be stored. */
export const secretHint = ({ field, context }: Pick<WidgetProps, 'field' | 'context'>) =>
  field.placeholder ??
  (field.write_only && !field.required && context.mode === 'update' ? t('Leave empty to keep it') : undefined)

export function Password({ field, context, value, onChange, ...props }: WidgetProps<string>) {
  return (
    <SecretInput
      {...props}
      value={value ?? ''}
      maxLength={field.max_length}
      placeholder={secretHint({ field, context })}
      onChange={onChange}
    />
  )
}

/** A number; text that is none, such as `1.2.3`, cannot be used. */
export function NumberField({ field, context: _, value, onChange, ...props }: WidgetProps<number | null | Unusable>) {
  return (
    <NumberInput
      {...props}
      isInteger={field.type === 'integer'}
      end={field.unit && t(field.unit)}
      value={value instanceof Unusable ? Number.NaN : typeof value === 'number' ? value : null}
      placeholder={field.placeholder}
      onChange={(next) => onChange?.(Number.isNaN(next) ? new Unusable(t('Enter a number')) : next)}
    />
  )
}

const MAX_INTERVAL_HOURS = 65_535

/** Whole hours between two runs (A5.09). */
export function Interval({ field, ...props }: WidgetProps<number | null | Unusable>) {
  return (
    <NumberField
      {...props}
      field={{ min_value: 1, max_value: MAX_INTERVAL_HOURS, unit: msg('hours'), ...field, type: 'integer' }}
    />
  )
}
