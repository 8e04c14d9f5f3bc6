import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { t } from '../../lib/i18n.ts'
import type { Status } from './pane-status.ts'

interface PaneQuestionProps {
  status: Status
  /** Undefined: the person cancels. */
  onAnswer: (text: string | undefined) => void
}

/** Shown until the session is there: its progress, the approval that is pending, or a question. */
export function PaneQuestion({ status, onAnswer }: PaneQuestionProps) {
  const { question, waiting, progress, isShown, isLast } = status
  if (isShown || isLast) return null
  if (question) return <Question key={question.text} {...question} onAnswer={onAnswer} />
  return (
    <div className="pane-progress" role="status">
      <p>{waiting || progress || t('Loading')}</p>
      {waiting && <Button onClick={() => onAnswer(undefined)}>{t('Cancel')}</Button>}
    </div>
  )
}

function Question({ text, echo, onAnswer }: NonNullable<Status['question']> & Pick<PaneQuestionProps, 'onAnswer'>) {
  const [answer, setAnswer] = useState('')
  const Field = echo ? Input : SecretInput
  return (
    <Dialog
      title={text}
      onClose={() => onAnswer(undefined)}
      onSubmit={() => onAnswer(answer)}
      foot={<DialogButtons okText={t('Confirm')} onCancel={() => onAnswer(undefined)} />}
    >
      <Field aria-label={text} autoFocus autoComplete="off" value={answer} onChange={setAnswer} />
    </Dialog>
  )
}
