import { Input } from 'antd'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { WidgetProps } from '../../view/form-view.ts'
import { NotJson } from './not-json.ts'

/** JSON as text (spec A5.03). */
export function JsonEditor({ value, onChange, id, disabled }: WidgetProps<unknown>) {
  const [text, setText] = useState(() => (value === undefined || value === null ? '' : JSON.stringify(value, null, 2)))
  const wrong = value instanceof NotJson
  return (
    <>
      <Input.TextArea
        id={id}
        rows={6}
        spellCheck={false}
        style={{ fontFamily: 'ui-monospace, monospace' }}
        status={wrong ? 'error' : ''}
        disabled={disabled ?? false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onChange?.(readJson(event.target.value))
        }}
      />
      {wrong && <span className="link danger">{t('Not a valid json format')}</span>}
    </>
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
