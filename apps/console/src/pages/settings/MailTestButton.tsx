import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { useSettingsTest } from './use-settings-test.ts'

/** Sends a test mail with the saved settings; the server says what went wrong (spec B7.09). */
export function MailTestButton() {
  const { busy, runTest } = useSettingsTest('/api/v1/settings/mail/testing/')
  return (
    <Button loading={busy} onClick={() => void runTest({})}>
      {t('Test connection')}
    </Button>
  )
}
