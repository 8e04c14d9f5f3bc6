/** Plain inputs: they are drawn at once, where those of a library wait for their styles. */
import { EyeIcon, EyeOffIcon } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type Ref,
  type TextareaHTMLAttributes,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { msg, t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { Unusable } from './unusable.ts'

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  /** A word after the value, already translated. */
  unit?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A line of text. */
export function Input({ unit, className, ...props }: InputProps) {
  const input = <input autoComplete="off" {...props} className={className ? `input ${className}` : 'input'} />
  if (!unit) return input
  return (
    <span className="input-with-unit">
      {input}
      <span>{unit}</span>
    </span>
  )
}

/** Several lines; the box grows with what is typed, up to a third of the window. */
export function LongInput({ className, ...props }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const area = useRef<HTMLTextAreaElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: as high as the text, which is its value
  useLayoutEffect(() => {
    if (!area.current) return
    area.current.style.height = ''
    if (area.current.scrollHeight > area.current.clientHeight)
      area.current.style.height = `${Math.min(area.current.scrollHeight + 2, window.innerHeight / 3)}px`
  }, [props.value])
  return <textarea {...props} ref={area} className={className ? `input ${className}` : 'input'} />
}

/** A secret, hidden until it is asked to show. */
export function SecretInput({ className, ...props }: InputProps) {
  const [isShown, setShown] = useState(false)
  const words = isShown ? t('Hide') : t('Show')
  return (
    <span className="secret-input">
      <Input
        autoComplete="new-password"
        {...props}
        className={className}
        type={isShown ? 'text' : 'password'}
        spellCheck={false}
      />
      <button
        type="button"
        className="icon-button"
        tabIndex={-1}
        aria-label={words}
        title={words}
        disabled={props.disabled}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOffIcon /> : <EyeIcon />}
      </button>
    </span>
  )
}

/**
 * One line; outer blank space goes when the field is left, so that words can be typed (A5.27).
 */
export function Text({ field, context: _, value = '', onChange, ...props }: WidgetProps<string>) {
  return (
    <Input
      {...props}
      {...keyboardFor(field)}
      unit={field.unit && t(field.unit)}
      value={value ?? ''}
      onBlur={({ target }) => {
        const trimmed = target.value.trim()
        if (trimmed !== (value ?? '')) onChange?.(trimmed)
      }}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={({ target }) => onChange?.(target.value)}
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
      {...props}
      value={value ?? ''}
      rows={3}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={({ target }) => onChange?.(target.value)}
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
      onChange={({ target }) => onChange?.(target.value)}
    />
  )
}

const textOf = (value: unknown) => (typeof value === 'number' ? String(value) : '')

/** The typed text as a number; text that is none, such as `1.2.3`, cannot be used. */
function numberOf(text: string): number | null | Unusable {
  if (text === '') return null
  return Number.isNaN(Number(text)) ? new Unusable(t('Enter a number')) : Number(text)
}

/**
 * A number. Bounds are not given to the input, which would put a number within them in silence: the
 * form says what is wrong with it (A5.06 A5.07).
 */
export function NumberInput({ field, context: _, value, onChange, ...props }: WidgetProps<number | null | Unusable>) {
  const [typed, setTyped] = useState(() => textOf(value))
  const means = numberOf(typed)
  // The typed text stays as it is, such as `1.` on the way to `1.5`, as long as it means the value.
  const shown = value instanceof Unusable || means === (value ?? null) ? typed : textOf(value)
  const write = (text: string) => {
    setTyped(text)
    onChange?.(numberOf(text))
  }
  return (
    <Input
      {...props}
      className="number"
      inputMode={field.type === 'integer' ? 'numeric' : 'decimal'}
      unit={field.unit && t(field.unit)}
      value={shown}
      placeholder={field.placeholder}
      onChange={({ target }) => write(target.value.replace(/[^\d.-]/g, ''))}
      onKeyDown={(event) => {
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
        if (step === undefined || typeof means === 'object') return
        event.preventDefault()
        write(String(Number(shown) + step))
      }}
    />
  )
}

const MAX_INTERVAL_HOURS = 65_535

/** Whole hours between two runs (A5.09). */
export function Interval({ field, ...props }: WidgetProps<number | null | Unusable>) {
  return (
    <NumberInput
      {...props}
      field={{ min_value: 1, max_value: MAX_INTERVAL_HOURS, unit: msg('hours'), ...field, type: 'integer' }}
    />
  )
}
