import { type AriaAttributes, type ReactNode, useId } from 'react'
import { namesOf } from '../names.ts'
import boxes from './Checkbox.module.css'
import styles from './RadioGroup.module.css'

export interface Choice<Value> {
  value: Value
  label: ReactNode
  /** What it means: all are cards then. */
  help?: ReactNode
  disabled?: boolean | undefined
}

export interface ChoiceProps<Value> extends AriaAttributes {
  options: readonly Choice<Value>[]
  /** None is chosen when it is none of the options. */
  value?: Value | undefined
  onChange: (value: Value) => void
  disabled?: boolean | undefined
  id?: string | undefined
  className?: string
}

interface RadioGroupProps<Value> extends ChoiceProps<Value> {
  /** One below another, where the words are long. */
  isColumn?: boolean
}

/** One of a few choices, all in sight: in a row, or as cards where each says what it means. */
export function RadioGroup<Value>(props: RadioGroupProps<Value>) {
  const { isColumn, ...rest } = props
  const hasCards = rest.options.some(({ help }) => help)
  return (
    <Radios
      {...rest}
      look={hasCards ? styles.cards : namesOf([boxes.group, isColumn && boxes.column])}
      option={hasCards ? styles.card : boxes.line}
      button={hasCards ? styles.cover : boxes.box}
    />
  )
}

interface RadiosProps<Value> extends ChoiceProps<Value> {
  /** Classes of the group, of an option and of its button. */
  look: string | undefined
  option: string | undefined
  button: string | undefined
}

/** Native radio buttons: arrows, Tab and what is read out are the browser's. */
export function Radios<Value>(props: RadiosProps<Value>) {
  const { options, value, onChange, disabled, className, look, option, button, ...rest } = props
  const name = useId()
  return (
    <div {...rest} role="radiogroup" className={namesOf([look, className])}>
      {options.map((one) => (
        <label key={String(one.value)} className={option}>
          <input
            type="radio"
            name={name}
            aria-label={one.help && typeof one.label === 'string' ? one.label : undefined}
            className={button}
            checked={one.value === value}
            disabled={disabled || one.disabled}
            onChange={() => onChange(one.value)}
          />
          <span>{one.label}</span>
          {one.help && <small>{one.help}</small>}
        </label>
      ))}
    </div>
  )
}
