import { ask, showSuccess } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'

/** Asks, calls, says that it is done. */
export async function confirmAndCall(question: string, call: () => Promise<unknown>, done: string): Promise<void> {
  if (!(await ask({ title: t('Info'), content: question, okText: t('Confirm') }))) return
  await call()
  showSuccess(done)
}
