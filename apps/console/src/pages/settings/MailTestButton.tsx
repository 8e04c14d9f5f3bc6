import { Button } from 'antd'
import { useState } from 'react'
import { showError, showSuccess } from '../../app/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/** Sends a test mail with the saved settings; the server says what went wrong (spec B7.09). */
export function MailTestButton() {
  const [busy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      const { msg } = await api.post<{ msg: string }>('/api/v1/settings/mail/testing/', {}, { quiet: true })
      showSuccess(msg)
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button loading={busy} onClick={() => void test()}>
      {t('Test connection')}
    </Button>
  )
}
