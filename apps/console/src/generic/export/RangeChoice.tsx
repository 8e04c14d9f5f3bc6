import { type ReactNode, useId } from 'react'

export interface Choice<V extends string> {
  value: V
  /** Already translated. */
  label: string
  disabled?: boolean
}

/** One of few, in words: plain radio buttons, which the arrow keys move between. */
export function RangeChoice<V extends string>({
  label,
  choices,
  value,
  onChange,
  disabled = false,
  begins = false,
  help,
}: {
  /** Already translated. */
  label: string
  choices: readonly Choice<V>[]
  value: V
  onChange: (value: V) => void
  disabled?: boolean
  /** The first of its dialog, which begins here and not at its Close. */
  begins?: boolean
  help?: ReactNode
}) {
  const name = useId()
  return (
    <fieldset className="file-choice">
      <legend>{label}</legend>
      <div>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={name}
              checked={value === choice.value}
              // biome-ignore lint/a11y/noAutofocus: the dialog takes the focus in any case
              autoFocus={begins && value === choice.value}
              disabled={disabled || choice.disabled}
              onChange={() => onChange(choice.value)}
            />
            {choice.label}
          </label>
        ))}
        {help && <p>{help}</p>}
      </div>
    </fieldset>
  )
}
