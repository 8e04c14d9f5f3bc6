import { useState } from 'react'
import { LongInput } from '../../../design/inputs/LongInput.tsx'
import type { WidgetProps } from '../../view/form-view.ts'
import { NotJson } from './not-json.ts'

/** JSON as text (A5.03). */
export function JsonEditor({ value, onChange, field: _, context: __, ...props }: WidgetProps<unknown>) {
  const [text, setText] = useState(() => (value === undefined || value === null ? '' : JSON.stringify(value, null, 2)))
  return (
    <LongInput
      {...props}
      isCode
      rows={4}
      spellCheck={false}
      value={text}
      onChange={(next) => {
        setText(next)
        onChange?.(readJson(next))
      }}
    />
  )
}

/** The value of a JSON text; empty text is null, other text that cannot be read is `NotJson`. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return new NotJson(text)
  }
}
