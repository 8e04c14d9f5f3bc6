import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  /** One primary button a page at most; `text` has neither border nor ground. */
  type?: 'default' | 'primary' | 'text'
  htmlType?: 'button' | 'submit'
  size?: 'middle' | 'small'
  /** What it does cannot be undone. */
  danger?: boolean
  icon?: ReactNode
  /** What it started is not done: it shows so, and does nothing when pressed. */
  loading?: boolean
  /** As wide as its place. */
  block?: boolean
  ref?: Ref<HTMLButtonElement>
}

/**
 * A button. Those of the component library bring styles made at run time, which the first page
 * need not wait for; this one takes the same properties.
 */
export function Button(props: ButtonProps) {
  const {
    type = 'default',
    htmlType = 'button',
    size,
    danger,
    icon,
    loading,
    block,
    className,
    children,
    ...rest
  } = props
  const look = [
    'button',
    type !== 'default' && type,
    danger && 'danger',
    size === 'small' && 'small',
    block && 'block',
    children === undefined && 'icon-only',
    className,
  ]
  return (
    <button
      {...rest}
      type={htmlType}
      className={look.filter(Boolean).join(' ')}
      aria-busy={loading || undefined}
      onClick={loading ? (event) => event.preventDefault() : rest.onClick}
    >
      {loading ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  )
}

interface ToggleProps<Value> {
  value: Value
  choices: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** Buttons in a row of which one is pressed. */
export function Toggle<Value extends string | number>({ value, choices, onChange }: ToggleProps<Value>) {
  return (
    <span className="toggle">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </span>
  )
}
