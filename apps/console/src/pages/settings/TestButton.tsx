import { Button } from '../../design/Button.tsx'
import { useEditedForm } from '../../generic/form/edited-form.ts'
import { t } from '../../lib/i18n.ts'
import { useSettingsTest } from './use-settings-test.ts'

/**
 * Beside Submit: has the server try what the form shows, saved or not; a secret that was not typed
 * is the saved one.
 */
export function TestButton({ path }: { path: string }) {
  const { validValues } = useEditedForm()
  const { busy, runTest } = useSettingsTest(path)
  const test = async () => {
    const values = validValues()
    if (values) await runTest(values)
  }
  return (
    <Button loading={busy} onClick={() => void test()}>
      {t('Test')}
    </Button>
  )
}
