import type { ReactNode } from 'react'
import { namesOf } from '../names.ts'
import styles from './Checkbox.module.css'
import { Checkbox } from './Checkbox.tsx'

interface CheckboxGroupProps<Value extends string> {
  options: readonly { value: Value; label: ReactNode; disabled?: boolean }[]
  value: readonly Value[]
  /** In the order of the options. */
  onChange: (value: Value[]) => void
  disabled?: boolean | undefined
  /** One below another, where the words are long. */
  isColumn?: boolean
  id?: string | undefined
  'aria-label'?: string | undefined
  'aria-labelledby'?: string | undefined
  'aria-describedby'?: string | undefined
}

/** Several of a few choices, all in sight. */
export function CheckboxGroup<Value extends string>(props: CheckboxGroupProps<Value>) {
  const { options, value, onChange, disabled, isColumn, ...rest } = props
  const tick = (one: Value, isTicked: boolean) =>
    onChange(options.map((option) => option.value).filter((own) => (own === one ? isTicked : value.includes(own))))
  return (
    // biome-ignore lint/a11y/useSemanticElements: what is around it draws the legend
    <div {...rest} role="group" className={namesOf([styles.group, isColumn && styles.column])}>
      {options.map((option) => (
        <Checkbox
          key={option.value}
          checked={value.includes(option.value)}
          disabled={disabled || option.disabled}
          onChange={(isTicked) => tick(option.value, isTicked)}
        >
          {option.label}
        </Checkbox>
      ))}
    </div>
  )
}
