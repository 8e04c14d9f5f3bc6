import { Input } from 'antd'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Modal } from '../../../design/Modal.tsx'
import { t } from '../../../lib/i18n.ts'
import type { Status } from './desktop-status.ts'

interface DesktopQuestionProps {
  status: Status
  /** Undefined: the person does not want to. */
  onAnswer: (text: string | undefined) => void
}

/** What stands where the picture will be: what is done, what is waited for, what is asked. */
export function DesktopQuestion({ status, onAnswer }: DesktopQuestionProps) {
  const { question, waiting, progress, isShown, isLast } = status
  if (isShown || isLast) return null
  if (question) return <Question key={question.text} {...question} onAnswer={onAnswer} />
  return (
    <div className="wt-desktop-progress" role="status">
      <p>{waiting || progress || t('Loading')}</p>
      {waiting && <Button onClick={() => onAnswer(undefined)}>{t('Cancel')}</Button>}
    </div>
  )
}

function Question({ text, echo, onAnswer }: NonNullable<Status['question']> & Pick<DesktopQuestionProps, 'onAnswer'>) {
  const [answer, setAnswer] = useState('')
  const Field = echo ? Input : Input.Password
  return (
    <Modal
      open
      title={text}
      okText={t('Confirm')}
      cancelText={t('Cancel')}
      onOk={() => onAnswer(answer)}
      onCancel={() => onAnswer(undefined)}
    >
      <Field
        aria-label={text}
        autoFocus
        autoComplete="off"
        value={answer}
        onChange={({ target }) => setAnswer(target.value)}
        onPressEnter={() => onAnswer(answer)}
      />
    </Modal>
  )
}
