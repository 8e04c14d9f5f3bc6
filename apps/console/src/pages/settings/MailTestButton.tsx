import { Button } from 'antd'
import { t } from '../../lib/i18n.ts'
import { useTrial } from './use-trial.ts'

/** Sends a test mail with the saved settings; the server says what went wrong (spec B7.09). */
export function MailTestButton() {
  const { busy, tryThem } = useTrial('/api/v1/settings/mail/testing/')
  return (
    <Button loading={busy} onClick={() => void tryThem({})}>
      {t('Test connection')}
    </Button>
  )
}
