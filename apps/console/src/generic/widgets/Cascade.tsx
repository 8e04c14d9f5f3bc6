import type { Option } from '../../design/boxes/options.ts'
import { Select } from '../../design/boxes/Select.tsx'
import { t } from '../../lib/i18n.ts'
import type { CascadeChoice, WidgetProps } from '../view/form-view.ts'
import { inputState } from './Selects.tsx'

/** A way through the steps, as the value of one option. No value holds this sign. */
const STEP = '\n'

/** The ends of all ways, each under the steps that lead to it. */
const endsOf = (
  choices: readonly CascadeChoice[],
  way: readonly string[] = [],
  above: readonly string[] = [],
): Option[] =>
  choices.flatMap(({ value, label, children }) => {
    const words = [...above, t(label)]
    if (children) return endsOf(children, [...way, value], words)
    return { value: [...way, value].join(STEP), label: t(label), text: words.join(' / '), group: above.join(' / ') }
  })

/**
 * A choice in two or more steps (`tree` of the field); the value is the way to it, from the first
 * step to the last.
 */
export function Cascade({ value, onChange, disabled, field, id, ...state }: WidgetProps<string[] | null>) {
  return (
    <Select
      id={id}
      {...inputState(state)}
      value={value?.join(STEP) || null}
      disabled={disabled}
      options={endsOf(field.tree ?? [])}
      isClearable={field.required !== true}
      placeholder={field.placeholder ?? t('Select')}
      onChange={(next: string | null) => onChange?.(next === null ? null : next.split(STEP))}
    />
  )
}
