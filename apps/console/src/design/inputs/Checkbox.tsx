import { type InputHTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import { namesOf } from '../names.ts'
import styles from './Checkbox.module.css'

export interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'type'> {
  checked: boolean
  onChange: (checked: boolean) => void
  /** Some of those below it are ticked, but not all. */
  isPartly?: boolean
  /** What it is for, beside it; without words it is named by `aria-label`. */
  children?: ReactNode
}

/** A box that is ticked or not. `className` is that of the words' line where there are words. */
export function Checkbox({ checked, onChange, isPartly = false, children, className, ...props }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPartly
  }, [isPartly])
  const input = (
    <input
      {...props}
      ref={box}
      type="checkbox"
      className={children ? styles.box : namesOf([styles.box, className])}
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
    />
  )
  if (!children) return input
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: it is in it, by its name
    <label className={namesOf([styles.line, className])}>
      {input}
      <span>{children}</span>
    </label>
  )
}
