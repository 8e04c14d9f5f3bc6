import { Input } from 'antd'
import { useState } from 'react'
import type { WidgetProps } from '../view/form-view.ts'

const read = (text: string) =>
  text
    .split(/[,，\n]/)
    .map((one) => one.trim())
    .filter(Boolean)
const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((entry, at) => entry === other[at])

/**
 * A list of addresses or names as one text with commas between (contract/acls.yaml
 * `ip_group_syntax` "console").
 */
export function IpGroup({ value, onChange, id, disabled, field }: WidgetProps<string[]>) {
  const entries = value ?? []
  const [text, setText] = useState(entries.join(','))
  // What is typed stays as it is, with its commas, as long as it means the value.
  const shown = same(read(text), entries) ? text : entries.join(',')
  return (
    <Input.TextArea
      id={id}
      autoSize={{ minRows: 1, maxRows: 6 }}
      value={shown}
      disabled={disabled ?? false}
      placeholder={field.placeholder}
      onChange={(event) => {
        setText(event.target.value)
        onChange?.(read(event.target.value))
      }}
    />
  )
}
