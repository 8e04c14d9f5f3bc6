import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { Outcome } from './TestButton.tsx'
import { testSettings, useSettingsTest } from './use-settings-test.ts'

const PATH = '/api/v1/settings/mail/testing/'

/**
 * In the place of a field: sends a test mail with the saved settings; the server says what went
 * wrong (B7.09).
 */
export function MailTest() {
  const { busy, outcome, runTest } = useSettingsTest()
  return (
    <>
      <Button loading={busy} onClick={() => void runTest(() => testSettings(PATH, {}))}>
        {t('Test connection')}
      </Button>
      <Outcome outcome={outcome} />
    </>
  )
}
