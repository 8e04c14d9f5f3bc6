import { useState } from 'react'
import { showError, showSuccess } from '../../design/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'

/** Has the server try settings, and says in its words how that went. `busy` while it tries. */
export function useSettingsTest(path: string): { busy: boolean; runTest: (values: object) => Promise<void> } {
  const [busy, setBusy] = useState(false)
  const runTest = async (values: object) => {
    setBusy(true)
    try {
      const { msg } = await api.post<{ msg: string }>(path, values, { quiet: true })
      showSuccess(msg)
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return { busy, runTest }
}
