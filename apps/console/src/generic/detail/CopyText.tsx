import { CheckIcon, CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { useReset } from '../../lib/hooks/use-reset.ts'
import { t } from '../../lib/i18n.ts'

/** How long the button shows that it has copied. Milliseconds. */
const TOLD_MS = 2000

/** What people carry elsewhere, such as an address or an id, with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useReset(copied, () => setCopied(false), TOLD_MS)
  return (
    <span className="copy-text">
      <code>{text}</code>
      <button
        type="button"
        className="icon-button"
        title={t('Copy')}
        aria-label={t('Copy {{field}}', { field: label })}
        onClick={() => void copyText(text).then(() => setCopied(true))}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
      </button>
      <span className="visually-hidden" role="status">
        {copied ? t('Copied') : ''}
      </span>
    </span>
  )
}
