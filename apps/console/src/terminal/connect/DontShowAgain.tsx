import { useState } from 'react'
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { t } from '../../lib/i18n.ts'

const KEY = 'luna_no_client_hint'

/** Whether the person has sent the hint away, in this browser. */
export const hidesClientHint = (): boolean => localStorage.getItem(KEY) === '1'

/** Where clients are to be had, and a box that sends the hint away. */
export function DontShowAgain() {
  const [isHidden, setHidden] = useState(hidesClientHint)
  const hide = (next: boolean) => {
    setHidden(next)
    if (next) localStorage.setItem(KEY, '1')
    else localStorage.removeItem(KEY)
  }
  return (
    <>
      <p>
        {t('An RDP file opens in any RDP client.')}{' '}
        <a href="/core/download/" target="_blank" rel="noopener">
          {t('Clients to download')}
        </a>
      </p>
      <Checkbox checked={isHidden} onChange={hide}>
        {t('Don’t show this again')}
      </Checkbox>
    </>
  )
}
