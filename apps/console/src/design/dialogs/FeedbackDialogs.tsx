import { useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { Button } from '../Button.tsx'
import { isDialogOpen, type Question, removeDialog, type Shown, useAskedDialogs } from './asked-dialogs.ts'
import { Dialog } from './Dialog.tsx'
import { DialogButtons } from './DialogButtons.tsx'
import { showMessage, takeMessage } from './Messages.tsx'

const QUESTION_WIDTH = 440

/** Where the dialogs of `feedback.tsx` are drawn; render it once. */
export function FeedbackDialogs() {
  return useAskedDialogs().map((one) =>
    one.kind === 'question' ? (
      <QuestionDialog
        key={one.key}
        question={one}
        isOpen={() => isDialogOpen(one.key)}
        onClose={() => removeDialog(one.key)}
      />
    ) : (
      <ShownDialog key={one.key} shown={one} onClose={() => removeDialog(one.key)} />
    ),
  )
}

interface QuestionDialogProps {
  question: Question
  isOpen: () => boolean
  onClose: () => void
}

function QuestionDialog({ question, isOpen, onClose }: QuestionDialogProps) {
  const { title, content, okText, cancelText, isDanger, onOk, onCancel } = question
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<string>()
  const cancel = () => {
    onClose()
    onCancel?.()
  }
  const confirm = async () => {
    setPending(true)
    setError(undefined)
    try {
      await onOk()
      onClose()
    } catch (failure) {
      const reason = errorText(failure)
      if (!isOpen()) return showMessage('danger', reason)
      // The client may have shown it already: here it is beside the button that tries again.
      takeMessage(reason)
      setError(reason)
      setPending(false)
    }
  }
  return (
    <Dialog
      title={title}
      width={QUESTION_WIDTH}
      asks={isDanger ? 'alert' : 'question'}
      onClose={onCancel && cancel}
      error={error}
      foot={
        cancelText === undefined ? (
          <Button type="primary" autoFocus loading={isPending} onClick={() => void confirm()}>
            {okText}
          </Button>
        ) : (
          <DialogButtons
            {...{ okText, cancelText, isPending, isDanger }}
            focused={isDanger ? 'cancel' : 'ok'}
            onCancel={cancel}
            onOk={() => void confirm()}
          />
        )
      }
    >
      {content}
    </Dialog>
  )
}

function ShownDialog({ shown: { title, width, content }, onClose }: { shown: Shown; onClose: () => void }) {
  return (
    <Dialog title={title} {...(width === undefined ? {} : { width })} onClose={onClose}>
      {typeof content === 'function' ? content(onClose) : content}
    </Dialog>
  )
}
