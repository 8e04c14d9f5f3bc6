import { Input, type InputRef, Space } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'

/**
 * A secret that the server never shows: open when something is made, behind Update when it is
 * stored already. Untouched, it is not sent.
 */
export function Token({ value, onChange, id, disabled, field, context }: WidgetProps<string>) {
  const stored = context.mode === 'update'
  const [open, setOpen] = useState(!stored)
  const input = useRef<InputRef>(null)
  const revealed = stored && open
  useEffect(() => {
    if (revealed) input.current?.focus()
  }, [revealed])
  if (!open)
    return (
      <Button disabled={disabled ?? false} onClick={() => setOpen(true)}>
        {t('Update')}
      </Button>
    )
  return (
    <Space.Compact block>
      <Input.Password
        ref={input}
        id={id}
        value={value ?? ''}
        disabled={disabled ?? false}
        maxLength={field.max_length}
        placeholder={field.placeholder}
        autoComplete="new-password"
        onChange={(event) => onChange?.(event.target.value)}
      />
      {stored && (
        <Button
          onClick={() => {
            onChange?.('')
            setOpen(false)
          }}
        >
          {t('Cancel')}
        </Button>
      )}
    </Space.Compact>
  )
}
