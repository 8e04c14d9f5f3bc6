import { Form } from 'antd'
import { Button } from '../../design/Button.tsx'
import type { FormValues } from '../../generic/view/form-view.ts'
import { t } from '../../lib/i18n.ts'
import { useSettingsTest } from './use-settings-test.ts'
import { validValues } from './valid-values.ts'

/**
 * Beside Submit: has the server try what the form shows, saved or not; a secret that was not typed
 * is the saved one.
 */
export function TestButtonBody({ path }: { path: string }) {
  const form = Form.useFormInstance<FormValues>()
  const { busy, runTest } = useSettingsTest(path)
  const test = async () => {
    const values = await validValues(form)
    if (values) await runTest(values)
  }
  return (
    <Button loading={busy} onClick={() => void test()}>
      {t('Test')}
    </Button>
  )
}
