import { App } from 'antd'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n.ts'

const ERROR_SECONDS = 5

type Feedback = ReturnType<typeof App.useApp>
let feedback: Feedback | undefined

/**
 * Lets plain functions show messages and dialogs in the theme and language of the page; render it
 * once inside antd's App.
 */
export function FeedbackHolder(): null {
  feedback = App.useApp()
  return null
}

/** A green message. */
export function showSuccess(content: ReactNode): void {
  feedback?.message.success(content)
}

/** A red message for five seconds (spec B8.07 B9.02). */
export function showError(content: ReactNode): void {
  feedback?.message.error({ content, duration: ERROR_SECONDS, key: typeof content === 'string' ? content : undefined })
}

/**
 * Asks before something that cannot be undone. `onOk` runs while the button shows it is working; a
 * failure keeps the dialog open.
 */
export function confirmDanger(question: {
  title?: string
  content: ReactNode
  okText: string
  onOk: () => Promise<void>
}): void {
  feedback?.modal.confirm({
    title: question.title ?? t('Info'),
    content: question.content,
    okText: question.okText,
    cancelText: t('Cancel'),
    okButtonProps: { danger: true },
    focusable: { autoFocusButton: 'cancel' },
    onOk: question.onOk,
  })
}

/** Asks a plain question; true for yes. */
export function ask(question: {
  title: string
  content?: ReactNode
  okText: string
  cancelText?: string
}): Promise<boolean> {
  return new Promise((resolve) => {
    feedback?.modal.confirm({
      ...question,
      cancelText: question.cancelText ?? t('Cancel'),
      onOk: () => resolve(true),
      onCancel: () => resolve(false),
    })
  })
}

/** Shows something to read, or to act on, until it is closed. */
export function showDialog(content: { title: string; content: ReactNode }): void {
  feedback?.modal.info({ ...content, icon: null, width: 640, okText: t('Close'), maskClosable: true })
}

/**
 * Shows a form or anything else that has buttons of its own; `close` takes it away. A click beside
 * it does not, as it would lose what was typed.
 */
export function openDialog(dialog: {
  title: string
  width?: string | number
  content: (close: () => void) => ReactNode
}): void {
  const box = feedback?.modal.confirm({
    title: dialog.title,
    width: dialog.width,
    icon: null,
    footer: null,
    closable: true,
    content: dialog.content(() => box?.destroy()),
  })
}

let signedOutShown = false

/** One box, however many calls fail together; its only way on is the sign-in page (spec B8.02). */
export function showSignedOut(loginAddress: () => string): void {
  if (signedOutShown || !feedback) return
  signedOutShown = true
  feedback.modal.warning({
    title: t('Info'),
    content: t('You account has logout, Please login again'),
    okText: t('Re-Login'),
    keyboard: false,
    onOk: () => location.assign(loginAddress()),
  })
}
