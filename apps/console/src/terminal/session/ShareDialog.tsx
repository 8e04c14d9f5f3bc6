import { WIRE } from '@sallyport/contract/constants.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Select } from '../../design/boxes/Select.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import type { Room } from '../pane/room.ts'

const MINUTES = [10, 20, 60]

export interface ShareRequest {
  /** Minutes. */
  expired: number
  action_permission: 'writable' | 'readonly'
}

/** Makes a link and a code for others (contract web-terminal, share_dialog). */
export function ShareDialog({
  share,
  isForEverybody,
  onShare,
  onClose,
}: {
  share: Room['share']
  /** Not for members of the session's organization alone. */
  isForEverybody: boolean
  onShare: (request: ShareRequest) => void
  onClose: () => void
}) {
  const [request, setRequest] = useState<ShareRequest>({ expired: 10, action_permission: 'readonly' })
  const made =
    typeof share === 'object'
      ? { link: `${location.origin}${WIRE.textGatewayBase}share/${share.id}/`, code: share.code }
      : undefined
  const copy = async () => {
    if (!made) return
    await copyText(`${t('Link')}: ${made.link}\n${t('Verify code')}: ${made.code}`)
    showSuccess(t('Copied'))
  }
  return (
    <Dialog title={t('Share')} width={500} onClose={onClose}>
      {made ? (
        <div className="wt-form">
          <span>{t('Link')}</span>
          <code className="wt-share-link">{made.link}</code>
          <span>{t('Verify code')}</span>
          <code className="wt-share-code">{made.code}</code>
          {/* Focus stays in the dialog, so that Escape closes it. */}
          <Button type="primary" autoFocus onClick={() => void copy()}>
            {t('Copy link and code')}
          </Button>
        </div>
      ) : (
        <div className="wt-form">
          <label htmlFor="wt-share-expired">{t('Valid for')}</label>
          <Select
            id="wt-share-expired"
            value={request.expired}
            options={MINUTES.map((value) => ({ value, label: t('{{minutes|minute|minutes}}', { minutes: value }) }))}
            onChange={(expired) => setRequest({ ...request, expired })}
          />
          <label htmlFor="wt-share-right">{t('People who join may')}</label>
          <Select
            id="wt-share-right"
            value={request.action_permission}
            options={[
              { value: 'readonly', label: t('Watch only') },
              { value: 'writable', label: t('Watch and type') },
            ]}
            onChange={(action_permission) => setRequest({ ...request, action_permission })}
          />
          <p className="wt-hint">
            {share === 'failed'
              ? t('The session could not be shared.')
              : isForEverybody
                ? t(
                    'Anyone who has signed in and has the link and the code can join this session. The link ends with the session.',
                  )
                : t(
                    'Members of the organization of this session who have the link and the code can join it. The link ends with the session.',
                  )}
          </p>
          <Button type="primary" onClick={() => onShare(request)}>
            {t('Create a link')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}
