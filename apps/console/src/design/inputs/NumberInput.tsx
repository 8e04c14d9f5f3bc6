import { useState } from 'react'
import { namesOf } from '../names.ts'
import styles from './Input.module.css'
import { Input, type InputProps } from './Input.tsx'

interface NumberInputProps extends Omit<InputProps, 'type' | 'value' | 'defaultValue' | 'onChange' | 'inputMode'> {
  /** `null`: nothing is typed; `NaN`: what is typed is no number, such as `1.2.3`. */
  value: number | null
  onChange: (value: number | null) => void
  isInteger?: boolean
}

const textOf = (value: number | null) => (value === null || Number.isNaN(value) ? '' : String(value))
const numberOf = (text: string) => (text === '' ? null : Number(text))

/**
 * A number, which the arrows change by one. Bounds are not given to the input, which would put a
 * number within them in silence: what is around it says what is wrong (A5.06 A5.07).
 */
export function NumberInput({ value, onChange, isInteger, className, ...props }: NumberInputProps) {
  const [typed, setTyped] = useState(() => textOf(value))
  const means = numberOf(typed)
  // The typed text stays as it is, such as `1.` on the way to `1.5`, as long as it means the value.
  const shown = Object.is(means, value) ? typed : textOf(value)
  const write = (text: string) => {
    setTyped(text)
    onChange(numberOf(text))
  }
  return (
    <Input
      {...props}
      className={namesOf([styles.number, className])}
      inputMode={isInteger ? 'numeric' : 'decimal'}
      value={shown}
      onChange={(text) => write(text.replace(/[^\d.-]/g, ''))}
      onKeyDown={(event) => {
        props.onKeyDown?.(event)
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
        if (step === undefined || props.disabled || props.readOnly || Number.isNaN(Number(shown))) return
        event.preventDefault()
        write(String(Number(shown) + step))
      }}
    />
  )
}
