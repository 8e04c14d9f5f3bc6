import type { SelectHTMLAttributes } from 'react'
import styles from '../inputs/Input.module.css'
import { namesOf } from '../names.ts'

interface NativeSelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  onChange: (value: string) => void
}

/** One of a few, by the list of the system; its children are `option`s. */
export function NativeSelect({ onChange, className, ...props }: NativeSelectProps) {
  return (
    <select
      {...props}
      className={namesOf([styles.field, className])}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
