import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { namesOf } from './names.ts'
import { explained } from './tip.ts'

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
  /**
   * Why it does nothing now: shown under the pointer and with the focus, and read out. It looks
   * disabled, but can be reached.
   */
  whyDisabled?: string | undefined
  /** As wide as its place. */
  block?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button; all that is drawn as one, links aside. */
export function Button(props: ButtonProps) {
  const {
    type = 'default',
    htmlType = 'button',
    size,
    danger,
    icon,
    loading,
    whyDisabled,
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
      {...explained(whyDisabled)}
      type={htmlType}
      className={namesOf(look)}
      aria-busy={loading || undefined}
      onClick={loading || whyDisabled ? (event) => event.preventDefault() : rest.onClick}
      onKeyDown={whyDisabled ? undefined : rest.onKeyDown}
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
