import { type ReactNode, useState } from 'react'
import { usePause } from '../lib/hooks/use-pause.ts'
import { t } from '../lib/i18n.ts'
import { refusalText } from './refusal-text.ts'

interface SendButtonProps {
  /** Has a code sent and returns what to tell the person; a thrown error is shown as well. */
  send: () => Promise<string>
  disabled?: boolean
  /** Told until a code was sent. */
  hint?: string
  /** The box for the code. */
  children: ReactNode
}

/** The box for a code with the button that has one sent, and how long to wait for the next. */
export function SendButton({ send, disabled, hint = '', children }: SendButtonProps) {
  const [wait, pause] = usePause()
  const [notice, setNotice] = useState<{ text: string; bad: boolean }>()
  const [busy, setBusy] = useState(false)
  const click = async () => {
    setBusy(true)
    setNotice(undefined)
    try {
      setNotice({ text: await send(), bad: false })
      pause()
    } catch (error) {
      setNotice({ text: refusalText(error), bad: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div className="with-send">
        {children}
        <button type="button" disabled={busy || wait > 0 || disabled} onClick={() => void click()}>
          {wait ? t('Again in {{count}} s', { count: wait }) : t('Send a code')}
        </button>
      </div>
      <p className={notice?.bad ? 'fault' : 'told'} role={notice?.bad ? 'alert' : 'status'}>
        {notice?.text ?? hint}
      </p>
    </>
  )
}
