import { WIRE } from '@sallyport/contract/constants.ts'
import { FolderIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Popover } from '../../../design/popups/Popover.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import type { SocketTarget } from '../../screen/socket.ts'

/** Where the files of a machine with a desktop are: in the file manager, where it has SSH for this person. */
export function DesktopFiles({ target }: { target: SocketTarget }) {
  const [hasSsh, setSsh] = useState<boolean>()
  const [failure, setFailure] = useState<string>()
  const ask = (isOpen: boolean) => {
    if (!isOpen || hasSsh !== undefined) return
    setFailure(undefined)
    api
      .get<{ protocol: string }[]>(`/api/v1/perms/users/assets/${encodeURIComponent(target.target_id)}/system-users/`, {
        quiet: true,
      })
      .then(
        (granted) => setSsh(granted.some(({ protocol }) => protocol === 'ssh')),
        (error: unknown) => setFailure(errorText(error)),
      )
  }
  const words = (
    <div className="wt-desktop-files">
      <p>{target.type === 'vnc' ? t('VNC carries no files.') : t('Files do not go over this desktop.')}</p>
      {failure ? <p role="alert">{failure}</p> : hasSsh === undefined && <p role="status">{t('Loading')}</p>}
      {hasSsh === false && <p>{t('This machine has no SSH account for you, over which they could go.')}</p>}
      {hasSsh && (
        <a href={`${WIRE.textGatewayBase}elfinder/sftp/${target.target_id}/`} target="_blank" rel="noreferrer">
          {t('Open the files of this machine over SFTP')}
        </a>
      )}
    </div>
  )
  return (
    <Popover
      title={t('Files')}
      side="before"
      onOpenChange={ask}
      button={<Button type="text" icon={<FolderIcon />} aria-label={t('Files')} title={t('Files')} />}
    >
      {words}
    </Popover>
  )
}
