import { UploadIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { secretHint } from './inputs.tsx'

/** A private key: pasted, or read from a file in the browser. */
export function KeyFile({ value, onChange, field, context, ...props }: WidgetProps<string>) {
  const { disabled } = props
  const file = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  return (
    <>
      <LongInput
        {...props}
        isCode
        rows={3}
        spellCheck={false}
        value={value ?? ''}
        placeholder={secretHint({ field, context })}
        onChange={onChange}
      />
      <div className="widget-row below">
        <Button icon={<UploadIcon />} disabled={disabled ?? false} onClick={() => file.current?.click()}>
          {t('Select file')}
        </Button>
        <span>{name}</span>
        <input
          ref={file}
          type="file"
          hidden
          onChange={async ({ target }) => {
            const chosen = target.files?.[0]
            if (!chosen) return
            setName(chosen.name)
            onChange?.(await chosen.text())
            target.value = ''
          }}
        />
      </div>
    </>
  )
}
