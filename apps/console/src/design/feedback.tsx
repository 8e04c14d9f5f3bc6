import { type ReactNode, useEffect, useState } from 'react'
import { errorText } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import type { Dialogs } from './FeedbackDialogs.tsx'
import { rememberFocus } from './focus.ts'
import { lazily } from './lazily.tsx'
import { Messages, showMessage } from './Messages.tsx'

const SUCCESS_SECONDS = 3
const ERROR_SECONDS = 5

let dialogs: Dialogs | undefined
/** Questions that were asked before there was a place for them. */
const waiting: ((dialogs: Dialogs) => void)[] = []
let wantDialogs: (() => void) | undefined

/** Lets plain functions show dialogs. Returns a function that ends it. */
export function takeDialogs(given: Dialogs): () => void {
  dialogs = given
  for (const show of waiting.splice(0)) show(given)
  return () => {
    if (dialogs === given) dialogs = undefined
  }
}

function withDialogs(show: (dialogs: Dialogs) => void): void {
  if (dialogs) show(dialogs)
  else {
    waiting.push(show)
    wantDialogs?.()
  }
}

const FeedbackDialogs = lazily(() => import('./FeedbackDialogs.tsx').then((m) => m.FeedbackDialogs))

/** Where messages and dialogs are drawn; render it once. Dialogs come with the first of them. */
export function FeedbackHost() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    wantDialogs = () => setWanted(true)
    if (waiting.length > 0) wantDialogs()
    return () => {
      wantDialogs = undefined
    }
  }, [])
  return (
    <>
      <Messages />
      {wanted && <FeedbackDialogs onReady={takeDialogs} />}
    </>
  )
}

/** A green message. */
export function showSuccess(content: ReactNode): void {
  showMessage('good', content, SUCCESS_SECONDS)
}

/** A red message for five seconds (B8.07 B9.02). */
export function showError(content: ReactNode): void {
  showMessage('danger', content, ERROR_SECONDS)
}

/**
 * Asks before something that cannot be undone. `onOk` runs while the button shows it is working;
 * when it fails, why is shown, and the dialog stays open.
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
  const returnFocus = rememberFocus()
  withDialogs((show) => {
    const box = show.confirm({
      title: question.title,
      content: question.content,
      okText: question.okText,
      cancelText: question.cancelText ?? t('Cancel'),
      okButtonProps: { danger: true },
      afterClose: returnFocus,
      focusable: { autoFocusButton: 'cancel' },
      onOk: () =>
        question.onOk().catch((error: unknown) => {
          showError(errorText(error))
          throw error
        }),
    })
    // The caller that waits for the answer gets the failure; the page does not need it.
    void box.then(
      () => {},
      () => {},
    )
  })
}

/** Asks a plain question; true for yes. */
export function ask(question: {
  title: string
  content?: ReactNode
  okText: string
  cancelText?: string
}): Promise<boolean> {
  return new Promise((resolve) =>
    withDialogs((show) =>
      show.confirm({
        ...question,
        cancelText: question.cancelText ?? t('Cancel'),
        onOk: () => resolve(true),
        onCancel: () => resolve(false),
      }),
    ),
  )
}

/** Shows something to read, or to act on, until it is closed. */
export function showDialog(content: { title: string; content: ReactNode }): void {
  // What it shows may have a button of its own to press first.
  const look = { icon: null, width: 640, okText: t('Close'), okType: 'default' as const }
  withDialogs((show) => show.info({ ...content, ...look, maskClosable: true }))
}

/**
 * Shows a form or anything else that has buttons of its own; `close` takes it away. A click beside
 * it does not, as it would lose what was typed.
 */
export function openDialog(dialog: {
  title: string
  width?: string | number
  /** Its own buttons close it, and nothing else: the content asks before it loses what was typed. */
  closesItself?: boolean
  content: (close: () => void) => ReactNode
}): void {
  withDialogs((show) => {
    const box = show.confirm({
      title: dialog.title,
      width: dialog.width,
      icon: null,
      footer: null,
      closable: !dialog.closesItself,
      keyboard: !dialog.closesItself,
      content: dialog.content(() => box.destroy()),
    })
  })
}

let signedOutShown = false

/** One box, however many calls fail together; its only way on is the sign-in page (B8.02). */
export function showSignedOut(loginAddress: () => string): void {
  if (signedOutShown) return
  signedOutShown = true
  withDialogs((show) =>
    show.warning({
      title: t('Info'),
      content: t('You account has logout, Please login again'),
      okText: t('Re-Login'),
      keyboard: false,
      onOk: () => location.assign(loginAddress()),
    }),
  )
}
