import { CopyIcon, EyeOffIcon } from 'lucide-react'
import { useState } from 'react'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { errorText } from '../../lib/api.ts'
import { copyText } from '../../lib/clipboard.ts'
import { useReset } from '../../lib/hooks/use-reset.ts'
import { t } from '../../lib/i18n.ts'
import { proveMfa } from '../second-factor/MfaVerifyDialog.tsx'

/**
 * A secret that is looked at is covered again after this time, should the person go away.
 * Milliseconds.
 */
const SHOWN_MS = 30_000

export interface SecretCellProps {
  /** Words for what is covered, for screen readers. */
  label: string
  /** The secret, or a function that reads it when it is asked for; undefined where it stays covered. */
  secret: string | (() => Promise<string | undefined>)
  /** The second factor is proven first. */
  needsMfa?: boolean
}

/**
 * A secret behind Show: after the second factor where it is wanted, with a button that copies it,
 * covered again by itself (docs/rules/lists-and-forms.md#show_secret).
 */
export function SecretCell({ label, secret, needsMfa = false }: SecretCellProps) {
  const [shown, setShown] = useState<string>()
  const [busy, setBusy] = useState(false)
  useReset(shown !== undefined, () => setShown(undefined), SHOWN_MS)
  const show = async () => {
    setBusy(true)
    try {
      if (needsMfa && !(await proveMfa())) return
      setShown(typeof secret === 'string' ? secret : await secret())
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  if (shown === undefined)
    return (
      <button type="button" className="link" disabled={busy} aria-description={label} onClick={() => void show()}>
        {t('Show')}
      </button>
    )
  return (
    <span className="cell-secret">
      <code>{shown}</code>
      <button
        type="button"
        className="link"
        aria-label={t('Copy')}
        title={t('Copy')}
        onClick={() => void copyText(shown).then(() => showSuccess(t('Copied')))}
      >
        <CopyIcon />
      </button>
      <button
        type="button"
        className="link"
        aria-label={t('Hide')}
        title={t('Hide')}
        onClick={() => setShown(undefined)}
      >
        <EyeOffIcon />
      </button>
    </span>
  )
}
