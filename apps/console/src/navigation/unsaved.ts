/** Which forms hold input that is not saved, and the one question about it. */

import { ask } from '../design/dialogs/feedback.tsx'
import { t } from '../lib/i18n.ts'

const holders = new Set<object>()

/** A form tells whether it holds unsaved input. */
export function setUnsaved(form: object, unsaved: boolean): void {
  if (unsaved) holders.add(form)
  else holders.delete(form)
}

/** Whether one form, or any, holds unsaved input. */
export function isUnsaved(form?: object): boolean {
  return form ? holders.has(form) : holders.size > 0
}

/** Asks whether to leave without saving; true for yes. `isKept`: the input is there again when somebody comes back. */
export function askToLeave(isKept = false): Promise<boolean> {
  return ask({
    title: t('Leave without saving?'),
    content: isKept
      ? t('What you typed is kept in this tab of the browser, without passwords.')
      : t('What you entered will be lost.'),
    okText: t('Leave'),
    cancelText: t('Stay'),
  })
}

/**
 * Asked before something that reloads the page: true when nothing is unsaved, or when it may be
 * lost; then nobody asks a second time.
 */
export async function mayLeave(): Promise<boolean> {
  if (!isUnsaved()) return true
  if (!(await askToLeave())) return false
  holders.clear()
  return true
}
