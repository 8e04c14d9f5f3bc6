import { t } from '../../lib/i18n.ts'
import { type FormField, isSecret } from '../view/form-groups.ts'
import type { FormValues } from '../view/form-view.ts'
import { NotJson } from '../widgets/code/not-json.ts'
import { cronFault } from '../widgets/cron/cron.ts'
import { Unusable } from '../widgets/unusable.ts'

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const MAX_PORT = 65_535

/**
 * The fault of a value before it is sent, in words for the person (A5.01 to A5.07);
 * undefined when it may go.
 */
export function fieldFault(
  field: FormField,
  required: boolean,
  value: unknown,
  values: FormValues,
): string | undefined {
  if (isEmpty(value)) return required ? t('This field is required') : field.check?.(value, values)
  if (value instanceof Unusable) return value.reason
  if (value instanceof NotJson) return t('Not a valid json format')
  const fault =
    typeof value === 'string'
      ? textFault(field, isSecret(field) ? value : value.trim())
      : typeof value === 'number'
        ? numberFault(field, value)
        : undefined
  return fault ?? field.check?.(value, values)
}

/** Whether a field holds nothing: neither text but spaces, nor items. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function textFault(
  { type, name, widget, min_length, max_length, pattern }: FormField,
  text: string,
): string | undefined {
  const cron = widget === 'cron' ? cronFault(text) : undefined
  if (cron) return cron
  if ((type === 'email' || name === 'email') && !EMAIL.test(text)) return t('Please enter your email address')
  if (type === 'url' && !URL.canParse(text)) return t('Enter a full address, such as https://example.com')
  if (max_length !== undefined && text.length > max_length)
    return t('At most {{count|character|characters}}', { count: max_length })
  if (min_length !== undefined && text.length < min_length)
    return t('At least {{count|character|characters}}', { count: min_length })
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return t('This value is not in the expected format')
  return undefined
}

/** The fault of a number that is no port (A5.07). */
export function portFault(port: number | null): string | undefined {
  const isPort = port !== null && Number.isInteger(port) && port >= 1 && port <= MAX_PORT
  return isPort ? undefined : t('Port Error, please check')
}

function numberFault({ type, name, min_value, max_value }: FormField, value: number): string | undefined {
  if (name === 'port' || name.endsWith('_port')) return portFault(value)
  if (type === 'integer' && !Number.isInteger(value)) return t('Enter a whole number')
  if (min_value !== undefined && value < min_value) return t('At least {{count}}', { count: min_value })
  if (max_value !== undefined && value > max_value) return t('At most {{count}}', { count: max_value })
  return undefined
}
