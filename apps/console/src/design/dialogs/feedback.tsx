import { type ReactNode, useEffect } from 'react'
import { t } from '../../lib/i18n.ts'
import { lazily } from '../lazily.tsx'
import { Tooltips } from '../popups/Tooltip.tsx'
import { addDialog, forgetDialogs, useAskedDialogs } from './asked-dialogs.ts'
import { undoOfLast } from './last-change.ts'
import { Messages, showMessage } from './Messages.tsx'

const FeedbackDialogs = lazily(() => import('./FeedbackDialogs.tsx').then((m) => m.FeedbackDialogs))

/**
 * Where messages, dialogs and the words of `tip` are drawn; render it once. The code of dialogs
 * comes with the first.
 */
export function FeedbackHost() {
  const isWanted = useAskedDialogs().length > 0
  // Nobody can answer any more.
  useEffect(() => forgetDialogs, [])
  return (
    <>
      <Messages />
      <Tooltips />
      {isWanted && <FeedbackDialogs />}
    </>
  )
}

/** A green message. Where the last call made a change that can be taken back, it offers that. */
export function showSuccess(content: ReactNode): void {
  showMessage('good', content, undoOfLast())
}

/** A red message for five seconds (B8.07 B9.02). */
export function showError(content: ReactNode): void {
  showMessage('danger', content)
}

/**
 * Asks before something that cannot be undone. `onOk` runs while the button shows it is working;
 * when it fails, why is said in the dialog, which stays open.
 */
export function confirmDanger(question: {
  /** The act and what it is done to, as a question: `Delete web-1?` */
  title: string
  /** What follows from it. */
  content: ReactNode
  okText: string
  cancelText?: string
  onOk: () => Promise<void>
}): void {
  const cancelText = question.cancelText ?? t('Cancel')
  addDialog({ ...question, cancelText, kind: 'question', isDanger: true, onCancel: () => {} })
}

/** Asks a plain question; true for yes. */
export function ask(question: {
  title: string
  content?: ReactNode
  okText: string
  cancelText?: string
  /** A yes cannot be undone: the dialog begins at its other button. */
  isDanger?: boolean
}): Promise<boolean> {
  return new Promise((resolve) =>
    addDialog({
      ...question,
      cancelText: question.cancelText ?? t('Cancel'),
      kind: 'question',
      isDanger: question.isDanger ?? false,
      onOk: () => resolve(true),
      onCancel: () => resolve(false),
    }),
  )
}

/** Says why something cannot be done; the person confirms having read it. */
export function showAlert(text: string): void {
  addDialog({
    kind: 'question',
    title: t('Info'),
    content: text,
    okText: t('Confirm'),
    isDanger: false,
    onOk: () => {},
    onCancel: () => {},
  })
}

/** Shows something to read, or to act on, until it is closed. */
export function showDialog({ title, content }: { title: string; content: ReactNode }): void {
  addDialog({ kind: 'shown', title, width: 640, content })
}

/**
 * Shows a form or anything else that has buttons of its own; `close` takes it away. Content that
 * asks before it loses what was typed says so by `useDialogGuard`.
 */
export function openDialog(dialog: {
  title: string
  width?: string | number
  content: (close: () => void) => ReactNode
}): void {
  addDialog({ kind: 'shown', title: dialog.title, width: dialog.width, content: dialog.content })
}

let signedOutShown = false

/** One box, however many calls fail together; its only way on is the sign-in page (B8.02). */
export function showSignedOut(loginAddress: () => string): void {
  if (signedOutShown) return
  signedOutShown = true
  addDialog({
    kind: 'question',
    title: t('Info'),
    content: t('You account has logout, Please login again'),
    okText: t('Re-Login'),
    isDanger: false,
    onOk: () => location.assign(loginAddress()),
  })
}
