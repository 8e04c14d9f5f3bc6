import { App } from 'antd'
import { t } from '../lib/i18n.ts'

let modal: ReturnType<typeof App.useApp>['modal'] | undefined

/**
 * Lets plain functions show an alert in the theme of the page; render it once inside antd's App.
 */
export function AlertHolder(): null {
  modal = App.useApp().modal
  return null
}

/** Says why something cannot be done; the person confirms having read it. */
export function showAlert(text: string): void {
  modal?.warning({ title: t('Info'), content: text, okText: t('Confirm') })
}
