import { useState } from 'react'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import type { WidgetProps } from '../view/form-view.ts'

const read = (text: string) =>
  text
    .split(/[,，\n]/)
    .map((one) => one.trim())
    .filter(Boolean)
const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((entry, at) => entry === other[at])

/**
 * A list of addresses or names as one text with commas between
 * (docs/rules/acls.md#ip_group_syntax).
 */
export function IpGroup({ value, onChange, field, context: _, ...props }: WidgetProps<string[]>) {
  const entries = value ?? []
  const [text, setText] = useState(entries.join(','))
  // The typed text stays as it is, with its commas, as long as it means the value.
  const shown = same(read(text), entries) ? text : entries.join(',')
  return (
    <LongInput
      {...props}
      rows={1}
      spellCheck={false}
      value={shown}
      placeholder={field.placeholder}
      onChange={(next) => {
        setText(next)
        onChange?.(read(next))
      }}
    />
  )
}
