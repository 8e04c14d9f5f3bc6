import { useState } from 'react'
import type { WidgetProps } from '../../view/form-view.ts'
import { KeyFile } from '../KeyFile.tsx'
import { readJson } from './JsonEditor.tsx'

/** A secret that is a file of JSON, such as the key of a service account: chosen, or pasted. */
export function JsonFile({ value: _, onChange, ...props }: WidgetProps<unknown>) {
  const [text, setText] = useState('')
  return (
    <KeyFile
      {...props}
      value={text}
      onChange={(next) => {
        setText(next)
        // Emptied again it is as if nobody had touched it: what is stored stays.
        onChange?.(next.trim() === '' ? undefined : readJson(next))
      }}
    />
  )
}
