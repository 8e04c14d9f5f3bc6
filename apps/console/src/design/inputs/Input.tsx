import type { InputHTMLAttributes, ReactNode, Ref } from 'react'
import { namesOf } from '../names.ts'
import { explained } from '../tip.ts'
import { isEnter } from './enter.ts'
import styles from './Input.module.css'

export interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'size'> {
  onChange?: ((text: string) => void) | undefined
  /** Enter, but not one that only takes a word of an input method. */
  onEnter?: (() => void) | undefined
  /** Before the text, inside of the box. */
  start?: ReactNode
  /** After the text: a unit, already translated, or a button. */
  end?: ReactNode
  /** As high as small buttons beside it. */
  isSmall?: boolean | undefined
  /** Why nothing can be typed now; see `Button`. */
  whyDisabled?: string | undefined
  ref?: Ref<HTMLInputElement> | undefined
}

/** A line of text. `className` is that of the whole box. */
export function Input({ onChange, onEnter, start, end, isSmall, whyDisabled, className, ...props }: InputProps) {
  const look = [styles.field, isSmall && styles.small, className]
  const isAlone = !start && !end
  const input = (
    <input
      autoComplete="off"
      {...props}
      {...explained(whyDisabled)}
      readOnly={props.readOnly || whyDisabled !== undefined}
      className={isAlone ? namesOf(look) : styles.inner}
      onChange={onChange && (({ target }) => onChange(target.value))}
      onKeyDown={(event) => {
        props.onKeyDown?.(event)
        if (onEnter && !whyDisabled && isEnter(event)) onEnter()
      }}
    />
  )
  if (isAlone) return input
  return (
    <span className={namesOf([...look, styles.group])}>
      {start && <span className={styles.side}>{start}</span>}
      {input}
      {end && <span className={styles.side}>{end}</span>}
    </span>
  )
}
