import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'

/**
 * A secret that the server never shows: open when something is made, behind a button where
 * one may be stored already. Untouched, it is not sent.
 */
export function Token({ value, onChange, field, context, ...props }: WidgetProps<string>) {
  const stored = context.mode === 'update'
  const [open, setOpen] = useState(!stored)
  const input = useRef<HTMLInputElement>(null)
  const revealed = stored && open
  useEffect(() => {
    if (revealed) input.current?.focus()
  }, [revealed])
  if (!open)
    return (
      <Button disabled={props.disabled ?? false} onClick={() => setOpen(true)}>
        {t('Enter a new one')}
      </Button>
    )
  return (
    <span className="widget-row">
      <SecretInput
        {...props}
        ref={input}
        value={value ?? ''}
        maxLength={field.max_length}
        placeholder={field.placeholder}
        onChange={onChange}
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
    </span>
  )
}
