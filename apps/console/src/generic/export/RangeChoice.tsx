import { type ReactNode, useId } from 'react'
import { type ChoiceProps, RadioGroup } from '../../design/inputs/RadioGroup.tsx'

interface RangeChoiceProps<V extends string>
  extends Pick<ChoiceProps<V>, 'options' | 'value' | 'onChange' | 'disabled'> {
  /** Already translated, as the options are. */
  label: string
  help?: ReactNode
}

/** One of few, in words, beside what it is about. */
export function RangeChoice<V extends string>({ label, help, ...choice }: RangeChoiceProps<V>) {
  const id = useId()
  return (
    <div className="file-choice">
      <span id={id}>{label}</span>
      <div>
        <RadioGroup {...choice} aria-labelledby={id} />
        {help && <p>{help}</p>}
      </div>
    </div>
  )
}
