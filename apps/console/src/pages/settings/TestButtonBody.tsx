import { Button, Form } from 'antd'
import { useState } from 'react'
import { showError, showSuccess } from '../../app/feedback.tsx'
import type { FormValues } from '../../generic/define-pages.ts'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

/** Beside Submit: has the server try what the form shows, saved or not; a secret that was not typed is the saved one. */
export function TestButtonBody({ path }: { path: string }) {
  const form = Form.useFormInstance<FormValues>()
  const [busy, setBusy] = useState(false)
  const test = async () => {
    const valid = await form.validateFields().then(
      () => true,
      () => false,
    )
    if (!valid) return
    setBusy(true)
    try {
      const { msg } = await api.post<{ msg: string }>(path, form.getFieldsValue(true), { quiet: true })
      showSuccess(msg)
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button loading={busy} onClick={() => void test()}>
      {t('Test')}
    </Button>
  )
}
