import type { ReactNode } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import type { Sending } from './use-sending.ts'

interface FormBarProps {
  sending: Sending
  isDirty: boolean
  submitText: string | undefined
  saveAndContinue: boolean
  /** Puts back what was loaded. */
  onReset: (() => void) | undefined
  children: ReactNode
}

/** The buttons of a form, always in sight, and how many of its fields are wrong. */
export function FormBar({ sending, isDirty, submitText, saveAndContinue, onReset, children }: FormBarProps) {
  const { faults, saving, submit, goTo } = sending
  const [first] = faults.values()
  return (
    <div className="form-bar">
      <Button type="primary" htmlType="submit" loading={saving === 'once'} disabled={saving === 'again'}>
        {submitText ?? t('Submit')}
      </Button>
      {saveAndContinue && (
        <Button loading={saving === 'again'} disabled={saving === 'once'} onClick={() => void submit(true)}>
          {t('Save and add another')}
        </Button>
      )}
      {children}
      {onReset && (
        <Button type="text" onClick={onReset}>
          {t('Reset')}
        </Button>
      )}
      {first ? (
        <span className="state" role="status">
          <button type="button" className="link danger" onClick={() => goTo(first.path)}>
            {t('{{count|field needs|fields need}} attention', { count: faults.size })}
          </button>
        </span>
      ) : (
        isDirty && onReset && <span className="state">{t('Not saved yet')}</span>
      )}
    </div>
  )
}
