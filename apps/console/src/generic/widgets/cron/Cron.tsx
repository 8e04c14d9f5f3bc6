import { ClockIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { LazyDialog } from '../../../design/dialogs/lazy-dialog.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { lazily } from '../../../design/lazily.tsx'
import { t } from '../../../lib/i18n.ts'
import type { WidgetProps } from '../../view/form-view.ts'
import type { CronEditorProps } from './CronEditor.tsx'
import { CRON_DEFAULT } from './cron.ts'

/** It reckons with time zones and calendars, and is seldom opened. */
const Editor = lazily<CronEditorProps>(() => import('./CronEditor.tsx').then((m) => m.CronEditor))

/**
 * A time plan in five parts: typed, or put together in a dialog that shows when it would run next.
 */
export function Cron({ value, onChange, field, context: _, ...props }: WidgetProps<string | null>) {
  const [open, setOpen] = useState(false)
  const [draft, setDraft] = useState('')
  return (
    <>
      <span className="widget-row">
        <Input
          {...props}
          value={value ?? ''}
          maxLength={field.max_length}
          placeholder={field.placeholder ?? CRON_DEFAULT}
          spellCheck={false}
          onChange={onChange}
        />
        <Button
          icon={<ClockIcon />}
          aria-label={t('Edit the schedule')}
          title={t('Edit the schedule')}
          aria-haspopup="dialog"
          disabled={props.disabled ?? false}
          onClick={() => {
            setDraft(value?.trim() || CRON_DEFAULT)
            setOpen(true)
          }}
        />
      </span>
      {open && (
        <LazyDialog
          title={t('Schedule')}
          width={580}
          onClose={() => setOpen(false)}
          foot={
            <>
              <Button onClick={() => setDraft(CRON_DEFAULT)}>{t('Reset')}</Button>
              <Button
                type="primary"
                onClick={() => {
                  onChange?.(draft)
                  setOpen(false)
                }}
              >
                {t('Confirm')}
              </Button>
            </>
          }
        >
          <Editor value={draft} onChange={setDraft} />
        </LazyDialog>
      )}
    </>
  )
}
