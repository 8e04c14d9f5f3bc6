import { Input } from 'antd'
import { UploadIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'

/** A private key: pasted, or read from a file in the browser. */
export function KeyFile({ value, onChange, id, disabled, field }: WidgetProps<string>) {
  const file = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  return (
    <>
      <Input.TextArea
        id={id}
        rows={3}
        spellCheck={false}
        style={{ fontFamily: 'ui-monospace, monospace' }}
        value={value ?? ''}
        disabled={disabled ?? false}
        placeholder={field.placeholder}
        onChange={(event) => onChange?.(event.target.value)}
      />
      <div className="widget-row" style={{ marginTop: 8 }}>
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
