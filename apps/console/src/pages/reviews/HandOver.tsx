import { user } from '@sallyport/contract/resources/users/user.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { openDialog } from '../../design/dialogs/feedback.tsx'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { t } from '../../lib/i18n.ts'
import { inClient } from '../dialogs.tsx'
import { handOver } from './decisions.ts'

/** Asks for the person who decides about grants from now on. */
export function openHandOver(review: string, lines: readonly string[]): void {
  openDialog({
    title: t('Hand {{count|grant|grants}} to', { count: lines.length }),
    width: 'min(480px, 94vw)',
    content: (close) => inClient(<HandOver review={review} lines={lines} onClose={close} />),
  })
}

interface HandOverProps {
  review: string
  lines: readonly string[]
  onClose: () => void
}

function HandOver({ review, lines, onClose }: HandOverProps) {
  const [reviewer, setReviewer] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      await handOver(review, lines, reviewer)
      onClose()
    } catch {
      // The client has shown why.
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <RemoteSelect
        path={user.path}
        display="{name}({username})"
        query={{ fields_size: 'mini', order: 'name' }}
        value={reviewer}
        clearable
        placeholder={t('All reviewers')}
        onChange={(one) => setReviewer(typeof one === 'string' ? one : null)}
      />
      <p>{t('Only this person is asked about them then. Administrators can always decide.')}</p>
      <p>
        <Button type="primary" htmlType="submit" loading={busy}>
          {t('Hand over')}
        </Button>
      </p>
    </form>
  )
}
