import { useState } from 'react'
import { Input } from '../design/Input.tsx'
import { t } from '../lib/i18n.ts'

const MAX_LENGTH = 2048

interface BatchBarProps {
  /** Hidden it keeps what was typed. */
  isShown: boolean
  receivers: number
  onSend: (text: string) => void
}

/**
 * One line for all connected ssh terminals, shown or hidden. `onSend` gets the trimmed text; empty
 * text sends nothing.
 */
export function BatchBar({ isShown, receivers, onSend }: BatchBarProps) {
  const [text, setText] = useState('')
  const send = () => {
    const trimmed = text.trim()
    if (trimmed !== '') onSend(trimmed)
    setText('')
  }
  return (
    <div className="wt-batch-bar" hidden={!isShown}>
      <Input
        className="wt-batch"
        maxLength={MAX_LENGTH}
        autoComplete="off"
        spellCheck={false}
        aria-label={t('Batch command')}
        placeholder={t('Broadcast a command to all open SSH terminals')}
        end={t('Terminals: {{count}}', { count: receivers })}
        value={text}
        onChange={setText}
        onEnter={send}
      />
    </div>
  )
}
